import type { ParameterizedContext } from 'koa';
import bodyParser from 'koa-bodyparser';
import { bodyRefusal } from '../../pages/forms/read-form.ts';

/*
 * Forms with a file. Their bodies are the largest of the console. So only routes that take a file read this type, and only
 * from people who may use the route.
 */

/** Largest file of a form, in bytes. */
export const MAX_UPLOAD_BYTES = 1_000_000;

/** Room for the other fields and the headers of the parts. */
const MAX_BODY_BYTES = MAX_UPLOAD_BYTES + 8_192;

/** Most parts of a form. Ours have three. */
const MAX_PARTS = 8;

/** The alphabet of RFC 2046, without the space. */
const MULTIPART_TYPE = /^multipart\/form-data\s*;\s*boundary=("?)([\w'()+,./:=?-]{1,70})\1\s*$/i;

/** Reads one character per byte. */
const asBytes = {
  enableTypes: ['text'],
  extendTypes: { text: ['multipart/form-data'] },
  textLimit: `${MAX_BODY_BYTES}b`,
  encoding: 'binary',
};
const read = bodyParser(asBytes);

/** The fields and the file of a form, or the status that refuses it. An empty file input sends no file. */
export type ReadUpload =
  | { kind: 'form'; fields: ReadonlyMap<string, string>; file: Uint8Array | null }
  | { kind: 'refused'; status: 400 | 413 | 415 };

/** Returns true if the body says that it is a form with files. */
export function isMultipart({ req }: ParameterizedContext): boolean {
  return /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '');
}

/** Reads a body of type multipart/form-data with at most one file. Stops reading a body that is too large. */
export async function readUpload(ctx: ParameterizedContext): Promise<ReadUpload> {
  const { 'content-type': type = '', 'content-encoding': encoding } = ctx.req.headers;
  const [, , boundary] = MULTIPART_TYPE.exec(type) ?? [];
  if (boundary === undefined || encoding !== undefined) return { kind: 'refused', status: 415 };
  try {
    await read(ctx, async () => {});
  } catch (error) {
    return bodyRefusal(ctx, error);
  }
  const { rawBody } = ctx.request;
  const body = typeof rawBody === 'string' ? rawBody : '';
  // Counted before parsing, so that a body of empty parts costs nothing.
  if (body.split(`--${boundary}`, MAX_PARTS + 3).length > MAX_PARTS + 2) return { kind: 'refused', status: 400 };
  return parse(Buffer.from(body, 'latin1'), type);
}

async function parse(body: Buffer<ArrayBuffer>, type: string): Promise<ReadUpload> {
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => null);
  if (form === null) return { kind: 'refused', status: 400 };
  const fields = new Map<string, string>();
  const files: File[] = [];
  for (const [name, value] of form) {
    if (typeof value !== 'string') files.push(value);
    else if (fields.has(name)) return { kind: 'refused', status: 400 };
    else fields.set(name, value);
  }
  const [file, second] = files.filter(({ size }) => size > 0);
  if (second !== undefined) return { kind: 'refused', status: 400 };
  if (file === undefined) return { kind: 'form', fields, file: null };
  if (file.size > MAX_UPLOAD_BYTES) return { kind: 'refused', status: 413 };
  return { kind: 'form', fields, file: new Uint8Array(await file.arrayBuffer()) };
}
