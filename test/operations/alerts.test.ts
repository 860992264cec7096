import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import { parseCellMap } from '../../src/cells/map.ts';
import { prometheusRules } from '../../src/cells/prometheus.ts';
import { addDatabaseMetrics } from '../../src/metrics/database-metrics.ts';
import { createProcessMetrics } from '../../src/metrics/process-metrics.ts';
import { checkout } from '../harness/processes.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: 'page' | 'ticket' };
  annotations: { runbook: string };
}

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const rulesFile = 'operations/prometheus/alerts.yaml';

/** Returns the metrics that a text of PromQL names, without the suffixes of histograms. */
function metricsOf(text: string): string[] {
  const names = text.match(/\b(?:paylinks|nodejs|process)_[a-z0-9_]+/g) ?? [];
  return names.map((name) => name.replace(/(?<=_seconds)_(?:bucket|count|sum)$/, ''));
}

describe('alerts and the dashboard', () => {
  const { rules } = (parse(read(rulesFile)) as { groups: [{ rules: Rule[] }] }).groups[0];
  const names: string[] = [];

  before(() => {
    for (const component of ['api', 'worker'] as const) {
      const registry = createProcessMetrics(component, '0', async () => ({ total: 0, idle: 0, waiting: 0 }));
      addDatabaseMetrics(registry, () => {
        throw new Error('this test reads no metrics');
      });
      names.push(...registry.getMetricsAsArray().map(({ name }) => name));
    }
  });

  it('alerts and the dashboard ask for metrics that processes have', () => {
    const dashboard = JSON.parse(read('operations/grafana/dashboard.json')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const asked = [
      ...rules.flatMap(({ expr }) => metricsOf(expr)),
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsOf(expr))),
    ];
    expect(asked).to.not.deep.equal([]);
    expect([...new Set(asked)].filter((name) => !names.includes(name))).to.deep.equal([]);
  });

  it('the dashboard shows every metric of our own but that of an unreachable database', () => {
    const shown = metricsOf(read('operations/grafana/dashboard.json'));
    const own = names.filter((name) => name.startsWith('paylinks_'));
    expect([...new Set(own)].filter((name) => !shown.includes(name))).to.deep.equal(['paylinks_database_up']);
  });

  it('every alert has a section in docs/operations.md, and every section an alert', () => {
    const sections = [...read('docs/operations.md').matchAll(/^### (Paylinks\w+)$/gm)].map(([, name]) => name);
    expect(sections).to.deep.equal(rules.map(({ alert }) => alert));
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).to.equal(`docs/operations.md#${alert.toLowerCase()}`);
    }
  });

  it('each section about an alert begins with its severity', () => {
    const beginnings = [...read('docs/operations.md').matchAll(/^### (Paylinks\w+)\n\n(Page|Ticket)\. /gm)];
    const written = beginnings.map(([, name, severity = '']) => [name, severity.toLowerCase()]);
    expect(written).to.deep.equal(rules.map(({ alert, labels }) => [alert, labels.severity]));
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

  it('promtool accepts the alerts and the configuration, and their own tests pass', function () {
    const run = (...args: string[]) => spawnSync('promtool', args, { cwd: checkout, encoding: 'utf8' });
    // Debian’s package prometheus has it; without it, the other tests remain.
    if (run('--version').error !== undefined) return this.skip();
    for (const args of [
      ['check', 'rules', rulesFile],
      ['test', 'rules', 'operations/prometheus/alerts.test.yaml'],
      ['check', 'config', 'operations/prometheus/prometheus.yaml'],
    ]) {
      const { status, stdout, stderr } = run(...args);
      expect(status, `${stdout}${stderr}`).to.equal(0);
    }
  });

  it('a cell of the map without any process pages, with its name, and cells with processes or without slots do not', function () {
    const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
    if (promtool('--version').error !== undefined) return this.skip();
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
          runbook: 'docs/operations.md#paylinksprocessesunknown',
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
      const { status, stdout, stderr } = promtool('test', 'rules', file);
      expect(status, `${stdout}${stderr}`).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
