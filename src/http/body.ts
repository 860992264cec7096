import bodyParser from 'koa-bodyparser';
import { ApiError } from '../base/errors.ts';
import type { Context } from './context.ts';

/** Section 8 of the interface: 64 KB. */
const MAX_BODY_BYTES = 65_536;

const JSON_TYPES = ['application/json', 'text/json', 'application/*+json'];
const ENCODINGS = ['identity', 'gzip', 'deflate', 'br'];

const parse = bodyParser({
  enableTypes: ['json'],
  extendTypes: { json: ['text/json', '+json'] },
  jsonLimit: `${MAX_BODY_BYTES}b`,
  // Otherwise an empty body would become {} and a scalar would be refused as if it were malformed.
  strict: false,
});

/**
 * Reads the request's JSON object, or undefined when there is no body. Guards the parser, which takes a missing or
 * foreign media type for an empty object: such a body is refused before anything is read.
 *
 * @throws ApiError `unsupported_media_type`, `payload_too_large`, `validation_error`
 */
export async function readBody(ctx: Context): Promise<object | undefined> {
  if (!hasBody(ctx)) return undefined;
  requireJson(ctx);
  try {
    await parse(ctx, async () => {});
  } catch (error) {
    throw refusal(ctx, error);
  }
  const { body, rawBody } = ctx.request;
  if (rawBody === '') return undefined;
  // The decoder puts U+FFFD in place of bytes that are not UTF-8; taken silently, they would corrupt names.
  if (typeof rawBody === 'string' && rawBody.includes('\uFFFD')) throw malformed('The body is not valid UTF-8.');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw malformed('The body must be a JSON object.');
  }
  return body;
}

/** RFC 9112, section 6: a request has a body if it has one of these headers. */
function hasBody(ctx: Context): boolean {
  const length = ctx.req.headers['content-length'];
  return ctx.req.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

function requireJson(ctx: Context): void {
  const encoding = (ctx.req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const type = ctx.req.headers['content-type'] ?? '';
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!ctx.request.is(JSON_TYPES) || !/^utf-?8$/i.test(charset) || !ENCODINGS.includes(encoding)) {
    // What is still on its way is not worth reading.
    ctx.set('Connection', 'close');
    throw new ApiError('unsupported_media_type');
  }
  // The decompressor knows the names in lower case only.
  ctx.req.headers['content-encoding'] = encoding;
}

function refusal(ctx: Context, error: unknown): ApiError {
  ctx.set('Connection', 'close');
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) return new ApiError('payload_too_large');
  return malformed('The body is not valid JSON.');
}

function malformed(message: string): ApiError {
  return new ApiError('validation_error', { message });
}
