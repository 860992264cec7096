import { sqlState } from '../base/sql-state.ts';
import { type Cells, type CopiedTable, copyTable, setLateReferences } from './copy.ts';
import { applyDifferences } from './differences.ts';
import { MoveRefused, requireSameSchema } from './preconditions.ts';
import { copyNotifications, copyPeople, markReaders, withPeople } from './shared-rows.ts';
import { isInFirstCopy, readTenantTables, type TenantTable } from './tables.ts';

/*
 * The two copies of a move, so that writes are refused only for the second one. The first copy has the rows of a first snapshot
 * of the source, and is made while the practices work. The second copy has what differs in a second snapshot, and is made while
 * they are frozen. Both are made in one transaction of the target.
 */

/**
 * Longest first copy. Its snapshot keeps vacuum in the source from removing dead rows of all practices, and the transaction does
 * so in the target.
 */
const LIMIT_MS = 3_600_000;

/** SQLSTATE of a statement that a timeout of the server has ended. */
const QUERY_CANCELED = '57014';

/** Most transactions between both snapshots: half of the numbers that rows can name. */
const MAX_TRANSACTIONS = 2n ** 31n;

/** Result of the first copy. */
export interface FirstCopy {
  /** Tables of the practices at the first snapshot. */
  tables: readonly TenantTable[];
  /** Number of the oldest transaction that ran at the first snapshot. All earlier ones had ended. */
  oldest: bigint;
  /** Numbers of copied rows by table. */
  rows: ReadonlyMap<string, number>;
}

/**
 * Copies the rows of the first snapshot, and compares them. Other transactions of the target do not wait for them: people, whose
 * mail addresses are unique, are left to the second copy.
 *
 * @param limitMs longest time; afterwards both servers end the statements
 * @throws CopyDiffers
 * @throws MoveRefused if it takes too long
 */
export async function makeFirstCopy(both: Cells, limitMs = LIMIT_MS): Promise<FirstCopy> {
  const endsMs = performance.now() + limitMs;
  const limit = async () => {
    const leftMs = Math.ceil(endsMs - performance.now());
    // 0 would be no limit.
    if (leftMs <= 0) throw tookTooLong(limitMs);
    await setLimit(both, leftMs);
  };
  const cells = { ...both, limit };
  const { source } = cells;
  try {
    await limit();
    const { oldest } = await snapshotOf(cells);
    const tables = await readTenantTables(source);
    const rows = new Map<string, number>();
    for (const table of tables.filter(isInFirstCopy)) rows.set(table.name, await copyTable(cells, table));
    for (const table of tables) await setLateReferences(cells, table);
    // The transaction of the target goes on. In the freeze, the limit would leave the practices frozen for nothing.
    await setLimit(both, 0);
    return { tables, oldest, rows };
  } catch (error) {
    throw sqlState(error) === QUERY_CANCELED && performance.now() >= endsMs ? tookTooLong(limitMs, error) : error;
  }
}

/** Limits the statements of both transactions, in milliseconds; 0 for no limit. */
async function setLimit({ source, target }: Cells, limitMs: number): Promise<void> {
  const statement = `set local statement_timeout = ${limitMs}`;
  await Promise.all([source.query(statement), target.query(statement)]);
}

function tookTooLong(limitMs: number, cause?: unknown): MoveRefused {
  return new MoveRefused(
    `The copy took longer than ${limitMs / 60_000} minutes. Vacuum could remove no dead rows during it, so the command ended it.`,
    'Run the command again when the databases have less to do. No write was refused.',
    { cause },
  );
}

/**
 * Copies what the first copy lacks, and compares it.
 *
 * @param first the first copy; null: there was none, and everything is copied
 * @throws CopyDiffers
 * @throws MoveRefused if the schema has changed since the first copy, or differs from that of the target
 */
export async function makeSecondCopy(cells: Cells, moveId: string, first: FirstCopy | null): Promise<CopiedTable[]> {
  const { source, target, practiceIds } = cells;
  const all = await readTenantTables(source);
  if (first !== null) await requireComparable(cells, first, all);
  // Also for a move that goes on after days.
  await requireSameSchema(source, target);
  const people = await copyPeople(cells);
  const tables = all.map((table) => withPeople(table, people));
  const writtenSince = first === null ? null : writtenAfter(first.oldest);
  const differences =
    first === null || writtenSince === null
      ? []
      : await applyDifferences(cells, tables, { people, writtenSince, rows: first.rows });
  /** Numbers of rows of the tables that are complete now. */
  const complete = new Map(differences.map(({ table, rows }) => [table, rows]));
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    copied.push({ table: table.name, rows: complete.get(table.name) ?? (await copyTable(cells, table)) });
  }
  for (const table of tables) {
    await setLateReferences(cells, table, complete.has(table.name) && writtenSince !== null ? writtenSince : 'true');
  }
  await markReaders(cells, moveId);
  await copyNotifications(source, target, practiceIds);
  return copied;
}

/**
 * Returns the condition of rows whose writing transaction had not ended at the first snapshot.
 *
 * `xmin` is that transaction or subtransaction; a subtransaction has a larger number. `age` handles the wraparound of numbers,
 * and returns its maximum for the permanent numbers 0 to 2. A frozen row keeps its number. If the number is too old to
 * compare, the row counts as changed, and is copied again.
 */
function writtenAfter(oldest: bigint): string {
  return `age(xmin) <= age('${oldest}'::xid8::xid)`;
}

/** Numbers of transactions of the snapshot: the oldest that runs, and the next one. */
async function snapshotOf({ source }: Pick<Cells, 'source'>): Promise<{ oldest: bigint; next: bigint }> {
  const { rows } = await source.query<{ oldest: string; next: string }>(
    `select pg_snapshot_xmin(s)::text as oldest, pg_snapshot_xmax(s)::text as next from pg_current_snapshot() as s`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a transaction has a snapshot');
  return { oldest: BigInt(row.oldest), next: BigInt(row.next) };
}

/** Requires that both copies have the same columns, and that numbers of transactions have not wrapped around. */
async function requireComparable(
  cells: Cells,
  { tables, oldest }: FirstCopy,
  now: readonly TenantTable[],
): Promise<void> {
  if (JSON.stringify(tables) !== JSON.stringify(now)) {
    throw new MoveRefused('The schema of the source changed during the copy.', 'Run `paylinks migrate` in both cells.');
  }
  const { next } = await snapshotOf(cells);
  if (next - oldest >= MAX_TRANSACTIONS) {
    throw new MoveRefused('The source had too many transactions during the copy.', 'Run the command again.');
  }
}
