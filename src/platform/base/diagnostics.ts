import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, tracingChannel } from 'node:diagnostics_channel';

/*
 * Facts about the work of a process, for metrics and traces, over channels of `diagnostics_channel`. Without a
 * subscriber, a report costs one comparison. No fact names a practice, patient, key or link.
 */

export interface Facts {
  request: {
    requestId: string;
    operationId: string;
    method: string;
    mode: 'live' | 'test' | null;
    status: number;
    errorCode: string | null;
    seconds: number;
  };
  event: { type: string; deliveries: number };
  deliveries_queued: readonly { eventId: string; type: string }[];
  /** `ageSeconds` counts from the event to the receipt of a first attempt. */
  webhook_attempt: {
    outcome: string;
    responseStatus: number | null;
    result: string;
    isRetry: boolean;
    seconds: number;
    ageSeconds: number | null;
  };
  admission_refused: { reason: string };
  payment_status: { status: string; mode: 'live' | 'test' };
  /** An attempt that was closed too early gets a second outcome. */
  payment_attempt_closed: { outcome: string };
  /** A recurring job has asked the processor about an open attempt, or about a payment that may still change. */
  reconciliation: { subject: 'attempt' | 'payment'; answer: string };
  processor_call: { processor: string; call: string; outcome: 'answered' | 'unavailable' | 'failed'; seconds: number };
  /** The text may contain values. `sqlState` is null after a success, and `unavailable` if the connection failed. */
  statement: { text: string; sqlState: string | null; seconds: number };
  /** A failed one is tried again. */
  notification: { outcome: 'done' | 'failed' };
  job: { task: string; outcome: 'done' | 'failed' };
  spans_dropped: { reason: 'queue_full' | 'not_sent'; count: number };
  log_lines_dropped: { count: number };
}

/** Work that a listener may follow from its beginning. */
export type Work =
  | { kind: 'request'; traceparent: string }
  | { kind: 'processor_call'; processor: string; call: string }
  | { kind: 'webhook_attempt'; eventId: string; type: string }
  | { kind: 'notification'; processor: string; subject: string }
  | { kind: 'job'; task: string }
  | { kind: 'webhook_request' };

export interface WorkReport {
  work: Work;
  /** The works of which it is a part: none, one, or the works of all calls of a batch. */
  within: readonly Work[];
}

const works = new AsyncLocalStorage<readonly Work[]>();
const NONE: readonly Work[] = [];
const workChannel = tracingChannel<readonly Work[], WorkReport>('paylinks.work');

/** `fact` is called only if there is a listener. */
export function report<Name extends keyof Facts>(name: Name, fact: () => Facts[Name]): void {
  const reports = getChannel(name);
  if (reports.hasSubscribers) reports.publish(fact());
}

/** Saves work that only prepares a report. */
export function isReported(name: keyof Facts): boolean {
  return getChannel(name).hasSubscribers;
}

/** Returns the function that ends it. */
export function onReport<Name extends keyof Facts>(name: Name, listener: (fact: Facts[Name]) => void): () => void {
  // Only `report` publishes on this channel, and its type says what.
  const receive = (fact: unknown) => listener(fact as Facts[Name]);
  getChannel(name).subscribe(receive);
  return () => void getChannel(name).unsubscribe(receive);
}

export function observe<T>(describe: () => Work, run: () => Promise<T>): Promise<T> {
  if (!workChannel.start.hasSubscribers) return run();
  return workChannel.tracePromise(run, { work: describe(), within: presentWorks() });
}

/** Returns the function that ends it. */
export function onWork(begin: (begun: WorkReport) => void, end: (ended: WorkReport) => void): () => void {
  const ignore = () => undefined;
  const listeners = { start: begin, end: ignore, asyncStart: ignore, asyncEnd: end, error: ignore };
  // Code inside the work finds it by `presentWorks`.
  workChannel.start.bindStore(works, ({ work }) => [work]);
  workChannel.subscribe(listeners);
  return () => void workChannel.unsubscribe(listeners);
}

/** Returns the works of which the present code is a part. It is empty if nobody listens. */
export function presentWorks(): readonly Work[] {
  return works.getStore() ?? NONE;
}

/** Runs a step as a part of all these works. */
export function runAsPart<T>(shared: readonly Work[], run: () => T): T {
  return shared.length === 0 && presentWorks().length === 0 ? run() : works.run(shared, run);
}

function getChannel(name: keyof Facts) {
  return channel(`paylinks.${name}`);
}
