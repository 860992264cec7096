import { slotText } from '../base/slot.ts';
import { OFFERED_HEADER } from '../http/notifications.ts';
import { KEY_WITH_SLOT, NOTIFICATIONS, PAGE_FILES, PAGE_WITH_SLOT } from './edge-rule.ts';
import { DEFAULTS, frontendHead, GLOBAL, redirectFrontend, TABLES } from './haproxy-parts.ts';
import { type Cell, type CellMap, type Edge, slotsOf } from './map.ts';

/** Slots per rule. HAProxy reads at most 64 words of a line. */
const SLOTS_PER_LINE = 32;

/**
 * Returns HAProxy's configuration for an edge. It routes by the rule of `edge-rule.ts`, and logs neither keys nor addresses of
 * pages. Timeouts are longer than the time budgets of requests, so that the service answers first.
 */
export function haproxyConfiguration({ cells, edge }: CellMap): string {
  return `${[
    '# Written by `paylinks cells map --haproxy`. Change the map of cells and write it again, instead of this file.',
    '',
    ...GLOBAL,
    ...DEFAULTS,
    ...redirectFrontend(edge.redirectBind ?? null),
    ...frontend(cells, edge),
    ...cells.flatMap(backends),
    // Each API of each cell takes notifications, and offers those of other cells to them.
    'backend notifications from edge',
    ...cells.flatMap(checkedElsewhere),
    '',
    ...TABLES,
  ].join('\n')}\n`;
}

function frontend(cells: CellMap['cells'], edge: Edge): string[] {
  const [first] = cells;
  return [
    ...frontendHead(edge),
    // Only cells offer notifications to each other, and they do not ask the edge.
    `  http-request del-header ${OFFERED_HEADER}`,
    ...slotRules(),
    `  http-request set-var(txn.cell) str(${first.name})`,
    // The first cell needs no rules: it gets everything that no rule names.
    ...cells.slice(1).flatMap(cellRules),
    ...cells.flatMap(hostRules),
    `  use_backend notifications if { path_beg ${NOTIFICATIONS} } !{ var(txn.host) -m found }`,
    '  use_backend %[var(txn.cell)]_pages if pages',
    '  use_backend %[var(txn.cell)]_api',
    `  default_backend ${first.name}_api`,
    '',
  ];
}

/** Puts the two characters of the slot into a variable. A header that does not match is not copied. */
function slotRules(): string[] {
  const rule = (source: string, expression: string) =>
    `  http-request set-var(txn.slot) '${source},regsub("${expression}","\\1")' if { ${source} -m reg '${expression}' }`;
  return [
    rule('req.fhdr(authorization)', KEY_WITH_SLOT),
    rule('path', PAGE_WITH_SLOT),
    `  http-request set-var(txn.slot) url_param(slot) if { path_beg ${PAGE_FILES.join(' ')} }`,
  ];
}

/** Rules of one cell. Those of host names come after them, so that a host name decides. */
function cellRules(cell: Cell): string[] {
  const texts = slotsOf(cell).map(slotText);
  const lines = Array.from({ length: Math.ceil(texts.length / SLOTS_PER_LINE) }, (_, index) =>
    texts.slice(index * SLOTS_PER_LINE, (index + 1) * SLOTS_PER_LINE).join(' '),
  );
  return lines.map(
    (slots) => `  http-request set-var(txn.cell) str(${cell.name}) if { var(txn.slot) -m str ${slots} }`,
  );
}

function hostRules({ name, hosts }: Cell): string[] {
  if (hosts.length === 0) return [];
  const isHost = `{ req.hdr(host),field(1,:),lower -m str ${hosts.join(' ')} }`;
  return [
    `  http-request set-var(txn.cell) str(${name}) if ${isHost}`,
    `  http-request set-var(txn.host) bool(true) if ${isHost}`,
  ];
}

/** The backends of a cell: one answers errors as JSON, the other one as a page. */
function backends({ name, addresses }: Cell): string[] {
  return [
    `backend ${name}_api from edge`,
    ...addresses.map((address, index) => `  server ${serverName(name, index)} ${address} check`),
    '',
    `backend ${name}_pages from pages`,
    ...checkedElsewhere({ name, addresses }),
    '',
  ];
}

/** Servers that take over the checks of the cell's first backend. */
function checkedElsewhere({ name, addresses }: Pick<Cell, 'name' | 'addresses'>): string[] {
  return addresses.map((address, index) => {
    const server = serverName(name, index);
    return `  server ${server} ${address} track ${name}_api/${server}`;
  });
}

function serverName(cell: string, index: number): string {
  return `${cell}-${index + 1}`;
}
