import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultDashboard } from '@grafana/schema';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { addDatabaseMetrics, READINGS } from '../../src/main/metrics/database-metrics.ts';
import { addReadinessMetrics, createProcessMetrics } from '../../src/main/metrics/process-metrics.ts';
import { useFolder } from '../harness/fixtures.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { checkout } from '../harness/processes.ts';
import { READY } from '../metrics/counters.ts';
import { runShell, shellBlocks, writeProgram } from './shell-blocks.ts';

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

/** Row of the table of metrics: a name, `API`, `worker` or `both`, and labels with their values, if the table has them. */
interface Row {
  of: string;
  labels: Record<string, string[]>;
}

/** Returns the table of metrics in the guide for operators. */
function tableOfGuide(): Map<string, Row> {
  const rows = read('docs/operations/run.md').matchAll(/^\| `(paylinks_\w+)` \| (\w+) \| ([^|]*) ?\| [^|]+ \|$/gm);
  return new Map([...rows].map(([, name = '', of = '', cell = '']) => [name, { of, labels: labelsOf(cell) }]));
}

/** Reads `a`: `x`, `y`; `b` as the label `a` with two values, and `b` without. */
function labelsOf(cell: string): Row['labels'] {
  const labels = cell.split(';').map((label) => [...label.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
  return Object.fromEntries(labels.flatMap(([name, ...values]) => (name === undefined ? [] : [[name, values]])));
}

const promtool = (folder: string, ...args: string[]) => spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });

describe('metrics, alerts and the dashboard', () => {
  const rulesOf = (file: string) => (parse(read(file)) as { groups: [{ rules: Rule[] }] }).groups[0].rules;
  /** The rules by the page that says what to do. */
  const pages = {
    'docs/operations/recover.md': [...rulesOf(rulesFile), ...rulesOf(patroniRulesFile)],
    'docs/postgresql.md': rulesOf(postgresRulesFile),
  };
  const rules = Object.values(pages).flat();
  const dashboard = JSON.parse(read('operations/grafana/dashboard.json')) as {
    schemaVersion: number;
    panels: { targets?: { expr: string }[] }[];
  };
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const names = [...PATRONI_METRICS, ...EXPORTED_METRICS];
  /** Our own metrics by their names, with the kinds of processes that have them. */
  const served = new Map<string, { kinds: string[]; labels: string[] }>();
  /** Labels with a value that they have before anything happened. */
  const known: { metric: string; label: string; value: string }[] = [];
  const folder = useFolder('alerts');

  before(async () => {
    for (const component of ['api', 'worker'] as const) {
      const connections = { totalCount: 0, idleCount: 0, waitingCount: 0 };
      const registry = createProcessMetrics(component, async () => connections);
      addReadinessMetrics(registry, READY);
      if (component === 'worker') {
        addDatabaseMetrics(registry, () => {
          throw new Error('this test reads no metrics of a database');
        });
      }
      for (const metric of registry.getMetricsAsArray()) {
        names.push(metric.name);
        if (!metric.name.startsWith('paylinks_')) continue;
        const labels = 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
        const kinds = [...(served.get(metric.name)?.kinds ?? []), component];
        served.set(metric.name, { kinds, labels });
      }
      for (const { name, values } of await registry.getMetricsAsJSON()) {
        const labels = values.flatMap(({ labels }) => Object.entries(labels));
        known.push(...labels.map(([label, value]) => ({ metric: name, label, value: String(value) })));
      }
    }
    for (const { name, labels } of READINGS) {
      for (const [label, values] of Object.entries(labels)) {
        known.push(...(values ?? []).map((value) => ({ metric: name, label, value })));
      }
    }
  });

  /** Skips the test where Debian’s package prometheus is missing. */
  function needPromtool(context: Mocha.Context): void {
    if (promtool(folder, '--version').error !== undefined) leaveOut(context, 'no promtool on this machine');
  }

  /** Expects that promtool ends without a complaint. */
  function expectAccepted(from: string, ...args: string[]): void {
    const { status, stdout, stderr } = promtool(from, ...args);
    expect(status, `${stdout}${stderr}`).to.equal(0);
  }

  it('the table of metrics has each metric that processes serve, and no other, with the processes and the labels', () => {
    const ofKinds = (kinds: string[]) => (kinds.length === 2 ? 'both' : kinds[0] === 'api' ? 'API' : 'worker');
    const expected = [...served].map(([name, { kinds, labels }]) => [name, ofKinds(kinds), labels.toSorted()]);
    const written = [...tableOfGuide()].map(([name, { of, labels }]) => [name, of, Object.keys(labels).toSorted()]);
    expect(written.toSorted()).to.deep.equal(expected.toSorted());
  });

  it('the table of metrics has each value that a label has from the beginning, where it lists values', () => {
    const table = tableOfGuide();
    const missing = known.filter(({ metric, label, value }) => {
      const listed = table.get(metric)?.labels[label] ?? [];
      return listed.length > 0 && !listed.includes(value);
    });
    expect(missing).to.deep.equal([]);
    expect(known.length).to.be.above(20);
  });

  it('alerts and the dashboard ask for metrics that processes have', () => {
    const asked = [...rules.map(({ expr }) => expr), ...queries].flatMap(metricsOf);
    expect(asked).to.not.deep.equal([]);
    expect([...new Set(asked)].filter((name) => !names.includes(name))).to.deep.equal([]);
  });

  it('the dashboard is of the version whose types `schemas/dashboard.ts` compares it with', () => {
    expect(dashboard.schemaVersion).to.equal(defaultDashboard.schemaVersion);
  });

  it('the dashboard shows every metric of our own but that of an unreachable database', () => {
    const shown = metricsOf(read('operations/grafana/dashboard.json'));
    const own = names.filter((name) => name.startsWith('paylinks_'));
    expect([...new Set(own)].filter((name) => !shown.includes(name))).to.deep.equal(['paylinks_database_up']);
  });

  it('alerts and the dashboard keep installations apart where they take a maximum', () => {
    const asked = [...rules.map(({ expr }) => expr), ...queries];
    expect(asked.filter((expr) => /\bmax by \(installation\b/.test(expr))).to.not.deep.equal([]);
    expect(asked.filter((expr) => /\b(?:max|min)\b(?! by \(installation\b)/.test(expr))).to.deep.equal([]);
  });

  it('promtool accepts every query of the dashboard, and the guide for operators has their number', function () {
    expect(/Its (\d+) queries/.exec(read('docs/operations/run.md'))?.[1]).to.equal(`${queries.length}`);
    needPromtool(this);
    const recorded = queries.map((expr, index) => ({ record: `query:${index}`, expr }));
    writeFileSync(join(folder, 'queries.yaml'), stringify({ groups: [{ name: 'queries', rules: recorded }] }));
    expectAccepted(folder, 'check', 'rules', 'queries.yaml');
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
    const isCase = ({ input_series, alert_rule_test = [] }: Cases['tests'][number], rule: Rule, fires: boolean) => {
      const fed = input_series.map(({ series }) => series.replace(/\{.*/s, ''));
      const asked = seriesOf(rule.expr);
      if (asked.length > 0 && !asked.some((name) => fed.includes(name))) return false;
      return alert_rule_test.some((test) => test.alertname === rule.alert && test.exp_alerts.length > 0 === fires);
    };
    const withoutCase = (fires: boolean) =>
      rules.filter((rule) => !cases.some((one) => isCase(one, rule, fires))).map(({ alert }) => alert);
    expect(withoutCase(true), 'never seen firing').to.deep.equal([]);
    expect(withoutCase(false), 'never seen quiet').to.deep.equal(['PaylinksWatchdog']);
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
    needPromtool(this);
    mkdirSync(join(folder, 'prometheus'));
    for (const [file, shipped] of [
      ['prometheus.yml', 'prometheus.yaml'],
      ['alerts.yaml', 'alerts.yaml'],
    ] as const) {
      copyFileSync(join(checkout, 'operations/prometheus', shipped), join(folder, 'prometheus', file));
    }
    const [, job = ''] = /^```yaml\n( {2}- job_name: patroni\n[^`]*)```$/m.exec(read('docs/failover.md')) ?? [];
    writeFileSync(join(folder, 'job'), job);
    writeProgram(join(folder, 'editor'), `cat ${folder}/job >> "$1"`);
    writeProgram(join(folder, 'systemctl'), 'echo "$*"');
    const [text = ''] = shellBlocks('prometheus-patroni');
    const inside = text.replaceAll('/opt/paylinks/', checkout).replaceAll('/etc/prometheus', `${folder}/prometheus`);
    expect(runShell(inside, { env: { PATH: `${folder}:${process.env.PATH}` } }))
      .to.include('2 rule files found')
      .and.match(/8 rules found[\s\S]*reload prometheus\n$/);
    const { scrape_configs } = parse(readFileSync(join(folder, 'prometheus/prometheus.yml'), 'utf8')) as {
      scrape_configs: { job_name: string }[];
    };
    const asked = rulesOf(patroniRulesFile).flatMap(({ expr }) =>
      [...expr.matchAll(/job="(\w+)"/g)].map(([, name]) => name),
    );
    expect([...new Set(asked)]).to.deep.equal([scrape_configs.at(-1)?.job_name]);
  });

  it('promtool accepts the alerts and the configuration, and their own tests pass', function () {
    needPromtool(this);
    expectAccepted(checkout, 'check', 'rules', rulesFile, patroniRulesFile, postgresRulesFile);
    expectAccepted(checkout, 'test', 'rules', ...caseFiles);
    expectAccepted(checkout, 'check', 'config', 'operations/prometheus/prometheus.yaml');
  });
});
