import { createHash } from 'node:crypto';
import type { Scope } from '../platform/base/scope.ts';
import { getPractice } from './find.ts';
import { PracticeLogo } from './logo.entity.ts';
import type { LogoImage } from './logo-image.ts';
import type { Practice } from './practice.entity.ts';

/**
 * Sets the practice's logo, or removes it with null, in the caller's transaction. Former logos are deleted.
 *
 * @throws ApiError `not_found`
 */
export async function setLogo(scope: Scope, practiceId: string, image: LogoImage | null): Promise<Practice> {
  const { em, clock } = scope;
  const practice = await getPractice(scope, practiceId);
  const hash = image === null ? null : createHash('sha256').update(practiceId).update(image.bytes).digest('hex');
  if (hash === practice.logoHash) return practice;
  if (hash !== null && image !== null) {
    em.create(PracticeLogo, { practiceId, hash, ...image, createdAt: clock.now() });
    await em.flush();
  }
  em.assign(practice, { logoHash: hash, logoWidth: image?.width ?? null, logoHeight: image?.height ?? null });
  await em.flush();
  await em.nativeDelete(PracticeLogo, { practiceId, ...(hash === null ? {} : { hash: { $ne: hash } }) });
  return practice;
}

/** Returns the PNG file with this hash, or null. Anyone may read it: the hosted pages show it. */
export async function findLogo({ em }: Scope, hash: string): Promise<Buffer | null> {
  const logo = await em.findOne(PracticeLogo, { hash });
  return logo === null ? null : Buffer.from(logo.bytes);
}
