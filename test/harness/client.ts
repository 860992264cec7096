import { request } from 'undici';
import { findOperation } from '../../src/contract/document.ts';
import { ContractChecker } from '../contract-checker/contract-checker.ts';

export const checker = new ContractChecker();

/** An answer that has been checked against the contract. */
export interface Exchange {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The body's text, byte for byte as far as text goes. */
  text: string;
  /** The parsed body; undefined when there was none. Typed by the test that knows what it asked for. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape, and the checker has judged them
  body: any;
}

export interface Call {
  /** Sent as JSON unless it is text or bytes already. */
  body?: unknown;
  headers?: Record<string, string | string[]>;
  /** Bearer key; null sends no Authorization header. */
  key?: string | null;
}

/** A client of one server that holds every exchange against the contract and throws where they differ. */
export class Client {
  readonly baseUrl: string;
  readonly key: string | null;

  constructor(baseUrl: string, key: string | null) {
    this.baseUrl = baseUrl;
    this.key = key;
  }

  as(key: string | null): Client {
    return new Client(this.baseUrl, key);
  }

  get(path: string, call: Call = {}): Promise<Exchange> {
    return this.call('GET', path, call);
  }

  post(path: string, body?: unknown, call: Call = {}): Promise<Exchange> {
    return this.call('POST', path, { ...call, body });
  }

  patch(path: string, body: unknown, call: Call = {}): Promise<Exchange> {
    return this.call('PATCH', path, { ...call, body });
  }

  delete(path: string, call: Call = {}): Promise<Exchange> {
    return this.call('DELETE', path, call);
  }

  async call(method: string, path: string, { body, headers = {}, key = this.key }: Call = {}): Promise<Exchange> {
    const isRaw = typeof body === 'string' || body instanceof Buffer;
    const response = await request(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : isRaw ? body : JSON.stringify(body),
    });
    const text = await response.body.text();
    const exchange = { status: response.statusCode, headers: response.headers, text };
    check(method, path, exchange);
    return { ...exchange, body: text === '' ? undefined : JSON.parse(text) };
  }
}

function check(method: string, path: string, seen: Omit<Exchange, 'body'>): void {
  const [pathname = ''] = path.split('?');
  const operationId = findOperation(method, pathname)?.operationId ?? null;
  const faults = checker.checkResponse({ operationId, status: seen.status, headers: seen.headers, body: seen.text });
  if (faults.length > 0) throw new Error(`${method} ${path} is not as the contract says:\n${faults.join('\n')}`);
}
