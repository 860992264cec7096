import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isGenuine } from '../verify/typescript/verify.ts';
import { bookEvents } from './booking.ts';
import type { Books } from './books.ts';

/** Far above the largest event. A longer body is not ours. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Receives one webhook: raw bytes first, signature second, then storage, and only then the answer. An event that was
 * answered with 2xx is never sent again, so it must be on the disk by then. The work follows the answer.
 */
export async function receiveWebhook(
  books: Books,
  secretFile: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body === null) return void response.writeHead(413, { Connection: 'close' }).end();
  const header = request.headers['service-signature'];
  const signature = typeof header === 'string' ? header : undefined;
  if (!secretsIn(secretFile).some((secret) => isGenuine(secret, signature, body))) {
    return void response.writeHead(400).end();
  }
  const text = body.toString('utf8');
  const { id, type, createdAt, data } = JSON.parse(text);
  // A duplicate has the same id, and changes nothing.
  books.storeEvent({ id, type, created_at: createdAt, link_id: data.paymentLink?.id ?? null, body: text });
  response.writeHead(204).end();
  bookEvents(books);
}

/** Reads the secrets, one a line: during a rotation the new one and the old one. Afresh, so that no restart is needed. */
function secretsIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

/** Returns the bytes of a body exactly as they came, or null if there are too many. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays open, so that a body that is too long gets its answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
