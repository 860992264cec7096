import { readFileSync } from 'node:fs';
import { ConfigError } from '../base/errors.ts';
import { CELL_NAME, FIRST_SLOT, SLOT_COUNT, slotText } from '../base/slot.ts';
import { createAjv } from '../contract/validators.ts';

/*
 * The map of cells: a JSON file that says which cell has which slots, and where its APIs are. It has no credentials. The
 * edge, the commands and the processes of all cells read one file (docs/decisions/0050-cells.md).
 */

/** First and last of consecutive slots. */
export type SlotRange = readonly [first: number, last: number];

/** A cell: one PostgreSQL with its APIs and workers. */
export interface Cell {
  /** Name in settings, metrics and HAProxy, such as `b` or `east-2`. */
  name: string;
  /** Addresses of its APIs, `host:port`, as the edge and other cells reach them. */
  addresses: readonly string[];
  /** Host names that always lead to this cell. The first one is that of its console. */
  hosts: readonly string[];
  /** Empty for a cell that gets its first slots later. */
  slots: readonly SlotRange[];
  /** Share of new practices, compared with other cells. A cell with 0 gets none: it is half full. */
  weight: number;
}

const MAX_WEIGHT = 1_000;

export interface Edge {
  /** Arguments of HAProxy's `bind`, such as `:443 ssl crt /etc/paylinks/edge.pem alpn h2,http/1.1`. */
  bind: string;
  /** Arguments of `bind` for requests without TLS, such as `:80`. Browsers are redirected to https. Unset for none. */
  redirectBind?: string;
  /** Value of IP_REQUESTS_PER_MINUTE in all cells. */
  requestsPerAddress: number;
}

/** A valid map. Each slot belongs to one cell. */
export interface CellMap {
  /** The first cell has the first slot, and gets everything that carries no slot. */
  cells: readonly [Cell, ...Cell[]];
  edge: Edge;
}

const HOST = '[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?';
const BIND = { type: 'string', pattern: '^[!-~]([ -~]{0,998}[!-~])?$' };
const SLOT = { type: 'integer', minimum: 0, maximum: SLOT_COUNT - 1 };

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['cells'],
  properties: {
    cells: {
      type: 'array',
      minItems: 1,
      maxItems: SLOT_COUNT,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'addresses', 'slots'],
        properties: {
          name: { type: 'string', pattern: CELL_NAME.source },
          addresses: {
            type: 'array',
            minItems: 1,
            items: { type: 'string', pattern: `^(${HOST}|\\[[0-9a-f:.]{2,45}\\]):[0-9]{1,5}$` },
          },
          hosts: { type: 'array', items: { type: 'string', pattern: `^${HOST}$` }, default: [] },
          weight: { type: 'integer', minimum: 0, maximum: MAX_WEIGHT, default: 1 },
          slots: {
            type: 'array',
            items: { type: 'array', prefixItems: [SLOT, SLOT], minItems: 2, maxItems: 2, items: false },
          },
        },
      },
    },
    edge: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        bind: { ...BIND, default: ':8080' },
        redirectBind: BIND,
        requestsPerAddress: { type: 'integer', minimum: 1, maximum: 100_000_000, default: 600 },
      },
    },
  },
};

/** Reads and checks a map. @throws ConfigError */
export function readCellMap(path: string): CellMap {
  const source = `The map of cells ${path}`;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // Both errors name the file's fault: a missing file, or the place of a fault in its JSON.
    throw new ConfigError([error instanceof Error ? error.message : 'it cannot be read'], source);
  }
  return parseCellMap(content, source);
}

/** Checks the content of a map's file, and adds the defaults. @throws ConfigError with all faults */
export function parseCellMap(content: unknown, source = 'The map of cells'): CellMap {
  const validate = createAjv({ allErrors: true, useDefaults: true }).compile<CellMap>(SCHEMA);
  if (!validate(content)) {
    const faults = (validate.errors ?? []).map(({ instancePath, message = 'is invalid', params }) => {
      const name = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
      return `${instancePath || '/'} ${message}${name}`;
    });
    throw new ConfigError(faults, source);
  }
  const { cells } = content;
  const unique = {
    name: cells.map(({ name }) => name),
    address: cells.flatMap(({ addresses }) => addresses),
    host: cells.flatMap(({ hosts }) => hosts),
  };
  const faults = [
    ...Object.entries(unique).flatMap(([what, values]) => findRepeated(what, values)),
    ...cells.flatMap(({ addresses }) => addresses.filter((address) => !hasPort(address)).map(portFault)),
    ...slotFaults(cells),
  ];
  if (faults.length > 0) throw new ConfigError(faults, source);
  return content;
}

/** Returns all slots of a cell, in ascending order. */
export function slotsOf({ slots }: Pick<Cell, 'slots'>): number[] {
  return slots
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
    .toSorted((a, b) => a - b);
}

/**
 * Returns the slots of a cell that new practices may get; none if its weight is 0. The first slot is for practices that are older
 * than slots.
 */
export function slotsForNew(cell: Pick<Cell, 'slots' | 'weight'>): number[] {
  return cell.weight === 0 ? [] : slotsOf(cell).filter((slot) => slot !== FIRST_SLOT);
}

function findRepeated(what: string, values: readonly string[]): string[] {
  const twice = values.filter((value, index) => values.indexOf(value) !== index);
  return [...new Set(twice)].map((value) => `the ${what} ${value} occurs twice`);
}

function hasPort(address: string): boolean {
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  return port >= 1 && port <= 65_535;
}

function portFault(address: string): string {
  return `the address ${address} needs a port from 1 to 65535`;
}

function slotFaults(cells: CellMap['cells']): string[] {
  const backward = cells.flatMap(({ name, slots }) =>
    slots
      .filter(([first, last]) => last < first)
      .map(([first, last]) => `the range ${first} to ${last} of ${name} is empty`),
  );
  if (backward.length > 0) return backward;
  const owners = Array.from({ length: SLOT_COUNT }, (): string[] => []);
  for (const cell of cells) for (const slot of slotsOf(cell)) owners[slot]?.push(cell.name);
  const missing = owners.flatMap((names, slot) => (names.length === 0 ? [slot] : []));
  const shared = owners.flatMap((names, slot) =>
    names.length > 1 ? [`slot ${slot} belongs to ${names.join(' and ')}`] : [],
  );
  const firstOwner = owners[FIRST_SLOT]?.[0];
  return [
    ...(missing.length > 0 ? [`no cell has ${missing.length} of the slots, the first of them is ${missing[0]}`] : []),
    ...shared.slice(0, 10),
    ...(firstOwner !== undefined && firstOwner !== cells[0].name
      ? [
          `slot ${FIRST_SLOT} (${slotText(FIRST_SLOT)}) must stay in the first cell, ${cells[0].name}: its keys and pages may carry no slot`,
        ]
      : []),
  ];
}
