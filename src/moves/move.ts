import type { Client } from 'pg';
import { newId } from '../base/ids.ts';
import { connect, inMove, mayMakeTemporaryTables, switchTriggersOff, switchTriggersOn } from './connection.ts';
import type { CopiedTable } from './copy.ts';
import { setGuards } from './guard.ts';
import { copyJobs, deleteJobs } from './jobs.ts';
import {
  findOpenMove,
  identityOf,
  lockMovesOfBoth,
  MoveRefused,
  requireMovable,
  targetOutcome,
} from './preconditions.ts';
import { copyNotifications } from './shared-rows.ts';
import { drain, freeze, mark } from './stop.ts';
import { deleteTotals } from './tables.ts';
import { type FirstCopy, makeFirstCopy, makeSecondCopy } from './two-copies.ts';

/*
 * Moves practices from one cell to another. A cell is a complete installation with a database of its own. A practice is
 * active in exactly one cell at any time; one transaction of the target decides which (docs/decisions/0051-moving-a-practice.md).
 *
 *   begun             the source knows the move, and the practices work as before
 *   first copy made   the transaction of the target has the rows of a first snapshot, and they equal those of the source
 *   marked            no delivery and no payment starts any more
 *   guarded           no write of the practices can pass the move unseen
 *   drained           deliveries and payments under way have ended
 *   frozen            nothing of the practices is written; requests are answered 503
 *   second copy made  the transaction of the target has the differences, and equals the source
 *   arrived           the target has committed: the practices are active there
 *   handed over       the source knows it, and refuses reads as well
 *
 * Each step can be repeated. Before `arrived`, a move can be cancelled.
 */

/** A step of a move that has been done. */
export type MoveStep =
  | 'begun'
  | 'first copy made'
  | 'marked'
  | 'guarded'
  | 'drained'
  | 'frozen'
  | 'second copy made'
  | 'arrived'
  | 'handed over';

/** Practices and the cells between which they move. They move together, such as all practices of a slot. */
export interface MoveOptions {
  sourceUrl: string;
  targetUrl: string;
  practiceIds: readonly string[];
  /** Called after each step. An error that it throws ends the move. */
  onStep?: (step: MoveStep) => void | Promise<void>;
}

/** Result of a move. */
export interface Moved {
  id: string;
  practiceIds: readonly string[];
  /** Milliseconds of the first copy, while the practices worked. */
  firstCopyMs: number;
  /** Milliseconds during which no delivery and no payment started, but requests were served. */
  drainingMs: number;
  /** Milliseconds during which writes were refused. */
  frozenMs: number;
  /** Rows by table; empty if an earlier run of the command had copied them. */
  tables: readonly CopiedTable[];
}

/**
 * Moves practices, or finishes their interrupted move. If the move fails before the target has committed, it is cancelled,
 * and the source goes on. Afterwards the source keeps the rows, and refuses their use, until `deleteMoved`.
 *
 * @throws MoveRefused, CopyDiffers
 */
export function movePractices(options: MoveOptions): Promise<Moved> {
  const practiceIds = [...new Set(options.practiceIds)].toSorted();
  return onBoth(options, async (source, target) => {
    const open = await unlessCancelled(source, target, practiceIds);
    if (open === null) await requireMovable(source, target, practiceIds);
    const move = { id: open?.id ?? newId('practiceMove', new Date()), practiceIds, onStep: options.onStep };
    try {
      return await run(source, target, move);
    } catch (error) {
      await cancel(source, target, move).catch((failure: unknown) => {
        if (failure instanceof MoveRefused) throw failure;
        throw new MoveRefused(
          'The move failed, and could not be cancelled.',
          'The practices may refuse writes until the same command is run again: it finishes the move.',
          { cause: error },
        );
      });
      throw error;
    }
  });
}

/** Returns the open move of the practices; null if there is none. Ends one whose cancellation only the target knows. */
async function unlessCancelled(source: Client, target: Client, practiceIds: readonly string[]) {
  const open = await findOpenMove(source, target, practiceIds);
  if (open === null || (await targetOutcome(target, open.id)) !== 'cancelled') return open;
  await cancel(source, target, { id: open.id, practiceIds });
  return null;
}

/**
 * Cancels an interrupted move. The practices are active in the source again.
 *
 * @throws MoveRefused if there is no open move of the practices, or if they have arrived in the target
 */
export function cancelMove(options: MoveOptions): Promise<void> {
  const practiceIds = [...new Set(options.practiceIds)].toSorted();
  return onBoth(options, async (source, target) => {
    const open = await findOpenMove(source, target, practiceIds);
    if (open === null) throw new MoveRefused('No move of these practices is open.', 'There is nothing to cancel.');
    await cancel(source, target, { id: open.id, practiceIds });
  });
}

async function onBoth<T>(
  { sourceUrl, targetUrl }: MoveOptions,
  work: (source: Client, target: Client) => Promise<T>,
): Promise<T> {
  const source = await connect(sourceUrl);
  try {
    const target = await connect(targetUrl);
    try {
      await lockMovesOfBoth(source, target);
      return await work(source, target);
    } finally {
      await target.end();
    }
  } finally {
    await source.end();
  }
}

interface Move extends Pick<MoveOptions, 'practiceIds' | 'onStep'> {
  id: string;
}

async function run(source: Client, target: Client, move: Move): Promise<Moved> {
  const { id, practiceIds, onStep = () => undefined } = move;
  await begin(source, move, await identityOf(target));
  await onStep('begun');
  /** Times at which these parts began; none if an earlier run had copied everything. */
  const began: { copyMs?: number; drainMs?: number; freezeMs?: number } = {};
  const tables = await inMove(target, async () => {
    if (!(await claim(target, move))) return [];
    began.copyMs = performance.now();
    const first = await copyBeforeFreeze(source, target, move);
    if (first !== null) await onStep('first copy made');
    began.drainMs = performance.now();
    await mark(source, practiceIds);
    await onStep('marked');
    await setGuards(source);
    await onStep('guarded');
    await drain(source, practiceIds);
    await onStep('drained');
    began.freezeMs = performance.now();
    await freeze(source, practiceIds);
    await onStep('frozen');
    const copied = await copyDuringFreeze(source, target, move, first);
    await onStep('second copy made');
    return copied;
  });
  const arrivesMs = performance.now();
  await onStep('arrived');
  await handOver(source, target, move);
  await onStep('handed over');
  const { copyMs = arrivesMs, drainMs = arrivesMs, freezeMs = arrivesMs } = began;
  return {
    ...{ id, practiceIds, tables, firstCopyMs: Math.round(drainMs - copyMs) },
    ...{ drainingMs: Math.round(freezeMs - drainMs), frozenMs: Math.round(arrivesMs - freezeMs) },
  };
}

async function begin(source: Client, { id, practiceIds }: Move, identity: string): Promise<void> {
  await inMove(source, () =>
    source.query(
      `insert into practice_moves (id, practice_id, side, state, target)
       select $1, unnest($2::text[]), 'source', 'moving', $3 on conflict do nothing`,
      [id, practiceIds, identity],
    ),
  );
}

/**
 * Inserts the row of the target that decides. It commits with the copy.
 *
 * @returns false if an earlier run has committed, and was interrupted before it heard of it
 * @throws MoveRefused if the move was cancelled
 */
async function claim(target: Client, { id, practiceIds }: Move): Promise<boolean> {
  const { rowCount } = await target.query(
    `insert into practice_moves (id, practice_id, side, state) select $1, unnest($2::text[]), 'target', 'arrived'
     on conflict do nothing`,
    [id, practiceIds],
  );
  if (rowCount === practiceIds.length) return true;
  if ((await targetOutcome(target, id)) === 'arrived') return false;
  throw new MoveRefused('The move was cancelled.', 'Run the command again for a new move.');
}

/**
 * A transaction that reads the source. The lock comes before the snapshot, which would see neither the survivors of a
 * partition that is replaced later, nor the partition itself.
 */
const READ_SNAPSHOT = `isolation level repeatable read read only; lock table webhook_deliveries, webhook_attempts in access share mode`;

/**
 * Makes the first copy, while the practices work. Only this transaction can complete the move since `claim`. So practices
 * that an interrupted run has frozen work again until the freeze.
 *
 * @returns null if the role may not switch triggers off or make temporary tables; then everything is copied during the freeze
 */
async function copyBeforeFreeze(source: Client, target: Client, { practiceIds }: Move): Promise<FirstCopy | null> {
  if (!(await switchTriggersOff(target)) || !(await mayMakeTemporaryTables(target))) return null;
  await inMove(source, () =>
    source.query(
      "update practices set move_state = null where id = any ($1) and move_state in ('draining', 'frozen')",
      [practiceIds],
    ),
  );
  return inMove(source, () => makeFirstCopy({ source, target, practiceIds }), READ_SNAPSHOT);
}

/** Makes the second copy, and copies what is not a row of a practice's table. */
function copyDuringFreeze(source: Client, target: Client, { id, practiceIds }: Move, first: FirstCopy | null) {
  return inMove(
    source,
    async (): Promise<CopiedTable[]> => {
      const copied = await makeSecondCopy({ source, target, practiceIds }, id, first);
      await switchTriggersOn(target);
      await countTotalsAnew(target, practiceIds);
      await copyJobs(source, target, practiceIds);
      return copied;
    },
    READ_SNAPSHOT,
  );
}

/** Leaves the totals of payments to a worker of the target. Its triggers may have appended changes, if they ran during the copy. */
async function countTotalsAnew(target: Client, practiceIds: readonly string[]): Promise<void> {
  await deleteTotals(target, practiceIds);
  await target.query('insert into uncounted_payment_totals select unnest($1::text[])', [practiceIds]);
}

async function handOver(source: Client, target: Client, { id, practiceIds }: Move): Promise<void> {
  await inMove(source, async () => {
    await source.query(`update practices set move_state = 'moved' where id = any ($1)`, [practiceIds]);
    await source.query(`update practice_moves set state = 'moved', changed_at = clock_timestamp() where id = $1`, [id]);
    await deleteJobs(source, practiceIds);
  });
  // A notification may have been received while the practice was copied.
  await copyNotifications(source, target, practiceIds);
}

/** Cancels a move unless it has arrived. The row in the target keeps a copy that still runs from committing. */
async function cancel(source: Client, target: Client, { id, practiceIds }: Move): Promise<void> {
  await target.query(
    `insert into practice_moves (id, practice_id, side, state) select $1, unnest($2::text[]), 'target', 'cancelled'
     on conflict do nothing`,
    [id, practiceIds],
  );
  if ((await targetOutcome(target, id)) === 'arrived') {
    throw new MoveRefused(
      'The practices have arrived in the target and are active there.',
      'Run `paylinks practices move` again: it finishes the move.',
    );
  }
  await inMove(source, async () => {
    await source.query('update practices set move_state = null where id = any ($1)', [practiceIds]);
    await source.query(
      `update practice_moves set state = 'cancelled', changed_at = clock_timestamp() where id = $1 and state = 'moving'`,
      [id],
    );
  });
  await setGuards(source);
}
