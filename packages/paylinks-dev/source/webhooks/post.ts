import http from 'node:http';
import https from 'node:https';
import { UsageError } from '../failure.ts';
import { webhookHeaders } from './signature.ts';

/** Timeout of the receiver's answer in milliseconds, as for deliveries of the service. */
const TIMEOUT_MS = 10_000;

/** Answer of a receiver to one request. */
export interface Posted {
  /** True for any 2xx. */
  succeeded: boolean;
  /** Null if no answer came. */
  status: number | null;
  /** Reason why no answer came, such as `ECONNREFUSED` or `timeout`; null otherwise. */
  error: string | null;
  durationMs: number;
}

/** A webhook: an event with its exact body. */
export interface Webhook {
  id: string;
  type: string;
  payload: string;
}

/** Checks the address of a receiver, which the error does not repeat. @throws UsageError */
export function receiverUrl(text: string | undefined, option: string): URL {
  if (text === undefined)
    throw new UsageError(`${option} is missing.`, `Give ${option} http://localhost:4000/webhooks.`);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${option} must be an address like http://localhost:4000/webhooks.`);
  }
  return url;
}

/** Signs the webhook and sends it once, with the headers of the service and others. Redirects are not followed. */
export function post(
  url: URL,
  secret: string,
  webhook: Webhook,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Posted> {
  const body = Buffer.from(webhook.payload, 'utf8');
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const end = (status: number | null, error: string | null) => {
      const succeeded = status !== null && status >= 200 && status < 300;
      resolve({ succeeded, status, error, durationMs: Math.round(performance.now() - startedMs) });
    };
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      headers: { ...headers, ...webhookHeaders(secret, webhook, body), 'content-length': body.length },
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    request.on('response', (response) => {
      // The answer's body does not matter.
      response.on('error', () => {});
      response.destroy();
      end(response.statusCode ?? null, null);
    });
    // Without this listener, an answer 101 would end the connection and report nothing.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      end(response.statusCode ?? null, null);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isLate = performance.now() - startedMs >= TIMEOUT_MS;
      end(null, isLate ? 'timeout' : (error.code ?? 'connection error'));
    });
    request.end(body);
  });
}
