import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { addDatabaseMetrics, READINGS } from '../../src/metrics/database-metrics.ts';
import { addReadinessMetrics, createProcessMetrics } from '../../src/metrics/process-metrics.ts';
import { checkout } from '../harness/processes.ts';
import { READY } from '../metrics/counters.ts';

/** Row of the table of metrics: a name, `API`, `worker` or `both`, and labels with their values, if the table has them. */
interface Row {
  of: string;
  labels: Record<string, string[]>;
}

/** Returns the table of metrics in the guide for operators. */
function tableOfGuide(): Map<string, Row> {
  const guide = readFileSync(join(checkout, 'docs/operations.md'), 'utf8');
  const rows = guide.matchAll(/^\| `(paylinks_\w+)` \| (\w+) \| ([^|]*) ?\| [^|]+ \|$/gm);
  return new Map([...rows].map(([, name = '', of = '', cell = '']) => [name, { of, labels: labelsOf(cell) }]));
}

/** Reads `a`: `x`, `y`; `b` as the label `a` with two values, and `b` without. */
function labelsOf(cell: string): Row['labels'] {
  const labels = cell.split(';').map((label) => [...label.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
  return Object.fromEntries(labels.flatMap(([name, ...values]) => (name === undefined ? [] : [[name, values]])));
}

describe('the table of metrics in the guide for operators', () => {
  const table = tableOfGuide();
  /** Our own metrics by their names, with the kinds of processes that have them. */
  const served = new Map<string, { kinds: string[]; labels: string[] }>();
  /** Labels with a value that they have before anything happened. */
  const known: { metric: string; label: string; value: string }[] = [];

  before(async () => {
    for (const component of ['api', 'worker'] as const) {
      const registry = createProcessMetrics(component, { version: '0', commit: '0' }, async () => ({
        total: 0,
        idle: 0,
        waiting: 0,
      }));
      addReadinessMetrics(registry, READY);
      if (component === 'worker') {
        addDatabaseMetrics(registry, () => {
          throw new Error('this test reads no metrics of a database');
        });
      }
      for (const metric of registry.getMetricsAsArray().filter(({ name }) => name.startsWith('paylinks_'))) {
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

  it('the table has each metric that processes serve, and no other, with the processes and the labels', () => {
    const ofKinds = (kinds: string[]) => (kinds.length === 2 ? 'both' : kinds[0] === 'api' ? 'API' : 'worker');
    const expected = [...served].map(([name, { kinds, labels }]) => [name, ofKinds(kinds), labels.toSorted()]);
    const written = [...table].map(([name, { of, labels }]) => [name, of, Object.keys(labels).toSorted()]);
    expect(written.toSorted()).to.deep.equal(expected.toSorted());
  });

  it('the table has each value that a label has from the beginning, where it lists values', () => {
    const missing = known.filter(({ metric, label, value }) => {
      const listed = table.get(metric)?.labels[label] ?? [];
      return listed.length > 0 && !listed.includes(value);
    });
    expect(missing).to.deep.equal([]);
    expect(known.length).to.be.above(20);
  });
});
