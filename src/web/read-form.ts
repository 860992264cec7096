import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import bodyParser from 'koa-bodyparser';

/** Our forms have a few hundred bytes; a confirmation token has about 30. */
const MAX_FORM_BYTES = 8_192;

const FORM_TYPE = 'application/x-www-form-urlencoded';
const FORM_TYPE_IN_UTF8 = /^application\/x-www-form-urlencoded\s*(?:;\s*charset=utf-8\s*)?$/i;

/** The fields of a form, and its file or null; or the status that refuses it. */
export type ReadForm =
  | { kind: 'form'; fields: ReadonlyMap<string, string>; file: Uint8Array | null }
  | { kind: 'refused'; status: 400 | 413 | 415 };

/**
 * Returns a parser of bodies of some media types, of at most `maxBytes`. It reads one character per byte into `rawBody`: decoding
 * as UTF-8 would replace invalid bytes without an error.
 */
export function bytesParser(types: readonly string[], maxBytes: number): ReturnType<typeof bodyParser> {
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: [...types] },
    textLimit: `${maxBytes}b`,
    encoding: 'binary',
  };
  return bodyParser(options);
}

/** Reads a body of type application/x-www-form-urlencoded. Stops reading a body that is too large. */
export async function readForm(ctx: ParameterizedContext): Promise<ReadForm> {
  const { 'content-type': type = '', 'content-encoding': encoding } = ctx.req.headers;
  if (!FORM_TYPE_IN_UTF8.test(type) || encoding !== undefined) return { kind: 'refused', status: 415 };
  const body = await readFormBytes(ctx, FORM_TYPE, MAX_FORM_BYTES);
  if (typeof body !== 'string') return body;
  const fields = parse(body);
  return fields === null ? { kind: 'refused', status: 400 } : { kind: 'form', fields, file: null };
}

/** Returns a form's body, one character per byte; a refusal if it is too large, or if its sender went away. */
export async function readFormBytes(
  ctx: ParameterizedContext,
  type: string,
  maxBytes: number,
): Promise<string | Extract<ReadForm, { kind: 'refused' }>> {
  try {
    await bytesParser([type], maxBytes)(ctx, async () => {});
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 413) return { kind: 'refused', status: 413 };
    if (ctx.req.destroyed && !ctx.req.complete) return { kind: 'refused', status: 400 };
    throw error;
  }
  const { rawBody } = ctx.request;
  return typeof rawBody === 'string' ? rawBody : '';
}

/** Returns null for a field that comes twice and for characters that browsers encode. Our pages send neither. */
function parse(text: string): ReadonlyMap<string, string> | null {
  if (!PRINTABLE_ASCII.test(text)) return null;
  const pairs = [...new URLSearchParams(text)];
  const fields = new Map(pairs);
  return fields.size === pairs.length ? fields : null;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/**
 * Returns true unless a browser says that another site sent the form. Browsers name the origin in Sec-Fetch-Site, older ones
 * in Origin. Clients other than browsers send neither, and no other site can make them send a form.
 *
 * @param ownUrl address of the service or of the console
 * @param nullOrigin true if our own pages send the origin "null", because they send no referrer
 */
export function isOwnForm({ headers }: IncomingMessage, ownUrl: string, nullOrigin: boolean): boolean {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined || origin === 'null') return origin === undefined || nullOrigin;
  return origin === new URL(ownUrl).origin || origin.replace(/^https?:\/\//, '') === host;
}
