import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { parseCellMap } from '../../src/cells/map.ts';
import { prometheusRules } from '../../src/cells/prometheus.ts';
import { addDatabaseMetrics } from '../../src/metrics/database-metrics.ts';
import { addReadinessMetrics, createProcessMetrics } from '../../src/metrics/process-metrics.ts';
import { checkout } from '../harness/processes.ts';
import { READY } from '../metrics/counters.ts';
import { shellBlocks } from './shell-blocks.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: 'page' | 'ticket' | 'watchdog' };
  annotations: { runbook_url: string };
}

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const rulesFile = 'operations/prometheus/alerts.yaml';
const patroniRulesFile = 'operations/prometheus/patroni.yaml';
const postgresRulesFile = 'operations/prometheus/postgresql.yaml';
const caseFiles = [rulesFile, patroniRulesFile, postgresRulesFile].map((file) => file.replace('.yaml', '.test.yaml'));

/** Figures of postgres_exporter 0.14, of node_exporter, and of the files that the page about PostgreSQL has it read. */
const EXPORTED_METRICS = [
  ...['pg_stat_archiver_failed_count', 'pg_stat_archiver_last_archive_age', 'pg_replication_is_replica'],
  ...['pg_database_wraparound_age_datfrozenxid_seconds', 'pg_replication_slots_pg_wal_lsn_diff'],
  ...['node_filesystem_avail_bytes', 'node_filesystem_size_bytes'],
  ...['database_backup_finished_timestamp_seconds', 'edge_certificate_expires_timestamp_seconds'],
];

/** Figures of Patroni, as its `api.py` has them since 3.0.4. Version 3.0.3 lacks `patroni_postgres_streaming`. */
const PATRONI_METRICS = [
  ...['primary', 'sync_standby', 'postgres_streaming', 'xlog_location', 'xlog_replayed_location'],
  ...['postgres_running', 'dcs_last_seen', 'is_paused'],
].map((name) => `patroni_${name}`);

/** Cases of promtool: series, and what an alert says about them at a time. */
interface Cases {
  tests: {
    name: string;
    input_series: { series: string }[];
    alert_rule_test?: { alertname: string; exp_alerts: object[] }[];
  }[];
}

/** Returns the series that a text of PromQL names. */
function seriesOf(text: string): string[] {
  return text.match(/\b(?:paylinks|nodejs|process|patroni|pg|node|database|edge)_[a-z0-9_]+|\bup\b/g) ?? [];
}

/** Returns the metrics that a text of PromQL names, without the suffixes of histograms and Prometheus' own `up`. */
function metricsOf(text: string): string[] {
  const names = seriesOf(text).filter((name) => name !== 'up');
  return names.map((name) => name.replace(/(?<=_seconds)_(?:bucket|count|sum)$/, ''));
}

const promtool = (folder: string, ...args: string[]) => spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });

describe('alerts and the dashboard', () => {
  const rulesOf = (file: string) => (parse(read(file)) as { groups: [{ rules: Rule[] }] }).groups[0].rules;
  /** The rules by the page that says what to do. */
  const pages = {
    'docs/operations.md': [...rulesOf(rulesFile), ...rulesOf(patroniRulesFile)],
    'docs/postgresql.md': rulesOf(postgresRulesFile),
  };
  const rules = Object.values(pages).flat();
  const dashboard = JSON.parse(read('operations/grafana/dashboard.json')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const names = [...PATRONI_METRICS, ...EXPORTED_METRICS];

  before(() => {
    for (const component of ['api', 'worker'] as const) {
      const registry = createProcessMetrics(component, { version: '0', commit: '0' }, async () => ({
        total: 0,
        idle: 0,
        waiting: 0,
      }));
      addReadinessMetrics(registry, READY);
      addDatabaseMetrics(registry, () => {
        throw new Error('this test reads no metrics');
      });
      names.push(...registry.getMetricsAsArray().map(({ name }) => name));
    }
  });

  it('alerts and the dashboard ask for metrics that processes have', () => {
    const asked = [...rules.map(({ expr }) => expr), ...queries].flatMap(metricsOf);
    expect(asked).to.not.deep.equal([]);
    expect([...new Set(asked)].filter((name) => !names.includes(name))).to.deep.equal([]);
  });

  it('the dashboard shows every metric of our own but that of an unreachable database', () => {
    const shown = metricsOf(read('operations/grafana/dashboard.json'));
    const own = names.filter((name) => name.startsWith('paylinks_'));
    expect([...new Set(own)].filter((name) => !shown.includes(name))).to.deep.equal(['paylinks_database_up']);
  });

  it('alerts and the dashboard keep cells apart where they take a maximum', () => {
    const asked = [...rules.map(({ expr }) => expr), ...queries];
    expect(asked.filter((expr) => /\bmax by \(cell\b/.test(expr))).to.not.deep.equal([]);
    expect(asked.filter((expr) => /\b(?:max|min)\b(?! by \(cell\b)/.test(expr))).to.deep.equal([]);
  });

  it('promtool accepts every query of the dashboard, and the guide for operators has their number', function () {
    expect(/Its (\d+) queries/.exec(read('docs/operations.md'))?.[1]).to.equal(`${queries.length}`);
    const folder = mkdtempSync(join(tmpdir(), 'paylinks-queries-'));
    try {
      const recorded = queries.map((expr, index) => ({ record: `query:${index}`, expr }));
      writeFileSync(join(folder, 'queries.yaml'), stringify({ groups: [{ name: 'queries', rules: recorded }] }));
      const { error, status, stdout, stderr } = promtool(folder, 'check', 'rules', 'queries.yaml');
      if (error !== undefined) return this.skip();
      expect(status, `${stdout}${stderr}`).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('every alert has a section in its page, with its address, and every section an alert', () => {
    for (const [page, ofPage] of Object.entries(pages)) {
      const sections = [...read(page).matchAll(/^### (Paylinks\w+)$/gm)].map(([, name]) => name);
      expect(sections).to.deep.equal(ofPage.map(({ alert }) => alert));
      for (const { alert, annotations } of ofPage) {
        expect(annotations.runbook_url).to.equal(`{{ $externalLabels.runbooks }}${page}#${alert.toLowerCase()}`);
      }
    }
  });

  it('each section about an alert begins with its severity', () => {
    const text = Object.keys(pages).map(read).join('\n');
    const beginnings = [...text.matchAll(/^### (Paylinks\w+)\n\n(Page|Ticket|Watchdog)\. /gm)];
    const written = beginnings.map(([, name, severity = '']) => [name, severity.toLowerCase()]);
    expect(written).to.deep.equal(rules.map(({ alert, labels }) => [alert, labels.severity]));
  });

  it('every alert has a case in which it fires, and one in which it is quiet although its figures are there', () => {
    const cases = caseFiles.flatMap((file) => (parse(read(file)) as Cases).tests);
    const withoutCase = (fires: boolean) =>
      rules.filter(
        ({ alert, expr }) =>
          !cases.some(({ input_series, alert_rule_test = [] }) => {
            const fed = input_series.map(({ series }) => series.replace(/\{.*/s, ''));
            return (
              (seriesOf(expr).length === 0 || seriesOf(expr).some((name) => fed.includes(name))) &&
              alert_rule_test.some(
                ({ alertname, exp_alerts }) => alertname === alert && exp_alerts.length > 0 === fires,
              )
            );
          }),
      );
    expect(
      withoutCase(true).map(({ alert }) => alert),
      'never seen firing',
    ).to.deep.equal([]);
    expect(
      withoutCase(false).map(({ alert }) => alert),
      'never seen quiet',
    ).to.deep.equal(['PaylinksWatchdog']);
  });

  it('Prometheus gives its jobs the names that alerts look for, also in a cluster', () => {
    const { scrape_configs: jobs } = parse(read('operations/prometheus/prometheus.yaml')) as {
      scrape_configs: { job_name: string }[];
    };
    expect(jobs.map(({ job_name }) => job_name)).to.deep.equal(['paylinks-api', 'paylinks-worker']);
    // In a cluster the label `app` of the pods becomes the name, and only ports of the name `metrics` are scraped.
    expect(read('operations/prometheus/kubernetes.yaml')).to.include(
      '__meta_kubernetes_pod_label_app], target_label: job',
    );
    for (const name of ['api', 'worker']) {
      const manifest = read(`operations/kubernetes/base/${name}.yaml`);
      expect(manifest).to.include(`labels: { app: paylinks-${name} }`).and.include('{ name: metrics, containerPort:');
    }
  });

  it('the commands of the guide for Patroni make a configuration that promtool accepts, with the job of the alerts', function () {
    const folder = mkdtempSync(join(tmpdir(), 'paylinks-patroni-'));
    try {
      mkdirSync(join(folder, 'prometheus'));
      for (const file of ['prometheus.yml', 'alerts.yaml']) {
        copyFileSync(
          join(checkout, 'operations/prometheus', file.replace('.yml', '.yaml')),
          join(folder, 'prometheus', file),
        );
      }
      const [, job = ''] = /^```yaml\n( {2}- job_name: patroni\n[^`]*)```$/m.exec(read('docs/failover.md')) ?? [];
      writeFileSync(join(folder, 'job'), job);
      const programs = { editor: `cat ${folder}/job >> "$1"`, systemctl: 'echo "$*"' };
      for (const [name, text] of Object.entries(programs)) {
        writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      }
      if (promtool(folder, '--version').error !== undefined) return this.skip();
      const [text = ''] = shellBlocks('prometheus-patroni');
      const inside = text.replaceAll('/opt/paylinks/', checkout).replaceAll('/etc/prometheus', `${folder}/prometheus`);
      const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', inside], {
        env: { PATH: `${folder}:${process.env.PATH}` },
        stdio: ['ignore', 'pipe', 'pipe'],
        encoding: 'utf8',
      });
      expect(status, `${stdout}${stderr}`).to.equal(0);
      expect(stdout)
        .to.include('2 rule files found')
        .and.match(/8 rules found[\s\S]*reload prometheus\n$/);
      const { scrape_configs } = parse(readFileSync(join(folder, 'prometheus/prometheus.yml'), 'utf8')) as {
        scrape_configs: { job_name: string }[];
      };
      const asked = rulesOf(patroniRulesFile).flatMap(({ expr }) =>
        [...expr.matchAll(/job="(\w+)"/g)].map(([, name]) => name),
      );
      expect([...new Set(asked)]).to.deep.equal([scrape_configs.at(-1)?.job_name]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('promtool accepts the alerts and the configuration, and their own tests pass', function () {
    // Debian’s package prometheus has it; without it, the other tests remain.
    if (promtool(checkout, '--version').error !== undefined) return this.skip();
    for (const args of [
      ['check', 'rules', rulesFile, patroniRulesFile, postgresRulesFile],
      ['test', 'rules', ...caseFiles],
      ['check', 'config', 'operations/prometheus/prometheus.yaml'],
    ]) {
      const { status, stdout, stderr } = promtool(checkout, ...args);
      expect(status, `${stdout}${stderr}`).to.equal(0);
    }
  });

  it('a cell of the map without any process pages, with its name, and cells with processes or without slots do not', function () {
    if (promtool(checkout, '--version').error !== undefined) return this.skip();
    const cell = (name: string, slots: [number, number][]) => ({ name, addresses: [`${name}:3000`], slots });
    const parsed = parseCellMap({ cells: [cell('a', [[0, 99]]), cell('b', [[100, 1_023]]), cell('later', [])] });
    if ('faults' in parsed) throw new Error(parsed.faults.join());
    const folder = mkdtempSync(join(tmpdir(), 'paylinks-rules-'));
    try {
      copyFileSync(join(checkout, rulesFile), join(folder, 'alerts.yaml'));
      writeFileSync(join(folder, 'cells.yaml'), prometheusRules(parsed.map));
      const series = (component: string, name: string, values: string) => ({
        series: `paylinks_build_info{component="${component}", cell="${name}", instance="${component}-${name}"}`,
        values,
      });
      const a = [series('api', 'a', '1x20'), series('worker', 'a', '1x20')];
      const alert = {
        exp_labels: { severity: 'page', cell: 'b' },
        exp_annotations: {
          summary: 'Prometheus sees no process of a cell',
          runbook_url: 'docs/operations.md#paylinksprocessesunknown',
        },
      };
      const expected = (alerts: object[]) => [
        { eval_time: '10m', alertname: 'PaylinksProcessesUnknown', exp_alerts: alerts },
      ];
      const test = (more: object[], alerts: object[]) => ({
        interval: '1m',
        input_series: [...a, ...more],
        alert_rule_test: expected(alerts),
      });
      const tests = [
        test([], [alert]),
        test([series('api', 'b', '1 1 stale'), series('worker', 'b', '1 1 stale')], [alert]),
        test([series('api', 'b', '1x20'), series('worker', 'b', '1x20')], []),
      ];
      const file = join(folder, 'test.yaml');
      writeFileSync(file, stringify({ rule_files: ['alerts.yaml', 'cells.yaml'], evaluation_interval: '1m', tests }));
      const { status, stdout, stderr } = promtool(folder, 'test', 'rules', file);
      expect(status, `${stdout}${stderr}`).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
