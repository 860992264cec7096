import { createHash } from 'node:crypto';
import { type Context, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/*
 * Each delivery has a trace of its own. Its ids are computed from the event's id. The process that commits the
 * event and the worker that sends it agree on them. Nothing is stored or sent for that.
 */

type TraceIds = Record<'traceId' | 'spanId', string>;

/** Returns the ids of the span that stands for the event. */
export function deriveTraceIds(eventId: string): TraceIds {
  const hash = createHash('sha256').update(eventId).digest('hex');
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}

/** Returns the context for attempts at the event's delivery. The sampler decides by the id of the trace, so each process decides alike. */
export function createEventContext(eventId: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...deriveTraceIds(eventId),
    traceFlags: TraceFlags.NONE,
    isRemote: true,
  });
}

/** Generates random ids, or the ids of an event's span. */
export class SpanIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #ids: TraceIds | null = null;

  /** Runs `start`, which starts one span with these ids. */
  startWith<T>(ids: TraceIds, start: () => T): T {
    this.#ids = ids;
    try {
      return start();
    } finally {
      this.#ids = null;
    }
  }

  generateTraceId(): string {
    return this.#ids?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#ids?.spanId ?? this.#random.generateSpanId();
  }
}
