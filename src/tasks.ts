import type { TaskList } from 'graphile-worker';
import type { Logger } from 'pino';
import { logRepeated } from './base/log/log-repeated.ts';
import { fresh, type Scope } from './base/scope.ts';
import { isLockTimeout } from './database/query/errors.ts';
import { foldListChanges } from './database/query/kept-counts.ts';
import { DELIVER_TASK } from './jobs/wake-up.ts';
import { purgeIdleWindows, purgeSealedReplies } from './keys/retention.ts';
import type { Mailer } from './mail/mailer.ts';
import { sendPaymentAdminMail } from './payment-links/admin-mail/mail.ts';
import { isPaymentAdminMail, PAYMENT_ADMIN_MAIL_TASK } from './payment-links/admin-mail/queue.ts';
import { expireDueLinks } from './payment-links/expire-links.ts';
import type { Inbox } from './payment-links/reconcile/inbox.ts';
import {
  handleDueNotifications,
  NOTIFICATION_TASK,
  type NotificationKey,
  receiveNotification,
} from './payment-links/reconcile/notifications.ts';
import { reconcileAttempts, reconcileTransactions } from './payment-links/reconcile/reconcile.ts';
import { clearAuthorisations, purgeDailyCounts, purgeNotifications, purgeReplies } from './payment-links/retention.ts';
import type { Processor } from './processors/processor.ts';
import { isSandbox } from './processors/sandbox.ts';
import { SANDBOX_NOTIFY_TASK, type SandboxMessage } from './processors/sandbox-ledger.ts';
import type { Deliverer } from './webhooks/delivery/deliverer.ts';
import { endpointsWithDueDeliveries } from './webhooks/delivery/sweep.ts';
import { ADMIN_MAIL_TASK, isAdminMail, sendAdminMail } from './webhooks/endpoints/admin-mail.ts';
import {
  forgetFormerSecrets,
  purgeDeadWakeUps,
  purgeDeletedEndpoints,
  purgeOldDeliveries,
} from './webhooks/events/retention.ts';

/** Period of the sweep that expires links. The event must be published within 15 seconds of `expiresAt`. */
const EXPIRY_SWEEP_MS = 5_000;

/** Period of the sweep for due deliveries without a wake-up job: after a crash, a lost job or a restored backup. */
const DELIVERY_SWEEP_MS = 5_000;

/** Period of the sweep that purges deleted endpoints. Their practice expects the data to disappear soon. */
const DELETION_SWEEP_MS = 10_000;

/** Period of the sweep that deletes data whose retention is over. With a minute, each iteration is small. */
const RETENTION_SWEEP_MS = 60_000;

/** Period of the sweeps that reconcile payments. Each payment has its own time of the next look. */
const PAYMENT_SWEEP_MS = 5_000;

/** Period of the sweep that folds changes into the kept counts. Lists add the changes that are not yet folded. */
const COUNT_SWEEP_MS = 5_000;

/** Period of the sweep that runs jobs other than wake-up jobs. A mail may wait for two seconds. */
const JOB_SWEEP_MS = 2_000;

/** The periodic work of every worker, independent of the job queue. */
export interface Sweeps {
  start(): void;
  /** Starts no further iteration; one that is under way ends after its present batch. */
  stop(): void;
  /** Resolves when no sweep is under way. */
  settled(): Promise<void>;
}

/** One sweep: its period, and the work of one iteration. Work in batches calls `goOn` before each batch. */
export interface Sweep {
  everyMs: number;
  run: (goOn: () => boolean) => Promise<unknown>;
}

/** Dependencies of the background work. */
export interface TaskDependencies {
  newScope: () => Scope;
  deliverer: Deliverer;
  inbox: Inbox;
  processor: Processor;
  mailer: Mailer;
  log: Logger;
}

/** Creates the wake-up jobs and the other jobs by their names, and the function that starts the sweeps. */
export function createTasks({ newScope, deliverer, inbox, processor, mailer, log }: TaskDependencies) {
  // Both resolve at once, so that a slow processor or receiver does not occupy a place of the queue. The sweeps below
  // find the work of lost jobs.
  const wakeUpJobs: TaskList = {
    [NOTIFICATION_TASK]: async (payload) => {
      if (isNotificationKey(payload)) inbox.wakeUp(payload);
    },
    [DELIVER_TASK]: async (payload) => {
      if (hasEndpointId(payload)) deliverer.wakeUp(payload.endpointId);
    },
  };
  const jobs: TaskList = {
    ...sandboxJobs(newScope, processor),
    [ADMIN_MAIL_TASK]: async (payload) => {
      if (isAdminMail(payload)) await sendAdminMail(newScope(), mailer, payload);
    },
    [PAYMENT_ADMIN_MAIL_TASK]: async (payload) => {
      if (isPaymentAdminMail(payload)) await sendPaymentAdminMail(newScope(), mailer, payload);
    },
  };
  const deliverySweep = async (goOn: () => boolean) => {
    for await (const endpointId of endpointsWithDueDeliveries(newScope)) {
      if (!goOn()) return;
      deliverer.wakeUp(endpointId);
    }
  };
  const startSweeps = (runJobs: () => Promise<unknown>) => {
    const sweeps = createSweeps(log, [
      { everyMs: JOB_SWEEP_MS, run: runJobs },
      { everyMs: EXPIRY_SWEEP_MS, run: () => expireDueLinks(newScope) },
      { everyMs: PAYMENT_SWEEP_MS, run: (goOn) => reconcileAttempts(newScope, processor, goOn) },
      { everyMs: PAYMENT_SWEEP_MS, run: (goOn) => reconcileTransactions(newScope, processor, goOn) },
      { everyMs: PAYMENT_SWEEP_MS, run: (goOn) => handleDueNotifications(newScope, processor, goOn) },
      { everyMs: DELIVERY_SWEEP_MS, run: deliverySweep },
      { everyMs: DELETION_SWEEP_MS, run: inBatches(newScope, [purgeDeletedEndpoints]) },
      { everyMs: COUNT_SWEEP_MS, run: inBatches(newScope, [foldListChanges]) },
      { everyMs: RETENTION_SWEEP_MS, run: retentionSweep(newScope) },
    ]);
    sweeps.start();
    return sweeps;
  };
  return { wakeUpJobs, jobs, startSweeps };
}

/** Returns the jobs by which the sandbox sends its notifications. */
function sandboxJobs(newScope: () => Scope, processor: Processor): TaskList {
  return {
    [SANDBOX_NOTIFY_TASK]: async (payload) => {
      if (!isSandbox(processor)) return;
      // Only the sandbox enqueues this job.
      const { raw, headers } = await processor.signed(payload as SandboxMessage);
      await receiveNotification(newScope(), processor, raw, headers);
    },
  };
}

/** Returns the sweep that deletes all data whose retention is over. */
export function retentionSweep(newScope: () => Scope): Sweep['run'] {
  return inBatches(newScope, [
    purgeOldDeliveries,
    forgetFormerSecrets,
    purgeDeadWakeUps,
    purgeReplies,
    purgeSealedReplies,
    purgeDailyCounts,
    purgeNotifications,
    clearAuthorisations,
    purgeIdleWindows,
  ]);
}

/**
 * Returns a sweep that runs the batches of each kind until nothing is left. If a kind meets a locked row, the sweep
 * continues with the other kinds.
 */
function inBatches(newScope: () => Scope, kinds: ((scope: Scope) => Promise<boolean>)[]): Sweep['run'] {
  return async (goOn) => {
    for (const runBatch of kinds) {
      const scope = newScope();
      try {
        while (goOn() && (await runBatch(fresh(scope))));
      } catch (err) {
        if (!isLockTimeout(err)) throw err;
        scope.log.info({ kind: runBatch.name }, 'a row of the batch is locked; the next sweep tries again');
      }
    }
  };
}

function createSweeps(log: Logger, sweeps: Sweep[]): Sweeps {
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const runOnce = async (run: Sweep['run']): Promise<void> => {
    try {
      await run(() => !isStopped);
    } catch (err) {
      logRepeated(log, 'error', { err }, 'sweep failed; it runs again after its period');
    }
  };
  return {
    start() {
      for (const { everyMs, run } of sweeps) {
        let busy = false;
        const tick = () => {
          // A sweep that takes longer than its period does not run twice at once.
          if (busy) return;
          busy = true;
          const done: Promise<void> = runOnce(run).finally(() => {
            busy = false;
            running.delete(done);
          });
          running.add(done);
        };
        tick();
        timers.add(setInterval(tick, everyMs));
      }
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}

function hasEndpointId(payload: unknown): payload is { endpointId: string } {
  return typeof payload === 'object' && payload !== null && 'endpointId' in payload;
}

function isNotificationKey(payload: unknown): payload is NotificationKey {
  return typeof payload === 'object' && payload !== null && 'processor' in payload && 'id' in payload;
}
