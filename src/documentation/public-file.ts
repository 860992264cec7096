import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A document that everybody may read. It stays in memory; requests for it need neither database nor disk. */
export interface PublicFile {
  /** Path below the public address, with leading slash. */
  path: string;
  /** Media type, with the character set of texts. */
  type: string;
  bytes: Buffer;
  /** Digits that change with the bytes. */
  hash: string;
  headers: Readonly<Record<string, string>>;
}

/** Content encodings that files are served with. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** Digits of the hash: 64 bits, so that two versions of a file never share a tag. */
const HASH_DIGITS = 16;

/** Brotli's quality. Higher ones take ten times as long for a few per cent. */
const BROTLI_QUALITY = 6;

const compressed = new WeakMap<PublicFile, Map<Encoding, Promise<Buffer>>>();

/** Creates a file. Texts are encoded in UTF-8. */
export function publicFile(
  path: string,
  type: string,
  content: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): PublicFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS);
  return { path, type, bytes, hash, headers };
}

/** Returns the file's bytes in an encoding. Compresses a file once per encoding, at the first request for it. */
export function encoded(file: PublicFile, encoding: Encoding): Promise<Buffer> {
  const known = compressed.get(file) ?? new Map<Encoding, Promise<Buffer>>();
  compressed.set(file, known);
  const bytes = known.get(encoding) ?? compress(file.bytes, encoding);
  known.set(encoding, bytes);
  return bytes;
}

function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
    case 'gzip':
      return promisify(gzip)(bytes);
    case 'identity':
      return Promise.resolve(bytes);
  }
}
