import { logRepeated } from '../../base/log/log-repeated.ts';
import type { Scope } from '../../base/scope.ts';
import { createLimiter } from '../../database/query/limiter.ts';
import type { Processor } from '../../processors/processor.ts';
import { handleNotification, type NotificationKey } from './notifications.ts';

/** Processes notifications outside the job queue, so that a slow processor does not occupy the queue's job runners. */
export interface Inbox {
  /** Processes the notification now, or after others that are running or wait. Never throws; failures are logged. */
  wakeUp(key: NotificationKey): void;
  /** Resolves when no notification is running or waiting. */
  idle(): Promise<void>;
  /** Starts no further notification, and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

export interface InboxOptions {
  newScope: () => Scope;
  processor: Processor;
  /** Limit of concurrent notifications, each with a call to the processor. */
  concurrency?: number;
  /** Limit of waiting notifications. `handle_due_notifications` processes those beyond. */
  maxWaiting?: number;
}

const CONCURRENCY = 8;
const MAX_WAITING_NOTIFICATIONS = 1_000;

/**
 * Creates the inbox of one worker process. The rows are the truth: `handle_due_notifications` processes what the inbox
 * loses.
 */
export function createInbox(options: InboxOptions): Inbox {
  const { newScope, processor, concurrency = CONCURRENCY, maxWaiting = MAX_WAITING_NOTIFICATIONS } = options;
  const limiter = createLimiter({ placesInAll: concurrency });
  /** Notifications that are running or wait. */
  const present = new Set<Promise<void>>();
  let isStopping = false;

  const process = async (key: NotificationKey): Promise<void> => {
    const scope = newScope();
    try {
      await handleNotification(scope, processor, key);
    } catch (err) {
      const message = 'processor notification could not be processed; a recurring job tries again';
      logRepeated(scope.log, 'warn', { err, notificationId: key.id }, message);
    }
  };
  return {
    wakeUp(key) {
      if (present.size >= concurrency + maxWaiting) return;
      const done: Promise<void> = limiter
        .run('notification', async () => {
          if (!isStopping) await process(key);
        })
        .finally(() => present.delete(done));
      present.add(done);
    },
    async idle() {
      while (present.size > 0) await Promise.all(present);
    },
    async stop() {
      isStopping = true;
      await Promise.all(present);
    },
  };
}
