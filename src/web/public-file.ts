import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ParameterizedContext } from 'koa';
import { ApiError } from '../platform/base/errors.ts';

/** Digits of a file's hash: 64 bits, so that two versions of a file never share one. */
const HASH_DIGITS = 16;

/** Time for which a browser or a proxy may use a file without asking again, in seconds. */
export const FRESH_SECONDS = 300;

/** One year in seconds, for files whose address names their hash. */
const FOREVER_SECONDS = 31_536_000;

/** Brotli's quality. Higher ones take ten times as long for a few per cent. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** Content encodings, in order of preference. */
const ENCODERS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
  identity: async (bytes: Buffer) => bytes,
};

type Encoding = keyof typeof ENCODERS;
// The keys of a constant object are its type's keys.
const ENCODINGS = Object.keys(ENCODERS) as Encoding[];

/** File of the colors and common parts, with which all style sheets begin. */
export const BASE = new URL('assets/base.css', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Headers of every file. */
const HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Strict-Transport-Security': 'max-age=63072000' };

/** A file that everybody may read. */
export type PublicFile = ReturnType<typeof publicFile>;

/**
 * Returns a file that is made at its first use, and then stays in memory: most processes are never asked for documentation.
 * @param path below the public address, with leading slash
 */
export function publicFile(
  path: string,
  type: string,
  make: () => string | Buffer,
  headers: Readonly<Record<string, string>> = {},
) {
  let content: Buffer | undefined;
  let digits: string | undefined;
  const encodings: Partial<Record<Encoding, Promise<Buffer>>> = {};
  const bytes = () => {
    content ??= Buffer.from(make());
    return content;
  };
  /** Returns digits that change with the content. */
  const hash = () => {
    digits ??= createHash('sha256').update(bytes()).digest('hex').slice(0, HASH_DIGITS);
    return digits;
  };
  const encode = (encoding: Encoding) => {
    encodings[encoding] ??= ENCODERS[encoding](bytes());
    return encodings[encoding];
  };
  /** Returns the path with the hash, for pages. */
  const address = () => ({ path: `${path}?v=${hash()}` });
  return { path, type, headers, bytes, hash, encode, address };
}

/** Returns a file of a folder that pages load, behind the files on which it builds. */
export function assetFile(
  path: string,
  folder: URL,
  before: readonly URL[] = path.endsWith('.css') ? [BASE] : [],
): PublicFile {
  const parts = [...before, new URL(basename(path), folder)];
  const read = () => Buffer.concat(parts.map((part) => readFileSync(part)));
  return publicFile(path, TYPES[extname(path)] ?? '', read, { 'Cross-Origin-Resource-Policy': 'same-origin' });
}

/** Answers a file, compressed as the client accepts, with a tag by which it asks for it again. */
export async function answerFile(ctx: ParameterizedContext, file: PublicFile, status = 200): Promise<void> {
  requireReading(ctx);
  const encoding = ENCODINGS.find((name) => ctx.acceptsEncodings(name) !== false) ?? 'identity';
  ctx.set({ ...HEADERS, ...file.headers });
  // During a deploy a page of one release may ask the other release for a file, so a wrong hash must not be kept.
  const age = ctx.querystring === `v=${file.hash()}` ? `${FOREVER_SECONDS}, immutable` : FRESH_SECONDS;
  ctx.set('Cache-Control', `public, max-age=${age}`);
  ctx.vary('Accept-Encoding');
  ctx.status = status;
  ctx.etag = `${file.hash()}-${encoding}`;
  if (status === 200 && ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const bytes = await file.encode(encoding);
  ctx.type = file.type;
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = bytes;
}

/** @throws ApiError `method_not_allowed` for a method that does not read */
export function requireReading(ctx: ParameterizedContext): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  throw new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
}
