import { observe, report } from '../../base/diagnostics.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { withinBudget } from '../../base/time/time-budget.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { sql } from '../../database/query/sql.ts';
import { Practice } from '../../practices/practice.entity.ts';
import type { Account, NotificationSubject, Processor } from '../../processors/processor.ts';
import { AttemptNotFound, change } from '../store/change.ts';
import { syncAccount } from './account.ts';
import { syncDispute, syncPayment } from './reconcile.ts';
import { RECONCILE_BUDGET } from './reconcile-batch.ts';

/** Wake-up job of a notification. */
export const NOTIFICATION_TASK = 'processor_notification';

/** Key of a notification: the processor's name and the id that it gave the notification. */
export interface NotificationKey {
  processor: string;
  id: string;
}

/** A notification that this process handles. `tries` counts this try. */
interface ClaimedNotification {
  accountId: string;
  subject: NotificationSubject;
  tries: number;
  receivedAt: string;
}

/** Time for which no other worker takes a claimed notification. */
const CLAIM_SECONDS = 120;

/** Wait before the second try. It doubles after each try. */
const FIRST_WAIT_SECONDS = 5;

/** Longest wait between two tries. */
const LONGEST_WAIT_SECONDS = 3600;

/** Age at which a failing notification is dropped: processors themselves send for three days. */
const MAX_AGE_MS = 3 * 86_400_000;

/** Tries before a notification is dropped: there may have been no worker for days. */
const MIN_TRIES = 10;

/** Notifications per run of `handle_due_notifications`. */
const BATCH_NOTIFICATIONS = 50;

/**
 * Handles a notification of an account that no practice of this cell has. Returns true if another cell took it. Otherwise it is
 * recorded here.
 */
export type OnUnknownAccount = () => Promise<boolean>;

/**
 * Verifies a message, records it once, and queues its wake-up job. The job asks for its subject later.
 *
 * @param onUnknownAccount without it, notifications of unknown accounts are recorded. If it throws, nothing is recorded and the
 *   error is passed on
 * @returns false if the message is not from the processor
 */
export async function receiveNotification(
  scope: Scope,
  processor: Processor,
  raw: Buffer,
  headers: NodeJS.Dict<string | string[]>,
  onUnknownAccount?: OnUnknownAccount,
): Promise<boolean> {
  const notification = await processor.verifyNotification(raw, headers);
  if (notification === null) return false;
  const { id, accountId, subject } = notification;
  if (subject.kind === 'ignored' || accountId === null) return true;
  const isUnknown = onUnknownAccount !== undefined && !(await isOurs(scope, processor, accountId));
  if (isUnknown && (await onUnknownAccount())) return true;
  await sql(
    scope.em,
    `with stored as (
       insert into processor_notifications (processor, id, account_id, subject, received_at, due_at)
       values ($1, $2, $3, $4, $5, $5) on conflict do nothing returning processor, id
     )
     select graphile_worker.add_job('${NOTIFICATION_TASK}', json_build_object('processor', processor, 'id', id),
       max_attempts := 1) from stored`,
    [processor.name, id, accountId, JSON.stringify(subject), scope.clock.now()],
  );
  return true;
}

/**
 * Processes a notification, unless it is done or claimed by another process: asks the processor for its subject and
 * applies the answer. A failure is tried again after a growing wait. Never throws for faults of others.
 *
 * @returns `locked` if a needed row of the practice is locked
 */
export async function handleNotification(
  scope: Scope,
  processor: Processor,
  key: NotificationKey,
): Promise<'locked' | 'done'> {
  const [claimed] = await sql<ClaimedNotification>(
    scope.em,
    `update processor_notifications set tries = tries + 1, due_at = $3::timestamptz + make_interval(secs => $4)
     where (processor, id) in (select processor, id from processor_notifications
       where processor = $1 and id = $2 and due_at <= $3 for no key update skip locked)
     returning account_id as "accountId", subject, tries, received_at as "receivedAt"`,
    [key.processor, key.id, scope.clock.now(), CLAIM_SECONDS],
  );
  if (claimed === undefined || key.processor !== processor.name) return 'done';
  return observe(
    () => ({ kind: 'notification', processor: processor.name, subject: claimed.subject.kind }),
    () => processClaimed(scope, processor, key, claimed),
  );
}

async function processClaimed(
  scope: Scope,
  processor: Processor,
  key: NotificationKey,
  claimed: ClaimedNotification,
): Promise<'locked' | 'done'> {
  const fields = { notificationId: key.id, kind: claimed.subject.kind, tries: claimed.tries };
  try {
    const account = { id: claimed.accountId };
    await withinBudget(RECONCILE_BUDGET, () => processSubject(scope, processor, account, claimed.subject));
    await setDueAt(scope, key, null);
    report('notification', () => ({ outcome: 'done' }));
    return 'done';
  } catch (err) {
    report('notification', () => ({ outcome: 'failed' }));
    const now = scope.clock.now();
    const ageMs = now.getTime() - new Date(claimed.receivedAt).getTime();
    const isDropped = ageMs > MAX_AGE_MS && claimed.tries >= MIN_TRIES;
    const seconds = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.min(20, claimed.tries - 1));
    await setDueAt(scope, key, isDropped ? null : new Date(now.getTime() + seconds * 1000));
    if (isDropped) scope.log.error({ ...fields, err }, 'processor notification dropped after its last try');
    else if (err instanceof AttemptNotFound)
      scope.log.info(fields, 'processor notification waits for its payment attempt');
    else scope.log.warn({ ...fields, err }, 'processor notification failed; it is tried again');
    return isLockTimeout(err) ? 'locked' : 'done';
  }
}

/**
 * Processes due notifications once: those that failed before, or lost their job. If one meets a lock, the
 * rest of its account is left to a later run, because each would wait for the lock.
 *
 * @param shouldContinue called before each notification; false ends the run
 */
export async function handleDueNotifications(
  newScope: () => Scope,
  processor: Processor,
  shouldContinue: () => boolean = () => true,
): Promise<void> {
  const scope = newScope();
  const due = await sql<NotificationKey & { accountId: string }>(
    scope.em,
    `select processor, id, account_id as "accountId" from processor_notifications
     where due_at <= $1 and processor = $2 order by due_at limit $3`,
    [scope.clock.now(), processor.name, BATCH_NOTIFICATIONS],
  );
  const locked = new Set<string>();
  for (const { accountId, ...key } of due) {
    if (!shouldContinue()) return;
    if (locked.has(accountId)) continue;
    if ((await handleNotification(newScope(), processor, key)) === 'locked') locked.add(accountId);
  }
}

async function processSubject(
  scope: Scope,
  processor: Processor,
  account: Account,
  subject: NotificationSubject,
): Promise<unknown> {
  // The processor may not be asked about an account that is not connected to this service.
  if (!(await isOurs(scope, processor, account.id))) {
    scope.log.warn({ kind: subject.kind }, 'processor notification of an unknown account dropped');
    return;
  }
  switch (subject.kind) {
    case 'payment':
      return syncPayment(scope, { processor, change }, account, subject.reference);
    case 'account':
      return syncAccount(scope, processor, account);
    case 'dispute':
      return syncDispute(scope, { processor, change }, account, subject.reference);
    case 'ignored':
      return;
    default:
      subject satisfies never;
      throw new Error('a processor notification has an unknown kind');
  }
}

async function isOurs(scope: Scope, processor: Processor, accountId: string): Promise<boolean> {
  // Without onboarding, as in the sandbox, each practice has an account; the id does not matter here.
  if (processor.accounts.implied('') !== null) return true;
  return (await fresh(scope).em.count(Practice, { processorAccountId: accountId })) > 0;
}

async function setDueAt(scope: Scope, { processor, id }: NotificationKey, dueAt: Date | null): Promise<void> {
  await sql(scope.em, 'update processor_notifications set due_at = $3 where processor = $1 and id = $2', [
    processor,
    id,
    dueAt,
  ]);
}
