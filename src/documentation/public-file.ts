import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Content encodings that files are served with. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** Digits of a file's hash: 64 bits, so that two versions of a file never share one. */
const HASH_DIGITS = 16;

/** Brotli's quality. Higher ones take ten times as long for a few per cent. */
const BROTLI_QUALITY = 6;

/**
 * A document that everybody may read. It is made at its first use, because a process that nobody asks for documentation
 * needs no memory for it. Then it stays in memory: requests for it need neither database nor disk.
 */
export class PublicFile {
  /** Path below the public address, with leading slash. */
  readonly path: string;
  /** Media type, with the character set of texts. */
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #make: () => string | Buffer;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();
  #bytes: Buffer | undefined;
  #hash: string | undefined;

  /** @param make returns the content; a text is encoded in UTF-8 */
  constructor(path: string, type: string, headers: Readonly<Record<string, string>>, make: () => string | Buffer) {
    this.path = path;
    this.type = type;
    this.headers = headers;
    this.#make = make;
  }

  /** Returns the content. @throws the error of `make` */
  bytes(): Buffer {
    if (this.#bytes === undefined) {
      const content = this.#make();
      this.#bytes = typeof content === 'string' ? Buffer.from(content) : content;
    }
    return this.#bytes;
  }

  /** Returns digits that change with the content. */
  hash(): string {
    this.#hash ??= createHash('sha256').update(this.bytes()).digest('hex').slice(0, HASH_DIGITS);
    return this.#hash;
  }

  /** Returns the content in an encoding. Compresses it once per encoding, at the first request for it. */
  encoded(encoding: Encoding): Promise<Buffer> {
    const bytes = this.#encoded.get(encoding) ?? compress(this.bytes(), encoding);
    this.#encoded.set(encoding, bytes);
    return bytes;
  }
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
