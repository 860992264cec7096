import { observe, report } from '../../platform/base/diagnostics.ts';
import { logRepeated } from '../../platform/base/log/log-repeated.ts';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import { withinBudget } from '../../platform/base/time/time-budget.ts';
import { isLockTimeout } from '../../platform/database/query/errors.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { Practice } from '../../practices/practice.entity.ts';
import type { Account, NotificationSubject, Processor } from '../../processors/processor.ts';
import { AttemptNotFound } from '../store/change.ts';
import { syncAccount } from './account.ts';
import type { PaymentScope } from './apply.ts';
import { RECONCILE_BUDGET } from './reconcile.ts';
import { syncDispute, syncPayment } from './sync.ts';

export const NOTIFICATION_TASK = 'processor_notification';

interface ClaimedNotification {
  id: string;
  accountId: string;
  subject: NotificationSubject;
  /** This try included. */
  tries: number;
  receivedAt: string;
}

/** Time for which no other worker takes a claimed notification. */
const CLAIM_SECONDS = 120;

/** Wait before the second try. It doubles after each try. */
const FIRST_WAIT_SECONDS = 5;

const LONGEST_WAIT_SECONDS = 3600;

/** Age at which a failing notification is dropped: processors themselves send for three days. */
const MAX_AGE_MS = 3 * 86_400_000;

/** Tries before a notification is dropped: there may have been no worker for days. */
const MIN_TRIES = 10;

/** Verifies a message, records it once, and queues its wake-up job. Returns false if the message is not from the processor. */
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

/** Processes one due notification after the other. If one meets a lock, this run leaves the rest of its account to a later one. */
export async function handleDueNotifications(
  newScope: () => PaymentScope,
  shouldContinue: () => boolean = () => true,
): Promise<void> {
  const lockedAccountIds: string[] = [];
  while (shouldContinue()) {
    const scope = newScope();
    const notification = await claimDue(scope, lockedAccountIds);
    if (notification === null) return;
    await observe(
      () => ({ kind: 'notification', processor: scope.processor.name, subject: notification.subject.kind }),
      async () => {
        if ((await processClaimed(scope, notification)) === 'locked') lockedAccountIds.push(notification.accountId);
      },
    );
  }
}

/** Claims the notification that has been due longest, of no account in `except`; null if none is due. */
async function claimDue(
  { em, clock, processor }: PaymentScope,
  except: readonly string[],
): Promise<ClaimedNotification | null> {
  const [notification] = await sql<ClaimedNotification>(
    em,
    `update processor_notifications set tries = tries + 1, due_at = $2::timestamptz + make_interval(secs => $3)
     where processor = $1 and id = (select id from processor_notifications
       where due_at <= $2 and processor = $1 and account_id <> all ($4)
       order by due_at limit 1 for no key update skip locked)
     returning id, account_id as "accountId", subject, tries, received_at as "receivedAt"`,
    [processor.name, clock.now(), CLAIM_SECONDS, except],
  );
  return notification ?? null;
}

/** @returns `locked` if a needed row of the practice is locked */
async function processClaimed(
  scope: PaymentScope,
  { id, accountId, subject, tries, receivedAt }: ClaimedNotification,
): Promise<'locked' | 'done'> {
  const fields = { notificationId: id, kind: subject.kind, tries };
  const text = 'update processor_notifications set due_at = $3 where processor = $1 and id = $2';
  const setDueAt = (dueAt: Date | null) => sql(scope.em, text, [scope.processor.name, id, dueAt]);
  try {
    await withinBudget(RECONCILE_BUDGET, () => processSubject(scope, { id: accountId }, subject));
    await setDueAt(null);
    report('notification', () => ({ outcome: 'done' }));
    return 'done';
  } catch (err) {
    report('notification', () => ({ outcome: 'failed' }));
    const now = scope.clock.now();
    const ageMs = now.getTime() - new Date(receivedAt).getTime();
    const isDropped = ageMs > MAX_AGE_MS && tries >= MIN_TRIES;
    const seconds = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.min(20, tries - 1));
    await setDueAt(isDropped ? null : new Date(now.getTime() + seconds * 1000));
    if (isDropped) scope.log.error({ ...fields, err }, 'processor notification dropped after its last try');
    else if (err instanceof AttemptNotFound)
      scope.log.info(fields, 'processor notification waits for its payment attempt');
    else scope.log.warn({ ...fields, err }, 'processor notification failed; it is tried again');
    return isLockTimeout(err) ? 'locked' : 'done';
  }
}

async function processSubject(scope: PaymentScope, account: Account, subject: NotificationSubject): Promise<unknown> {
  // The processor may not be asked about an account that is not connected to this service.
  if (!(await isOurs(scope, account.id))) {
    scope.log.warn({ kind: subject.kind }, 'processor notification of an unknown account dropped');
    return;
  }
  switch (subject.kind) {
    case 'payment':
      return syncPayment(scope, account, subject.reference);
    case 'account':
      return syncAccount(scope, scope.processor, account);
    case 'dispute':
      return syncDispute(scope, account, subject.reference);
    case 'ignored':
      return;
    default:
      subject satisfies never;
      throw new Error('a processor notification has an unknown kind');
  }
}

async function isOurs(scope: PaymentScope, accountId: string): Promise<boolean> {
  // Without onboarding, as in the sandbox, each practice has an account; the id does not matter here.
  if (scope.processor.accounts.implied('') !== null) return true;
  return (await fresh(scope).em.count(Practice, { processorAccountId: accountId })) > 0;
}

/** Processes notifications outside the job queue, so that a slow processor does not occupy it. */
export type Inbox = ReturnType<typeof createInbox>;

/** Concurrent notifications, each with a call to the processor. */
const CONCURRENCY = 8;

/** Creates the inbox of one worker process. The rows are the truth: `handle_due_notifications` processes what the inbox loses. */
export function createInbox(newScope: () => PaymentScope, concurrency = CONCURRENCY) {
  const runs = new Set<Promise<void>>();
  let isStopping = false;
  const idle = async () => {
    while (runs.size > 0) await Promise.all(runs);
  };
  return {
    /** Begins to process due notifications, unless as many runs as allowed do so already. Never throws; failures are logged. */
    wakeUp(): void {
      if (isStopping || runs.size >= concurrency) return;
      const run = handleDueNotifications(newScope, () => !isStopping)
        .catch((err: unknown) => {
          const message = 'processor notifications could not be processed; a recurring job tries again';
          logRepeated(newScope().log, 'warn', { err }, message);
        })
        .finally(() => runs.delete(run));
      runs.add(run);
    },
    /** Resolves when no run is left. */
    idle,
    /** Starts no further notification, and resolves when the running ones have ended. */
    stop(): Promise<void> {
      isStopping = true;
      return idle();
    },
  };
}
