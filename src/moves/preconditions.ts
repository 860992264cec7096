import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { FIRST_SLOT } from '../base/slot.ts';
import { unfilledTables } from '../database/practice-columns.ts';
import { readTenantTables } from './tables.ts';

/** Thrown if a move cannot begin or go on. The hint names the next step. */
export class MoveRefused extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MoveRefused';
    this.hint = hint;
  }
}

/** Length of tokens of earlier releases. Those with a slot are longer. */
const OLD_TOKEN_LENGTH = 32;

/**
 * The advisory lock of moves, exclusive in the source and shared in the target. So moves from several cells may have one target.
 * A move out of a target would wait for the copy into it: guards need the tables. It ends with the session.
 */
const MOVE_LOCK = 8_042_579;

/** Longest wait for that lock. The server needs a moment to notice that the process of a move was killed. */
const LOCK_WAIT_MS = 10_000;
const LOCK_PAUSE_MS = 100;

/** Takes the lock of moves from this cell. @throws MoveRefused */
export function lockMoves(source: Client): Promise<void> {
  return tryLock(source, 'pg_try_advisory_lock', 'Another move from this cell or to it is running.');
}

/**
 * Takes the locks of a move, in the same order in both directions. So opposite moves do not refuse each other.
 *
 * @throws MoveRefused
 */
export async function lockMovesOfBoth(source: Client, target: Client): Promise<void> {
  const [from, to] = [await identityOf(source), await identityOf(target)];
  const lockTarget = () => tryLock(target, 'pg_try_advisory_lock_shared', 'Another move out of the target is running.');
  if (to < from) await lockTarget();
  await lockMoves(source);
  if (to > from) await lockTarget();
}

async function tryLock(cell: Client, lock: string, message: string): Promise<void> {
  const endsMs = performance.now() + LOCK_WAIT_MS;
  do {
    const { rows } = await cell.query<{ locked: boolean }>(`select ${lock}($1) as locked`, [MOVE_LOCK]);
    if (rows[0]?.locked === true) return;
    await pause(LOCK_PAUSE_MS);
  } while (performance.now() < endsMs);
  throw new MoveRefused(message, 'Wait until it has ended, and run the command again.');
}

/**
 * Returns the open move of exactly these practices; null if none of them is moving.
 *
 * @throws MoveRefused if they are not those that began to move together, or if they move to another cell
 */
export async function findOpenMove(
  source: Client,
  target: Client,
  practiceIds: readonly string[],
): Promise<{ id: string } | null> {
  const { rows } = await source.query<{ id: string; target: string; practice_ids: string[] }>(
    `select id, max(target) as target, array_agg(practice_id order by practice_id collate "C") as practice_ids from practice_moves
     where side = 'source' and id in (select id from practice_moves
       where side = 'source' and state in ('moving', 'moved') and practice_id = any ($1))
     group by id`,
    [practiceIds],
  );
  const [first, ...others] = rows;
  if (first === undefined) return null;
  if (first.target !== (await identityOf(target))) {
    throw new MoveRefused('The interrupted move goes to another database.', 'Name the database of that cell.');
  }
  if (others.length === 0 && first.practice_ids.join() === practiceIds.join()) return { id: first.id };
  throw new MoveRefused(
    `Other practices move together with these: ${rows.flatMap((row) => row.practice_ids).join(', ')}.`,
    'Name exactly these.',
  );
}

/** Returns the identity of a cell's database: that of its cluster, which a failover keeps, and its number there. */
export async function identityOf(cell: Client): Promise<string> {
  const { rows } = await cell.query<{ identity: string }>(
    `select system_identifier || '/' || (select oid from pg_database where datname = current_database()) as identity
     from pg_control_system()`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a database has an identity');
  return row.identity;
}

/** Returns the outcome of a move that the target has committed; null if there is none. */
export async function targetOutcome(target: Client, moveId: string): Promise<'arrived' | 'cancelled' | null> {
  const { rows } = await target.query<{ state: 'arrived' | 'cancelled' }>(
    `select distinct state from practice_moves where id = $1 and side = 'target'`,
    [moveId],
  );
  return rows[0]?.state ?? null;
}

/**
 * Requires that the practices exist in the source and not in the target, and that both cells have the same schema.
 *
 * @throws MoveRefused
 */
export async function requireMovable(source: Client, target: Client, practiceIds: readonly string[]): Promise<void> {
  const found = 'select id from practices where id = any ($1) and move_state is null';
  const missing = new Set(practiceIds);
  for (const { id } of (await source.query<{ id: string }>(found, [practiceIds])).rows) missing.delete(id);
  if (missing.size > 0) {
    throw new MoveRefused(`The source has no practice ${[...missing].join(', ')}.`, 'See `paylinks practices list`.');
  }
  const present = await target.query<{ id: string }>('select id from practices where id = any ($1)', [practiceIds]);
  if (present.rows.length > 0) {
    throw new MoveRefused(
      `The target already has ${present.rows.map(({ id }) => id).join(', ')}.`,
      'If the practice has left that cell before, run `paylinks practices delete-moved` there.',
    );
  }
  await requireSlots(source, practiceIds);
  for (const cell of [source, target]) {
    const unfilled = await unfilledTables(cell);
    if (unfilled.length === 0) continue;
    throw new MoveRefused(
      `${unfilled.join(', ')} has rows without a practice.`,
      'Run `paylinks migrate` in both cells.',
    );
  }
  await requireSameSchema(source, target);
}

/** Requires that both cells have the same tables, columns and migrations. @throws MoveRefused */
export async function requireSameSchema(source: Client, target: Client): Promise<void> {
  if ((await schemaOf(source)) === (await schemaOf(target))) return;
  throw new MoveRefused('The cells have different schemas.', 'Run `paylinks migrate` in both cells.');
}

/**
 * Requires that the edge finds the practices in another cell. It sends keys and pages without a slot to the first one
 * (docs/decisions/0050-cells.md).
 *
 * @throws MoveRefused
 */
export async function requireSlots(source: Client, practiceIds: readonly string[]): Promise<void> {
  const refuse = (ids: readonly string[], message: string, hint: string) => {
    if (ids.length > 0) throw new MoveRefused(`${[...new Set(ids)].join(', ')} ${message}`, hint);
  };
  const first = await source.query<{ id: string }>(
    `select id from practices where id = any ($1) and slot = ${FIRST_SLOT} order by id`,
    [practiceIds],
  );
  refuse(
    first.rows.map(({ id }) => id),
    'is older than slots, and the edge sends it to the first cell.',
    'It cannot be moved. Move younger practices.',
  );
  const others = await source.query<{ id: string }>(
    `select id from practices
     where slot in (select slot from practices where id = any ($1)) and id <> all ($1)
       and move_state is distinct from 'moved' order by id`,
    [practiceIds],
  );
  refuse(
    others.rows.map(({ id }) => id),
    'has the slot of a practice that moves, and the map gives a whole slot to one cell.',
    'Name all practices of the slot.',
  );
  const keys = await source.query<{ practice_id: string; id: string }>(
    `select practice_id, id from api_keys
     where practice_id = any ($1) and revoked_at is null and not carries_slot order by practice_id, id`,
    [practiceIds],
  );
  refuse(
    keys.rows.map(({ practice_id }) => practice_id),
    'has API keys without a slot, which the edge sends to the first cell.',
    `Issue new keys, and revoke ${keys.rows.map(({ id }) => id).join(', ')}.`,
  );
  const links = await source.query<{ practice_id: string; id: string }>(
    `select practice_id, id from payment_links
     where practice_id = any ($1) and status = 'active' and length(token) = ${OLD_TOKEN_LENGTH} order by practice_id, id limit 20`,
    [practiceIds],
  );
  refuse(
    links.rows.map(({ practice_id }) => practice_id),
    'has open pages without a slot, which the edge sends to the first cell.',
    `Wait until they are paid or expire, or cancel them: ${links.rows.map(({ id }) => id).join(', ')}.`,
  );
}

async function schemaOf(client: Client): Promise<string> {
  const tables = await readTenantTables(client);
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  return JSON.stringify([tables.map(({ name, columns }) => [name, columns.toSorted()]), rows.map(({ name }) => name)]);
}
