import { logRepeated } from '../../platform/base/log/log-repeated.ts';
import type { Scope } from '../../platform/base/scope.ts';
import type { Processor } from '../../processors/processor.ts';
import { handleDueNotifications } from './notifications.ts';

/** Processes notifications outside the job queue, so that a slow processor does not occupy the queue's job runners. */
export interface Inbox {
  /** Begins to process due notifications, unless as many runs as allowed do so already. Never throws; failures are logged. */
  wakeUp(): void;
  /** Resolves when no run is left. */
  idle(): Promise<void>;
  /** Starts no further notification, and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Limit of concurrent notifications, each with a call to the processor. */
const CONCURRENCY = 8;

/**
 * Creates the inbox of one worker process. The rows are the truth: `handle_due_notifications` processes what the inbox
 * loses.
 */
export function createInbox(newScope: () => Scope, processor: Processor, concurrency = CONCURRENCY): Inbox {
  const running = new Set<Promise<void>>();
  let isStopping = false;
  const idle = async () => {
    while (running.size > 0) await Promise.all(running);
  };
  return {
    wakeUp() {
      if (isStopping || running.size >= concurrency) return;
      const run = handleDueNotifications(newScope, processor, () => !isStopping)
        .catch((err: unknown) => {
          const message = 'processor notifications could not be processed; a recurring job tries again';
          logRepeated(newScope().log, 'warn', { err }, message);
        })
        .finally(() => running.delete(run));
      running.add(run);
    },
    idle,
    stop() {
      isStopping = true;
      return idle();
    },
  };
}
