import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { isObject } from '../../contract/json-pointer.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { bytesParser } from '../../web/read-form.ts';
import type { Context } from '../context.ts';
import { findJsonFault } from './json-fault.ts';
import { jsonFaultError } from './validation.ts';

/** 64 KB, as the guide to limits says (docs/guides/limits.md). */
const MAX_BODY_BYTES = 65_536;

const JSON_TYPES = ['application/json', 'text/json', 'application/*+json'];
const ENCODINGS = ['identity', 'gzip', 'deflate', 'br'];

const parseBytes = bytesParser(JSON_TYPES, MAX_BODY_BYTES);

/** Decoder that throws on invalid UTF-8 and removes a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the JSON object; undefined without a body. @throws ApiError `unsupported_media_type`, `payload_too_large`, `validation_error` */
export async function readBody(ctx: Context): Promise<object | undefined> {
  try {
    if (await isEmpty(ctx.req)) return undefined;
    // The body parser would return an empty object for a missing or unknown media type.
    requireJson(ctx);
    const parsing = parseBytes(ctx, async () => {});
    await unlessClosed(ctx.req, parsing);
  } catch (error) {
    throw error instanceof ApiError ? error : refusal(ctx, error);
  }
  const { rawBody } = ctx.request;
  if (typeof rawBody !== 'string' || rawBody === '') return undefined;
  const text = readOrRefuse(() => utf8.decode(Buffer.from(rawBody, 'latin1')), 'The body is not valid UTF-8.');
  const body: unknown = readOrRefuse(() => JSON.parse(text), 'The body is not valid JSON.');
  if (!isObject(body)) throw malformed('The body must be a JSON object.');
  const fault = findJsonFault(text);
  if (fault !== null) throw jsonFaultError(fault);
  return body;
}

/** Also rejects when the client closes the connection. The decompressor does not notice that, and would keep the request for ever. */
async function unlessClosed({ socket }: IncomingMessage, reading: Promise<void>): Promise<void> {
  const { promise: closed, reject } = Promise.withResolvers<never>();
  const onClose = () => reject(new Error('the client closed the connection'));
  socket.once('close', onClose);
  // The connection may have closed while the key was looked up.
  if (socket.destroyed) onClose();
  try {
    await Promise.race([reading, closed]);
  } finally {
    socket.off('close', onClose);
  }
}

/** Returns true if the request has no body (RFC 9112, section 6). A chunked body can be empty, too. */
async function isEmpty(req: IncomingMessage): Promise<boolean> {
  if (req.headers['transfer-encoding'] === undefined) return Number(req.headers['content-length'] ?? 0) === 0;
  if (req.readableLength === 0 && !req.complete) await once(req, 'readable');
  return req.readableLength === 0;
}

function readOrRefuse<T>(read: () => T, message: string): T {
  try {
    return read();
  } catch {
    throw malformed(message);
  }
}

function requireJson(ctx: Context): void {
  const encoding = (ctx.req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const type = ctx.req.headers['content-type'] ?? '';
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!ctx.request.is(JSON_TYPES) || !/^utf-?8$/i.test(charset) || !ENCODINGS.includes(encoding)) {
    // The server does not read the rest of the body, so the connection cannot be used again.
    ctx.set('Connection', 'close');
    throw new ApiError('unsupported_media_type');
  }
  // The decompressor accepts names in lower case only.
  ctx.req.headers['content-encoding'] = encoding;
}

function refusal(ctx: Context, error: unknown): ApiError {
  ctx.set('Connection', 'close');
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) return new ApiError('payload_too_large');
  return malformed('The body could not be read; it may be cut off or not compressed as it says.');
}

function malformed(message: string): ApiError {
  return new ApiError('validation_error', { message });
}
