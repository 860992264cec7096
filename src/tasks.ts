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

/** How often links are looked through for expiry; the event must be out within 15 seconds of `expiresAt`. */
const EXPIRY_SWEEP_MS = 5_000;

/** How often due deliveries are looked for that no doorbell rang for: after a crash, a lost job, a restored backup. */
const DELIVERY_SWEEP_MS = 5_000;

/** How often deleted endpoints are looked for: what their practice wants gone should not lie about for long. */
const DELETION_SWEEP_MS = 10_000;

/** How often the rest is looked through for what is old enough to go; a minute keeps each turn small. */
const RETENTION_SWEEP_MS = 60_000;

/** How often payments are looked through of which something is to be learnt; each has its own time to be looked at. */
const PAYMENT_SWEEP_MS = 5_000;

/** How often changes are folded into the counts of lists: lists add up what was not. */
const COUNT_SWEEP_MS = 5_000;

/** How often the jobs are looked for that are more than doorbells: a mail may take two seconds. */
const JOB_ROUND_MS = 2_000;

/** Work that every worker does again and again, whatever the queue says. */
export interface Sweeps {
  start(): void;
  /** Starts no further turn; a turn under way ends after its present batch. */
  stop(): void;
  /** Resolves when no sweep is under way. */
  settled(): Promise<void>;
}

/** One sweep: how often, and what a turn does. A turn that works in batches asks before each whether to go on. */
export interface SweepPlan {
  everyMs: number;
  turn: (goOn: () => boolean) => Promise<unknown>;
}

/** What the background work is done with. */
export interface TaskDependencies {
  newScope: () => Scope;
  deliverer: Deliverer;
  inbox: Inbox;
  processor: Processor;
  mailer: Mailer;
  log: Logger;
}

/** The doorbells and the jobs by their names, and the sweeps. */
export function createTasks({ newScope, deliverer, inbox, processor, mailer, log }: TaskDependencies) {
  // Both resolve at once: a processor or a receiver takes its time, and must not hold one of the queue's places. What
  // is lost of them, the sweeps below make up for.
  const doorbells: TaskList = {
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
  const startSweeps = (doJobs: () => Promise<unknown>) => {
    const sweeps = createSweeps(log, [
      { everyMs: JOB_ROUND_MS, turn: doJobs },
      { everyMs: EXPIRY_SWEEP_MS, turn: () => expireDueLinks(newScope) },
      { everyMs: PAYMENT_SWEEP_MS, turn: (goOn) => reconcileAttempts(newScope, processor, goOn) },
      { everyMs: PAYMENT_SWEEP_MS, turn: (goOn) => reconcileTransactions(newScope, processor, goOn) },
      { everyMs: PAYMENT_SWEEP_MS, turn: (goOn) => handleDueNotifications(newScope, processor, goOn) },
      { everyMs: DELIVERY_SWEEP_MS, turn: deliverySweep },
      { everyMs: DELETION_SWEEP_MS, turn: inBatches(newScope, [purgeDeletedEndpoints]) },
      { everyMs: COUNT_SWEEP_MS, turn: inBatches(newScope, [foldListChanges]) },
      { everyMs: RETENTION_SWEEP_MS, turn: retentionTurn(newScope) },
    ]);
    sweeps.start();
    return sweeps;
  };
  return { doorbells, jobs, startSweeps };
}

/** What the sandbox has to tell. */
function sandboxJobs(newScope: () => Scope, processor: Processor): TaskList {
  return {
    [SANDBOX_NOTIFY_TASK]: async (payload) => {
      if (!isSandbox(processor)) return;
      // The sandbox wrote the job itself.
      const { raw, headers } = await processor.signed(payload as SandboxMessage);
      await receiveNotification(newScope(), processor, raw, headers);
    },
  };
}

/** Everything that is kept for a time only. */
export function retentionTurn(newScope: () => Scope): SweepPlan['turn'] {
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
 * A turn that takes one batch after the other, of each kind, until nothing is left. A kind that meets a lock waits for the
 * next turn and does not keep the other kinds from theirs.
 */
function inBatches(newScope: () => Scope, kinds: ((scope: Scope) => Promise<boolean>)[]): SweepPlan['turn'] {
  return async (goOn) => {
    for (const takeBatch of kinds) {
      const scope = newScope();
      try {
        while (goOn() && (await takeBatch(fresh(scope))));
      } catch (err) {
        if (!isLockTimeout(err)) throw err;
        scope.log.info({ kind: takeBatch.name }, 'a batch waits for the next turn: somebody has locked a row of it');
      }
    }
  };
}

function createSweeps(log: Logger, plans: SweepPlan[]): Sweeps {
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const take = async (turn: SweepPlan['turn']): Promise<void> => {
    try {
      await turn(() => !isStopped);
    } catch (err) {
      logRepeated(log, 'error', { err }, 'sweep failed; it is tried again at its next turn');
    }
  };
  return {
    start() {
      for (const { everyMs, turn } of plans) {
        let busy = false;
        const tick = () => {
          // A sweep that takes longer than its period is not started twice.
          if (busy) return;
          busy = true;
          const done: Promise<void> = take(turn).finally(() => {
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
