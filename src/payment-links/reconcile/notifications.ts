import { fresh, type Scope } from '../../base/scope.ts';
import { withinBudget } from '../../base/time/time-budget.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { sql } from '../../database/query/sql.ts';
import { knowsAccount } from '../../practices/accounts.ts';
import type { Account, NotificationSubject, Processor } from '../../processors/processor.ts';
import { syncDispute } from '../dispute/read-dispute.ts';
import { AttemptNotFound } from '../payment/locked-attempt.ts';
import { syncAccount } from './account.ts';
import { RECONCILE_BUDGET, syncPayment } from './reconcile.ts';

/** The job that rings for a notification. */
export const NOTIFICATION_TASK = 'processor_notification';

/** Which notification a job, or the sweep, is about. */
export interface NotificationKey {
  processor: string;
  id: string;
}

/** How long a notification is left to who took it up; the wait before the second try, doubled from try to try. */
const CLAIM_SECONDS = 120;
const FIRST_WAIT_SECONDS = 5;
const LONGEST_WAIT_SECONDS = 3600;
/** Processors themselves send for three days; what can't be made sense of by then never will be. */
const MAX_AGE_MS = 3 * 86_400_000;
/** Nor is anything given up before so many tries: they may have been days without a worker. */
const MIN_TRIES = 10;
/** Notifications taken up per turn of the sweep. */
const BATCH = 50;

/**
 * Takes a message in: verified, on record once, a job rung for it. What it is about is found out later.
 *
 * @returns false when it is not from the processor
 */
export async function receiveNotification(
  scope: Scope,
  processor: Processor,
  raw: Buffer,
  headers: NodeJS.Dict<string | string[]>,
): Promise<boolean> {
  const notification = await processor.verifyNotification(raw, headers);
  if (notification === null) return false;
  const { id, accountId, subject } = notification;
  if (subject.kind === 'ignored' || accountId === null) return true;
  await sql(
    scope.em,
    `with taken as (
       insert into processor_notifications (processor, id, account_id, subject, received_at, due_at)
       values ($1, $2, $3, $4, $5, $5) on conflict do nothing returning processor, id
     )
     select graphile_worker.add_job('${NOTIFICATION_TASK}', json_build_object('processor', processor, 'id', id),
       max_attempts := 1) from taken`,
    [processor.name, id, accountId, JSON.stringify(subject), scope.clock.now()],
  );
  return true;
}

/**
 * Takes a notification up, unless it was handled or somebody else has it: asks the processor for what it is about, and
 * merges. What fails is tried again, later and later. Never throws for what others do wrong.
 *
 * @returns `locked` when somebody has locked what is needed of the practice
 */
export async function handleNotification(
  scope: Scope,
  processor: Processor,
  key: NotificationKey,
): Promise<'locked' | 'done'> {
  const now = scope.clock.now();
  const [taken] = await sql<{ accountId: string; subject: NotificationSubject; tries: number; receivedAt: string }>(
    scope.em,
    `update processor_notifications set tries = tries + 1, due_at = $3::timestamptz + make_interval(secs => $4)
     where (processor, id) in (select processor, id from processor_notifications
       where processor = $1 and id = $2 and due_at <= $3 for no key update skip locked)
     returning account_id as "accountId", subject, tries, received_at as "receivedAt"`,
    [key.processor, key.id, now, CLAIM_SECONDS],
  );
  if (taken === undefined || key.processor !== processor.name) return 'done';
  const fields = { notificationId: key.id, kind: taken.subject.kind, tries: taken.tries };
  try {
    const account = { id: taken.accountId };
    await withinBudget(RECONCILE_BUDGET, () => processSubject(scope, processor, account, taken.subject));
    await setDueAt(scope, key, null);
    return 'done';
  } catch (err) {
    const ageMs = now.getTime() - new Date(taken.receivedAt).getTime();
    const isHopeless = ageMs > MAX_AGE_MS && taken.tries >= MIN_TRIES;
    const seconds = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.min(20, taken.tries - 1));
    await setDueAt(scope, key, isHopeless ? null : new Date(now.getTime() + seconds * 1000));
    if (isHopeless) scope.log.error({ ...fields, err }, 'processor notification given up');
    else if (err instanceof AttemptNotFound) scope.log.info(fields, 'processor notification waits for its row');
    else scope.log.warn({ ...fields, err }, 'processor notification failed; it is tried again');
    return isLockTimeout(err) ? 'locked' : 'done';
  }
}

/**
 * One turn of the sweep over notifications that are due: put off before, or their job was lost. If one meets a lock, the
 * rest of its account is left to a later turn: each would wait for it.
 *
 * @param goOn asked before each notification
 */
export async function handleDueNotifications(
  newScope: () => Scope,
  processor: Processor,
  goOn: () => boolean = () => true,
): Promise<void> {
  const scope = newScope();
  const due = await sql<NotificationKey & { accountId: string }>(
    scope.em,
    'select processor, id, account_id as "accountId" from processor_notifications where due_at <= $1 and processor = $2 order by due_at limit $3',
    [scope.clock.now(), processor.name, BATCH],
  );
  const locked = new Set<string>();
  for (const { accountId, ...key } of due) {
    if (!goOn()) return;
    if (locked.has(accountId)) continue;
    if ((await handleNotification(newScope(), processor, key)) === 'locked') locked.add(accountId);
  }
}

async function processSubject(scope: Scope, processor: Processor, account: Account, subject: NotificationSubject) {
  // Of a practice that is not (or no longer) ours, nothing may be asked either.
  const isImplied = processor.accounts.implied('') !== null;
  if (!isImplied && !(await knowsAccount(fresh(scope), account.id))) {
    scope.log.warn({ kind: subject.kind }, 'processor notification of an unknown account dropped');
    return;
  }
  if (subject.kind === 'payment') return syncPayment(scope, processor, account, subject.reference);
  if (subject.kind === 'account') await syncAccount(scope, processor, account);
  if (subject.kind === 'dispute') await syncDispute(scope, processor, account, subject.reference);
}

async function setDueAt(scope: Scope, { processor, id }: NotificationKey, dueAt: Date | null): Promise<void> {
  await sql(scope.em, 'update processor_notifications set due_at = $3 where processor = $1 and id = $2', [
    processor,
    id,
    dueAt,
  ]);
}
