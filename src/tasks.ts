import { Logger as GraphileLogger, type TaskList } from 'graphile-worker';
import type { Logger } from 'pino';
import type { Scope } from './base/scope.ts';
import {
  handleDueNotifications,
  handleNotification,
  NOTIFICATION_TASK,
  type NotificationKey,
  receiveNotification,
} from './payment-links/notifications.ts';
import { reconcileAttempts, reconcileTransactions } from './payment-links/reconcile.ts';
import { expireDueLinks } from './payment-links/service.ts';
import type { Processor } from './processors/processor.ts';
import { isSandbox } from './processors/sandbox.ts';
import { SANDBOX_NOTIFY_TASK, type SandboxMessage } from './processors/sandbox-ledger.ts';
import type { Deliverer } from './webhooks/deliver.ts';
import { DELIVER_TASK } from './webhooks/doorbell.ts';
import { endpointsWithDueDeliveries } from './webhooks/sweep.ts';

/** How often links are looked through for expiry; the event must be out within 15 seconds of `expiresAt`. */
const EXPIRY_SWEEP_MS = 5_000;

/** How often due deliveries are looked for that no doorbell rang for: after a crash, a lost job, a restored backup. */
const DELIVERY_SWEEP_MS = 10_000;

/** How often payments are looked through of which something is to be learnt; each has its own time to be looked at. */
const PAYMENT_SWEEP_MS = 5_000;

/** Work that every worker does again and again, whatever the queue says. */
export interface Sweeps {
  start(): void;
  stop(): void;
  /** Resolves when no sweep is under way. */
  settled(): Promise<void>;
}

/** What the background work is done with. */
export interface TaskTools {
  newScope: () => Scope;
  deliverer: Deliverer;
  processor: Processor;
  log: Logger;
}

/** The jobs by their names, and the sweeps. */
export function createTasks({ newScope, deliverer, processor, log }: TaskTools) {
  const jobs: TaskList = {
    ...processorJobs(newScope, processor),
    // Resolves at once: a round takes as long as its receiver, and must not hold one of the queue's places meanwhile.
    [DELIVER_TASK]: async (payload) => {
      if (hasEndpointId(payload)) deliverer.ring(payload.endpointId);
    },
  };
  const sweeps = createSweeps(log, [
    { everyMs: EXPIRY_SWEEP_MS, sweep: () => expireDueLinks(newScope) },
    { everyMs: PAYMENT_SWEEP_MS, sweep: () => reconcileAttempts(newScope, processor) },
    { everyMs: PAYMENT_SWEEP_MS, sweep: () => reconcileTransactions(newScope, processor) },
    { everyMs: PAYMENT_SWEEP_MS, sweep: () => handleDueNotifications(newScope, processor) },
    {
      everyMs: DELIVERY_SWEEP_MS,
      sweep: async () => {
        for (const endpointId of await endpointsWithDueDeliveries(newScope())) deliverer.ring(endpointId);
      },
    },
  ]);
  return { jobs, sweeps };
}

/** What processors tell, and what the sandbox has to tell. */
function processorJobs(newScope: () => Scope, processor: Processor): TaskList {
  return {
    [NOTIFICATION_TASK]: async (payload) => {
      if (isNotificationKey(payload)) await handleNotification(newScope(), processor, payload);
    },
    [SANDBOX_NOTIFY_TASK]: async (payload) => {
      if (!isSandbox(processor)) return;
      // The sandbox wrote the job itself.
      const { raw, headers } = await processor.signed(payload as SandboxMessage);
      await receiveNotification(newScope(), processor, raw, headers);
    },
  };
}

function createSweeps(log: Logger, plans: { everyMs: number; sweep: () => Promise<unknown> }[]): Sweeps {
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();
  const turn = async (sweep: () => Promise<unknown>): Promise<void> => {
    try {
      await sweep();
    } catch (err) {
      log.error({ err }, 'sweep failed; it is tried again at its next turn');
    }
  };
  return {
    start() {
      for (const { everyMs, sweep } of plans) {
        let busy = false;
        const tick = () => {
          // A sweep that takes longer than its period is not started twice.
          if (busy) return;
          busy = true;
          const done: Promise<void> = turn(sweep).finally(() => {
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
      for (const timer of timers) clearInterval(timer);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}

/** The queue's own messages in our log: its errors and warnings as such, its chatter at debug. */
export function graphileLogger(log: Logger): GraphileLogger {
  return new GraphileLogger(() => (level, message) => {
    if (level === 'error') log.error(message);
    else if (level === 'warning') log.warn(message);
    else log.debug(message);
  });
}

function hasEndpointId(payload: unknown): payload is { endpointId: string } {
  return typeof payload === 'object' && payload !== null && 'endpointId' in payload;
}

function isNotificationKey(payload: unknown): payload is NotificationKey {
  return typeof payload === 'object' && payload !== null && 'processor' in payload && 'id' in payload;
}
