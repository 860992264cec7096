import type { CellMap } from './map.ts';

/**
 * Returns rules of Prometheus for cells without any process. A cell that never reports has no figures, so only the map knows of it.
 * Cells without slots are left out, because they serve nobody. `operations/prometheus/alerts.yaml` has the rules for all other
 * faults.
 */
export function prometheusRules({ cells }: CellMap): string {
  const conditions = cells
    .filter(({ slots }) => slots.length > 0)
    .map(({ name }) => `absent(paylinks_build_info{cell="${name}"})`);
  return `# Written by \`paylinks cells map --prometheus\`. Change the map of cells and write it again, instead of this file.
groups:
  - name: paylinks-cells
    rules:
      - alert: PaylinksProcessesUnknown
        expr: |
          ${conditions.join('\n            or ')}
        for: 5m
        labels: { severity: page }
        annotations:
          summary: Prometheus sees no process of a cell
          runbook_url: '{{ $externalLabels.runbooks }}docs/operations.md#paylinksprocessesunknown'
`;
}
