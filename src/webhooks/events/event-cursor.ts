/**
 * Position of a test-event client. Transactions commit in another order than they begin in, so no single number can say
 * which events a client has seen. A `pg_snapshot` can: it names the transactions that had ended.
 */
export interface EventCursor {
  /** The client has the events of all transactions that are visible in this `pg_snapshot`. */
  since: string;
  /** Snapshot of the first page, while more pages follow; else null. Later pages have its events only. */
  until: string | null;
  /** Last event of the page before, in the order of transaction and id; `'0'` and `''` before the first page. */
  madeBy: string;
  id: string;
}

const MAX_XID = 2n ** 64n - 1n;

/** A transaction id, or the difference of two, in base 36. */
const NUMBER = /^(0|[1-9a-z][0-9a-z]{0,12})$/;

/**
 * Returns `since.until.madeBy.id`. It names every transaction that was running in the server, so it has the differences
 * between neighbors, to stay below the limits of URLs.
 */
export function writeCursor({ since, until, madeBy, id }: EventCursor): string {
  return [writeSnapshot(since), until === null ? '' : writeSnapshot(until), BigInt(madeBy).toString(36), id].join('.');
}

/** Returns the cursor of the text; null for any other text, and for values that PostgreSQL refuses. */
export function readCursor(text: string): EventCursor | null {
  const parts = text.split('.');
  const [first = '', second = '', third = '', id = ''] = parts;
  if (parts.length !== 4 || !/^(evt_[0-9a-z]{26})?$/.test(id)) return null;
  const since = readSnapshot(first);
  const until = second === '' ? null : readSnapshot(second);
  const madeBy = readNumber(third);
  if (since === null || madeBy === null || (until === null && second !== '')) return null;
  return { since, until, madeBy: madeBy.toString(), id };
}

/** Writes `xmin:xmax:xip,xip…` as xmin, then the differences of xmax and of each running transaction to the one before. */
function writeSnapshot(snapshot: string): string {
  const [xmin, xmax, ...running] = snapshot.split(/[:,]/).filter(Boolean).map(BigInt);
  if (xmin === undefined || xmax === undefined) throw new Error('a pg_snapshot has no xmin or xmax');
  const differences = running.map((xid, index) => xid - (running[index - 1] ?? xmin));
  return [xmin, xmax - xmin, ...differences].map((number) => number.toString(36)).join('-');
}

/** Reads it by the rules of `pg_snapshot_in`: from xmin to before xmax. */
function readSnapshot(text: string): string | null {
  const numbers = text.split('-').map(readNumber);
  const [xmin, span, ...differences] = numbers.filter((number) => number !== null);
  if (numbers.includes(null) || xmin === undefined || span === undefined) return null;
  const xmax = xmin + span;
  if (xmin === 0n || xmax > MAX_XID) return null;
  let xid = xmin;
  const running = differences.map((difference) => {
    xid += difference;
    return xid;
  });
  if (running.length > 0 && xid >= xmax) return null;
  return `${xmin}:${xmax}:${running.join(',')}`;
}

/** Returns the number; null for other text, and for more than 64 bits. */
function readNumber(text: string): bigint | null {
  if (!NUMBER.test(text)) return null;
  const number = [...text].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
  return number <= MAX_XID ? number : null;
}
