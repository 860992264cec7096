/**
 * Position of a reader of test events. Transactions commit in another order than they begin in, so no single number can say
 * which events a reader has seen. A snapshot of PostgreSQL can: it names the transactions that had ended when it was taken.
 */
export interface EventCursor {
  /** Snapshot, as the text of `pg_snapshot`. The reader has seen the events of all transactions that are visible in it. */
  since: string;
  /** Snapshot of the first page, while more pages follow; else null. Later pages have no other events than it shows. */
  until: string | null;
  /** Last event of the page before, in the order of transaction and id; `'0'` and `''` before the first page. */
  madeBy: string;
  id: string;
}

/** Largest transaction id, of 64 bits. */
const MAX_XID = 2n ** 64n - 1n;

const XID = /^(0|[1-9][0-9]{0,19})$/;

/** Returns the cursor as opaque text. */
export function writeCursor({ since, until, madeBy, id }: EventCursor): string {
  return Buffer.from(JSON.stringify([since, until, madeBy, id])).toString('base64url');
}

/** Returns the cursor that the text contains; null for any other text, and for values that PostgreSQL refuses. */
export function readCursor(text: string): EventCursor | null {
  const [since, until, madeBy, id, ...rest] = parts(text);
  if (rest.length > 0 || typeof madeBy !== 'string' || typeof id !== 'string') return null;
  if (!isSnapshot(since) || !(until === null || isSnapshot(until))) return null;
  if (!isXid(madeBy) || !/^(evt_[0-9a-z]{26})?$/.test(id)) return null;
  return { since, until, madeBy, id };
}

function parts(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isXid(text: string): boolean {
  return XID.test(text) && BigInt(text) <= MAX_XID;
}

/** Compares with the form `xmin:xmax:xip,xip…` and the rules of `pg_snapshot_in`: ascending, from xmin to before xmax. */
function isSnapshot(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const [first = '', next = '', list, ...rest] = value.split(':');
  if (list === undefined || rest.length > 0) return false;
  const running = list === '' ? [] : list.split(',');
  if (![first, next, ...running].every(isXid)) return false;
  const [xmin, xmax, ...xip] = [first, next, ...running].map(BigInt);
  if (xmin === undefined || xmax === undefined || xmin === 0n || xmax < xmin) return false;
  return xip.every((xid, index) => xid >= (xip[index - 1] ?? xmin) && xid < xmax);
}
