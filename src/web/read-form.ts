import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import bodyParser from 'koa-bodyparser';

/** Largest body of a form, in bytes. Ours have a few hundred; a confirmation token has about 30. */
const MAX_FORM_BYTES = 8_192;

/** Largest file of a form, in bytes. */
const MAX_UPLOAD_BYTES = 1_000_000;

/** Most parts of a form with a file. Ours have three. */
const MAX_PARTS = 8;

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset=utf-8\s*)?$/i;

/** The alphabet of RFC 2046, without the space. */
const MULTIPART_TYPE = /^multipart\/form-data\s*;\s*boundary=("?)([\w'()+,./:=?-]{1,70})\1\s*$/i;

/** The fields of a form, and its file or null; or the status that refuses it. */
export type ReadForm =
  | { kind: 'form'; fields: ReadonlyMap<string, string>; file: Uint8Array | null }
  | { kind: 'refused'; status: 400 | 413 | 415 };

/** Returns a parser that reads one character per byte into `rawBody`: decoding as UTF-8 would replace invalid bytes without an error. */
export function bytesParser(types: readonly string[], maxBytes: number): ReturnType<typeof bodyParser> {
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: [...types] },
    textLimit: `${maxBytes}b`,
    encoding: 'binary',
  };
  return bodyParser(options);
}

/** Reads a form. Bodies with a file are the largest, so only routes that take a file read them, from people who may use the route. */
export async function readForm(ctx: ParameterizedContext, takesFile = false): Promise<ReadForm> {
  const { 'content-type': type = '', 'content-encoding': encoding } = ctx.req.headers;
  const boundary = takesFile ? MULTIPART_TYPE.exec(type)?.[2] : undefined;
  if (encoding !== undefined || (boundary === undefined && !FORM_TYPE.test(type))) return refused(415);
  // Parts have headers, and stand beside the other fields.
  const maxBytes = MAX_FORM_BYTES + (boundary === undefined ? 0 : MAX_UPLOAD_BYTES);
  const body = await readBytes(ctx, maxBytes);
  if (typeof body !== 'string') return body;
  return boundary === undefined ? parseFields(body) : parseParts(body, type, boundary);
}

function refused(status: 400 | 413 | 415): Extract<ReadForm, { kind: 'refused' }> {
  return { kind: 'refused', status };
}

/** Returns a body, one character per byte; a refusal if it is too large, or if its sender went away. */
async function readBytes(ctx: ParameterizedContext, maxBytes: number) {
  try {
    await bytesParser(['application/x-www-form-urlencoded', 'multipart/form-data'], maxBytes)(ctx, async () => {});
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 413) return refused(413);
    if (ctx.req.destroyed && !ctx.req.complete) return refused(400);
    throw error;
  }
  const { rawBody } = ctx.request;
  return typeof rawBody === 'string' ? rawBody : '';
}

/** Refuses a field that comes twice and characters that browsers encode. Our pages send neither. */
function parseFields(text: string): ReadForm {
  const pairs = [...new URLSearchParams(text)];
  const fields = new Map(pairs);
  const isOurs = PRINTABLE_ASCII.test(text) && fields.size === pairs.length;
  return isOurs ? { kind: 'form', fields, file: null } : refused(400);
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Reads fields and at most one file. An empty file input sends no file. */
async function parseParts(body: string, type: string, boundary: string): Promise<ReadForm> {
  // Counted before parsing, so that a body of empty parts costs nothing.
  if (body.split(`--${boundary}`, MAX_PARTS + 3).length > MAX_PARTS + 2) return refused(400);
  const response = new Response(Buffer.from(body, 'latin1'), { headers: { 'content-type': type } });
  const form = await response.formData().catch(() => null);
  if (form === null) return refused(400);
  const parts = [...form];
  const fields = new Map(parts.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  const files = parts.flatMap(([, value]) => (typeof value === 'string' ? [] : [value]));
  const [file, second] = files.filter(({ size }) => size > 0);
  if (fields.size + files.length < parts.length || second !== undefined) return refused(400);
  if (file === undefined) return { kind: 'form', fields, file: null };
  if (file.size > MAX_UPLOAD_BYTES) return refused(413);
  return { kind: 'form', fields, file: new Uint8Array(await file.arrayBuffer()) };
}

/**
 * Returns true unless a browser says that another site sent the form. Browsers name the origin in Sec-Fetch-Site, older ones
 * in Origin. Clients other than browsers send neither, and no other site can make them send a form.
 * @param ownUrl address of the service or of the console
 * @param nullOrigin true if our own pages send the origin "null", because they send no referrer
 */
export function isOwnForm({ headers }: IncomingMessage, ownUrl: string, nullOrigin: boolean): boolean {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined || origin === 'null') return origin === undefined || nullOrigin;
  return origin === new URL(ownUrl).origin || origin.replace(/^https?:\/\//, '') === host;
}
