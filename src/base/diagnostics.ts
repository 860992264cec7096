import { channel } from 'node:diagnostics_channel';

/*
 * Facts about the work of a process, for metrics and traces. Rooms report them over channels of Node's
 * `diagnostics_channel`. Without a subscriber, a report costs one comparison. No fact names a practice, patient, key or link.
 */

/** The facts by their names. Durations are in seconds, as in the metrics. */
export interface Facts {
  /** A request was answered. */
  request: { operationId: string; method: string; status: number; errorCode: string | null; seconds: number };
  /** An event was written, with this many deliveries. */
  event: { type: string; deliveries: number };
  /** The outcome of an attempt at a webhook was recorded. `ageSeconds` counts from the event to the receipt of a first attempt. */
  webhook_attempt: {
    outcome: string;
    result: string;
    isRetry: boolean;
    seconds: number;
    ageSeconds: number | null;
  };
  /** A call to the payment processor ended. */
  processor_call: { processor: string; call: string; outcome: 'answered' | 'unavailable' | 'failed'; seconds: number };
  /** A job of the queue ended. */
  job: { task: string; outcome: 'done' | 'failed' };
}

/** Reports a fact, if there is a listener. `fact` is called only then. */
export function report<Name extends keyof Facts>(name: Name, fact: () => Facts[Name]): void {
  const reports = channelOf(name);
  if (reports.hasSubscribers) reports.publish(fact());
}

/** Calls the listener with each fact of this name from now on. */
export function onReport<Name extends keyof Facts>(name: Name, listener: (fact: Facts[Name]) => void): void {
  // Only `report` publishes on this channel, and its type says what.
  channelOf(name).subscribe((fact) => listener(fact as Facts[Name]));
}

function channelOf(name: keyof Facts) {
  return channel(`paylinks.${name}`);
}
