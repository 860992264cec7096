import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

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
export class Collector {
  readonly spans: ReceivedSpan[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** All bodies, for tests that search them. */
  text = '';
  /** Replaces the answer 200. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.headers.push(request.headers);
      if (this.answer !== null) return this.answer(request, response);
      const raw = Buffer.concat(chunks);
      this.#keep((request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString());
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
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
