import type { IncomingMessage } from 'node:http';

/** The forms of the pages have a few hundred bytes; a confirmation token has some thirty. */
const MAX_FORM_BYTES = 8_192;

/** What a form said, or which problem page answers it and with which status. */
export type ReadForm =
  | { kind: 'form'; fields: ReadonlyMap<string, string> }
  | { kind: 'refused'; status: 400 | 413 | 415 };

/** Reads a body of type application/x-www-form-urlencoded. What is refused for its size is not read to its end. */
export async function readForm(request: IncomingMessage): Promise<ReadForm> {
  const { 'content-type': type = '', 'content-encoding': encoding, 'content-length': length } = request.headers;
  if (!FORM_TYPE.test(type) || encoding !== undefined) return { kind: 'refused', status: 415 };
  if (Number(length ?? 0) > MAX_FORM_BYTES) return { kind: 'refused', status: 413 };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_FORM_BYTES) return { kind: 'refused', status: 413 };
    chunks.push(chunk);
  }
  const fields = parse(Buffer.concat(chunks));
  return fields === null ? { kind: 'refused', status: 400 } : { kind: 'form', fields };
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset=utf-8\s*)?$/i;

/** Null for bytes that are no text, and for a field that comes twice: our pages send neither. */
function parse(bytes: Buffer): ReadonlyMap<string, string> | null {
  // The encoding is ASCII; other bytes are not from a browser.
  if (bytes.some((byte) => byte < PRINTABLE || byte >= DELETE)) return null;
  const pairs = [...new URLSearchParams(bytes.toString('latin1'))];
  const fields = new Map(pairs);
  return fields.size === pairs.length ? fields : null;
}

const PRINTABLE = 0x20;
const DELETE = 0x7f;

/**
 * Whether a form was sent from a page of this service. Pages have no cookies: whoever knows a link may use it, so there
 * is no session that another site could ride on. Still, a form that comes from elsewhere is nobody's intention.
 * Browsers say where it comes from in Sec-Fetch-Site; those that don't, in Origin, which is "null" for our own pages as
 * well, because they send no referrer.
 */
export function isOwnForm(request: IncomingMessage, publicUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, host } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined || origin === 'null') return true;
  return origin === new URL(publicUrl).origin || origin.replace(/^https?:\/\//, '') === host;
}
