import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import bodyParser from 'koa-bodyparser';

/** Our forms have a few hundred bytes; a confirmation token has about 30. */
const MAX_FORM_BYTES = 8_192;

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset=utf-8\s*)?$/i;

/** Returns a parser of forms of at most `maxBytes`. There are few such limits, so each parser is made once. */
function parserFor(maxBytes: number): ReturnType<typeof bodyParser> {
  const existing = parsers.get(maxBytes);
  if (existing !== undefined) return existing;
  // Reads one character per byte. Decoding as UTF-8 would replace invalid bytes without an error.
  const asBytes = {
    enableTypes: ['text'],
    extendTypes: { text: ['application/x-www-form-urlencoded'] },
    textLimit: `${maxBytes}b`,
    encoding: 'binary',
  };
  const parser = bodyParser(asBytes);
  parsers.set(maxBytes, parser);
  return parser;
}

const parsers = new Map<number, ReturnType<typeof bodyParser>>();

/** The fields of a form, or the status that refuses it. */
export type ReadForm =
  | { kind: 'form'; fields: ReadonlyMap<string, string> }
  | { kind: 'refused'; status: 400 | 413 | 415 };

/** Reads a body of type application/x-www-form-urlencoded. Stops reading a body that is too large. */
export async function readForm(ctx: ParameterizedContext, maxBytes = MAX_FORM_BYTES): Promise<ReadForm> {
  const { 'content-type': type = '', 'content-encoding': encoding } = ctx.req.headers;
  if (!FORM_TYPE.test(type) || encoding !== undefined) return { kind: 'refused', status: 415 };
  try {
    await parserFor(maxBytes)(ctx, async () => {});
  } catch (error) {
    return bodyRefusal(ctx, error);
  }
  const { rawBody } = ctx.request;
  const fields = parse(typeof rawBody === 'string' ? rawBody : '');
  return fields === null ? { kind: 'refused', status: 400 } : { kind: 'form', fields };
}

/** Returns the refusal of a body that is too large, or whose sender went away. @throws any other error */
export function bodyRefusal({ req }: ParameterizedContext, error: unknown): { kind: 'refused'; status: 400 | 413 } {
  if (error instanceof Error && 'status' in error && error.status === 413) return { kind: 'refused', status: 413 };
  if (req.destroyed && !req.complete) return { kind: 'refused', status: 400 };
  throw error;
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
 * Returns true if the form was sent from a page of this service. Pages have no cookies, so another site has no session
 * to abuse; still, no patient intends to send a form from another site. Browsers name the origin in Sec-Fetch-Site, older
 * ones in Origin. Origin is "null" for our own pages, because they send no referrer.
 */
export function isOwnForm(request: IncomingMessage, publicUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, host } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined || origin === 'null') return true;
  return origin === new URL(publicUrl).origin || origin.replace(/^https?:\/\//, '') === host;
}
