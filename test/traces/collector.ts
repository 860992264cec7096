import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { LocalServer } from '../harness/local-server.ts';

/** A span as it arrived, with its attributes as one object. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string }[];
  status: { code?: number };
  service: string;
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
  doubleValue?: number;
}
type Attributes = { key: string; value: Value }[];

/** OTLP's JSON, as far as tests read it. */
interface Request {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes' | 'service'> & { attributes: Attributes })[] }[];
  }[];
}

/** A collector of OpenTelemetry over HTTP, which keeps what it gets. */
export class Collector extends LocalServer {
  readonly spans: ReceivedSpan[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** All bodies, for tests that search them. */
  text = '';
  /** Replaces the answer 200. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;

  protected async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await buffer(request);
    this.headers.push(request.headers);
    if (this.answer !== null) return this.answer(request, response);
    this.#keep((request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString());
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }

  /** Returns the spans of a trace. */
  trace(traceId: string | undefined): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  #keep(text: string): void {
    this.text += text;
    const { resourceSpans }: Request = JSON.parse(text);
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      const spans = scopeSpans.flatMap((scope) => scope.spans);
      this.spans.push(...spans.map((span) => ({ ...span, attributes: valuesOf(span.attributes), service })));
    }
  }
}

function valuesOf(attributes: Attributes): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? doubleValue ?? Number(intValue),
    ]),
  );
}
