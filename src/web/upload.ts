import type { ParameterizedContext } from 'koa';
import { type ReadForm, readFormBytes } from './read-form.ts';

/*
 * Forms with a file. Their bodies are the largest. So only routes that take a file read this type, and only
 * from people who may use the route.
 */

/** Largest file of a form, in bytes. */
const MAX_UPLOAD_BYTES = 1_000_000;

/** Room for the other fields and the headers of the parts. */
const MAX_BODY_BYTES = MAX_UPLOAD_BYTES + 8_192;

/** Most parts of a form. Ours have three. */
const MAX_PARTS = 8;

/** The alphabet of RFC 2046, without the space. */
const MULTIPART_TYPE = /^multipart\/form-data\s*;\s*boundary=("?)([\w'()+,./:=?-]{1,70})\1\s*$/i;

export function isMultipart({ req }: ParameterizedContext): boolean {
  return /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '');
}

/**
 * Reads a body of type multipart/form-data with at most one file. An empty file input sends no file. Stops reading a body that
 * is too large.
 */
export async function readUpload(ctx: ParameterizedContext): Promise<ReadForm> {
  const { 'content-type': type = '', 'content-encoding': encoding } = ctx.req.headers;
  const [, , boundary] = MULTIPART_TYPE.exec(type) ?? [];
  if (boundary === undefined || encoding !== undefined) return { kind: 'refused', status: 415 };
  const body = await readFormBytes(ctx, 'multipart/form-data', MAX_BODY_BYTES);
  if (typeof body !== 'string') return body;
  // Counted before parsing, so that a body of empty parts costs nothing.
  if (body.split(`--${boundary}`, MAX_PARTS + 3).length > MAX_PARTS + 2) return { kind: 'refused', status: 400 };
  const response = new Response(Buffer.from(body, 'latin1'), { headers: { 'content-type': type } });
  const form = await response.formData().catch(() => null);
  if (form === null) return { kind: 'refused', status: 400 };
  const parts = [...form];
  const fields = new Map(parts.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  const files = parts.flatMap(([, value]) => (typeof value === 'string' ? [] : [value]));
  const [file, second] = files.filter(({ size }) => size > 0);
  if (fields.size + files.length < parts.length || second !== undefined) return { kind: 'refused', status: 400 };
  if (file === undefined) return { kind: 'form', fields, file: null };
  if (file.size > MAX_UPLOAD_BYTES) return { kind: 'refused', status: 413 };
  return { kind: 'form', fields, file: new Uint8Array(await file.arrayBuffer()) };
}
