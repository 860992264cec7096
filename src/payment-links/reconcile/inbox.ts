import { logRepeated } from '../../base/log/log-repeated.ts';
import type { Scope } from '../../base/scope.ts';
import type { Processor } from '../../processors/processor.ts';
import { handleNotification, type NotificationKey } from './notifications.ts';

/** Takes notifications up as they are rung for, beside the job queue: a slow processor must hold none of its places. */
export interface Inbox {
  /** Has the notification taken up as soon as there is a place. Never throws; failures are logged. */
  wakeUp(key: NotificationKey): void;
  /** Resolves when nothing is under way and nothing waits. */
  idle(): Promise<void>;
  /** Takes up nothing more, and resolves when what is under way is done. */
  stop(): Promise<void>;
}

export interface InboxOptions {
  newScope: () => Scope;
  processor: Processor;
  /** Notifications under way at once, each with a call to the processor. */
  places?: number;
  /** Notifications that wait for a place; the sweep finds those beyond. */
  maxWaiting?: number;
}

const PLACES = 8;
const MAX_WAITING = 1_000;

/** The inbox of one worker process. The rows are the truth: what is forgotten here, the sweep takes up. */
export function createInbox(options: InboxOptions): Inbox {
  const { newScope, processor, places = PLACES, maxWaiting = MAX_WAITING } = options;
  const waiting: NotificationKey[] = [];
  const running = new Set<Promise<void>>();
  let isStopping = false;

  const process = async (key: NotificationKey): Promise<void> => {
    const scope = newScope();
    try {
      await handleNotification(scope, processor, key);
    } catch (err) {
      const message = 'processor notification could not be taken up; the sweep will';
      logRepeated(scope.log, 'warn', { err, notificationId: key.id }, message);
    }
  };
  const fill = (): void => {
    while (!isStopping && running.size < places) {
      const key = waiting.shift();
      if (key === undefined) return;
      const done: Promise<void> = process(key).then(() => {
        running.delete(done);
        fill();
      });
      running.add(done);
    }
  };
  return {
    wakeUp(key) {
      if (waiting.length < maxWaiting) waiting.push(key);
      fill();
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
}
