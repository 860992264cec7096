/** Longest path that is kept. Our paths have at most some hundred characters. */
const MAX_LENGTH = 512;

/** The alphabet of ids. So the text can name no other site, however a browser reads it. */
const PATH = /^\/console(?:\/[\w-]{1,128}){1,8}$/;

/** Pages of the sign-in itself, and forms that end it. */
const SIGN_IN = /^\/console\/(?:sign-in|sign-out|sign-out-everywhere|confirm|stay|left)(?:\/|$)/;

/**
 * Returns the text if it is the path of a page to which a sign-in may lead back; else null. Parameters of addresses are
 * not kept, because a search may name a patient.
 */
export function returnPathOf(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text.length > MAX_LENGTH) return null;
  return PATH.test(text) && !SIGN_IN.test(text) ? text : null;
}

/** Returns the path of a page of the sign-in. It names the page to which the sign-in leads back, if there is one. */
export function signInPath({
  page = '/console/sign-in',
  returnPath,
}: {
  page?: string;
  returnPath: string | null;
}): string {
  return returnPath === null ? page : `${page}?${new URLSearchParams({ to: returnPath })}`;
}
