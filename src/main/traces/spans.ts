import { createHash } from 'node:crypto';
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';
import {
  type Facts,
  onReport,
  onWork,
  presentWorks,
  type Work,
  type WorkReport,
} from '../../platform/base/diagnostics.ts';
import { schemaNames } from '../../platform/database/schema-files.ts';

/*
 * This file makes spans of what the rooms report. A span starts when its observed work begins. Reported facts give the span
 * its name, attributes and status. A statement becomes a span when it has ended. A statement outside of all works is not
 * shown, because the job queue polls all the time. Attributes follow OpenTelemetry's semantic conventions, besides `paylinks.…`.
 */

interface SpanMaker {
  tracer: Tracer;
  ids: SpanIds;
}

/** Makes spans of everything that is reported, until the returned function is called. */
export function makeSpans(maker: SpanMaker): () => void {
  const { tracer } = maker;
  const spans = new WeakMap<Work, Span>();
  const schemaObjects = schemaNames();

  /** Spans that the present code is a part of. Work that has ended is left out: something of it goes on in the background. */
  const presentSpans = () =>
    presentWorks().flatMap((work) => {
      const span = spans.get(work);
      return span?.isRecording() ? [span] : [];
    });
  /** Span of the present work, if it is of this kind. */
  const findOwnSpan = (kind: Work['kind']): Span | undefined => {
    const [work] = presentWorks();
    return work?.kind === kind ? spans.get(work) : undefined;
  };
  const begin = ({ work, within }: WorkReport): void => {
    const parent = within.map((outer) => spans.get(outer)).find((span) => span !== undefined);
    spans.set(work, startSpan(tracer, work, parent));
  };
  const end = ({ work }: WorkReport): void => {
    spans.get(work)?.end();
    spans.delete(work);
  };
  const subscriptions = [
    onWork(begin, end),
    onReport('request', (request) => describeRequest(findOwnSpan('request'), request)),
    onReport('processor_call', ({ outcome }) => describeEnd(findOwnSpan('processor_call'), outcome, 'answered')),
    onReport('job', ({ outcome }) => describeEnd(findOwnSpan('job'), outcome, 'done')),
    onReport('notification', ({ outcome }) => describeEnd(findOwnSpan('notification'), outcome, 'done')),
    onReport('webhook_attempt', (attempt) => describeAttempt(findOwnSpan('webhook_attempt'), attempt)),
    onReport('deliveries_queued', (deliveries) => {
      // Callers of a batch may be of different practices, and it is not known here which of them made the event.
      const committed = presentWorks().length === 1 ? presentSpans() : [];
      for (const { eventId, type } of deliveries) startTrace(maker, eventId, type, committed);
    }),
    onReport('statement', (statement) => addStatementSpans(tracer, presentSpans(), statement, schemaObjects)),
  ];
  return () => {
    for (const stop of subscriptions) stop();
  };
}

/** Adds a span of an ended statement to each span around it. A statement of a batch is shown in the trace of each caller. */
function addStatementSpans(
  tracer: Tracer,
  around: readonly Span[],
  { text, seconds, sqlState }: Facts['statement'],
  schemaObjects: ReadonlySet<string>,
): void {
  if (around.length === 0) return;
  const { operation, target } = describeStatement(text, schemaObjects);
  const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation };
  if (target !== null) attributes['db.collection.name'] = target;
  if (around.length > 1) attributes['db.operation.batch.size'] = around.length;
  const now = performance.now();
  const options = { kind: SpanKind.CLIENT, attributes, startTime: Math.max(0, now - seconds * 1_000) };
  for (const parent of around) {
    const span = tracer.startSpan(target === null ? operation : `${operation} ${target}`, options, contextWith(parent));
    if (sqlState !== null) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', sqlState);
    span.end(now);
  }
}

/** Returns the first word, and the first table or function of the schema. So no value of a statement can become a part of a name. */
function describeStatement(text: string, schemaObjects: ReadonlySet<string>) {
  const [operation = 'other'] = /^[a-z]+/i.exec(text.trimStart()) ?? [];
  const words = text.matchAll(/[a-z_]+/gi).map(([word]) => word.toLowerCase());
  return { operation: operation.toLowerCase(), target: words.find((word) => schemaObjects.has(word)) ?? null };
}

function startSpan(tracer: Tracer, work: Work, parent: Span | undefined): Span {
  const context = parent === undefined ? ROOT_CONTEXT : contextWith(parent);
  switch (work.kind) {
    case 'request':
      return tracer.startSpan('request', { kind: SpanKind.SERVER, links: linksTo(work.traceparent) }, ROOT_CONTEXT);
    case 'processor_call': {
      const attributes = { 'paylinks.processor': work.processor, 'paylinks.call': work.call };
      return tracer.startSpan(`${work.processor} ${work.call}`, { kind: SpanKind.CLIENT, attributes }, context);
    }
    case 'webhook_attempt': {
      const attributes = { 'messaging.message.id': work.eventId, 'paylinks.event.type': work.type };
      const options = { kind: SpanKind.CONSUMER, attributes };
      return tracer.startSpan(`deliver ${work.type}`, options, createEventContext(work.eventId));
    }
    case 'notification': {
      const attributes = { 'paylinks.processor': work.processor, 'paylinks.notification.subject': work.subject };
      return tracer.startSpan(`notification ${work.subject}`, { kind: SpanKind.CONSUMER, attributes }, context);
    }
    case 'job':
      return tracer.startSpan(`job ${work.task}`, { attributes: { 'paylinks.job': work.task } }, ROOT_CONTEXT);
    case 'webhook_request':
      return tracer.startSpan('POST', { kind: SpanKind.CLIENT }, context);
  }
}

/** Returns a link. As a parent, the header could join the requests of strangers, and decide which of them are recorded. */
function linksTo(traceparent: string): Link[] {
  const [, traceId = '', spanId = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent) ?? [];
  const context = { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true };
  return isSpanContextValid(context) ? [{ context }] : [];
}

function describeRequest(span: Span | undefined, request: Facts['request']): void {
  const { requestId, operationId, method, status, errorCode } = request;
  span?.updateName(operationId).setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    'paylinks.operation': operationId,
    'paylinks.request.id': requestId,
    ...(errorCode === null ? {} : { 'error.type': errorCode }),
  });
  // As the conventions say: an error of the client is not one of the server.
  if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
}

/** Sets the outcome, and the status of an error unless the outcome is the success. */
function describeEnd(span: Span | undefined, outcome: string, success: string): void {
  span?.setAttribute('paylinks.outcome', outcome);
  if (outcome !== success) span?.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', outcome);
}

function describeAttempt(span: Span | undefined, attempt: Facts['webhook_attempt']): void {
  const { outcome, responseStatus, result, isRetry } = attempt;
  span?.setAttributes({ 'paylinks.result': result, 'paylinks.retry': isRetry });
  if (responseStatus !== null) span?.setAttribute('http.response.status_code', responseStatus);
  describeEnd(span, outcome, 'success');
}

/** Starts the trace of a delivery with a span for its event. It and the work that committed the event, if known, link each other. */
function startTrace({ tracer, ids }: SpanMaker, eventId: string, type: string, committed: readonly Span[]): void {
  const attributes = { 'messaging.message.id': eventId, 'paylinks.event.type': type };
  const links = committed.map((span) => ({ context: span.spanContext() }));
  const options = { kind: SpanKind.PRODUCER, attributes, links };
  const span = ids.startWith(deriveTraceIds(eventId), () => tracer.startSpan(`queue ${type}`, options, ROOT_CONTEXT));
  for (const commit of committed) commit.addLink({ context: span.spanContext() });
  span.end();
}

function contextWith(parent: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, parent);
}

/* Ids of a delivery's trace follow from its event's id. So the process that commits the event and the worker that sends it agree. */

type TraceIds = Record<'traceId' | 'spanId', string>;

function deriveTraceIds(eventId: string): TraceIds {
  const hash = createHash('sha256').update(eventId).digest('hex');
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}

/** Returns the context for attempts at the event's delivery. The sampler decides by the id of the trace, so each process decides alike. */
function createEventContext(eventId: string): Context {
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
