import { createHash } from 'node:crypto';
import type { Scope } from '../platform/base/scope.ts';
import { createLimiter } from '../platform/database/query/limiter.ts';
import { getPractice } from './find.ts';
import { PracticeLogo } from './logo.entity.ts';
import type { Practice } from './practice.entity.ts';

/*
 * Decodes pictures of strangers. Only the loaders of three formats are open, chosen by the first bytes and never by a name
 * or declared type. The size is read before anything is decoded. Decoding runs in a thread of libvips, one at a time.
 */

/** A logo as this service encoded it: a PNG without metadata. */
export interface LogoImage {
  bytes: Buffer;
  width: number;
  height: number;
}

export type LogoRefusal = 'not_an_image' | 'too_many_pixels' | 'unreadable' | 'busy';

/** Most pixels of a picture. Decoded whole, with four channels of 16 bits, it takes 72 MB. */
const MAX_PIXELS = 9_000_000;

/** Pictures that are decoded or wait for it. More are refused, so that memory stays bounded. */
const MAX_UNDER_WAY = 4;

const limiter = createLimiter({ placesInAll: 1 });
let underWay = 0;

/** Decodes a PNG, JPEG or WebP file, and encodes its first frame anew. Nothing of the file's own bytes is kept. */
export async function decodeLogo(file: Uint8Array): Promise<LogoImage | LogoRefusal> {
  if (!hasKnownSignature(file)) return 'not_an_image';
  if (underWay >= MAX_UNDER_WAY) return 'busy';
  underWay++;
  try {
    return await limiter.run('logo', () => decode(file));
  } finally {
    underWay--;
  }
}

async function decode(file: Uint8Array): Promise<LogoImage | LogoRefusal> {
  const sharp = await loadSharp();
  const input = { failOn: 'error', pages: 1, limitInputChannels: 4 } as const;
  try {
    const { width, height } = await sharp(file, { ...input, limitInputPixels: false }).metadata();
    if (width * height > MAX_PIXELS) return 'too_many_pixels';
    const { data, info } = await sharp(file, { ...input, limitInputPixels: MAX_PIXELS, sequentialRead: true })
      .autoOrient()
      .resize(480, 160, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .png({ palette: true, compressionLevel: 9 })
      .timeout({ seconds: 5 })
      .toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height };
  } catch {
    // libvips reports damaged, cut and endless files alike.
    return 'unreadable';
  }
}

/** Loads the library with the first picture, because most processes never see one. */
async function loadSharp() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'] });
  return sharp;
}

function hasKnownSignature(file: Uint8Array): boolean {
  const head = Buffer.from(file.buffer, file.byteOffset, Math.min(file.byteLength, 12));
  const isPng = head.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
  const isJpeg = head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]));
  const isWebp = head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP';
  return isPng || isJpeg || isWebp;
}

/** Sets the practice's logo, or removes it with null, in the caller's transaction. Former logos are deleted. @throws ApiError `not_found` */
export async function setLogo(scope: Scope, practiceId: string, image: LogoImage | null): Promise<Practice> {
  const { em, clock } = scope;
  const practice = await getPractice(scope, practiceId);
  const hash = image && createHash('sha256').update(practiceId).update(image.bytes).digest('hex');
  if (hash === practice.logoHash) return practice;
  if (image && hash) await em.insert(PracticeLogo, { practiceId, hash, ...image, createdAt: clock.now() });
  em.assign(practice, { logoHash: hash, logoWidth: image?.width ?? null, logoHeight: image?.height ?? null });
  await em.flush();
  await em.nativeDelete(PracticeLogo, { practiceId, hash: { $ne: hash } });
  return practice;
}

/** Returns the PNG file with this hash, or null. Anyone may read it: the hosted pages show it. */
export async function findLogo({ em }: Scope, hash: string): Promise<Buffer | null> {
  const logo = await em.findOne(PracticeLogo, { hash });
  return logo === null ? null : Buffer.from(logo.bytes);
}
