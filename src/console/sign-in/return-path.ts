/** Longest path that is kept. Our paths have at most some hundred characters. */
const MAX_LENGTH = 512;

/** Returns true for paths with the alphabet of ids. So the text can name no other site, however a browser reads it. */
export function isConsolePath(text: string): boolean {
  return text.length <= MAX_LENGTH && PATH.test(text);
}

const PATH = /^\/console(?:\/[\w-]{1,128}){1,8}$/;

/** Pages of the sign-in itself, and forms that end it. */
const SIGN_IN = /^\/console\/(?:sign-in|sign-out|sign-out-everywhere|confirm|continue|stay|left)(?:\/|$)/;

/**
 * Returns the text if it is the path of a page to which a sign-in may lead back; else null. Parameters of addresses are
 * not kept, because a search may name a patient.
 */
export function returnPathOf(text: string | null | undefined): string | null {
  if (text === null || text === undefined || !isConsolePath(text)) return null;
  return SIGN_IN.test(text) ? null : text;
}

/** Returns the path of a page of the sign-in. It names the page to which the sign-in leads back, if there is one. */
export function signInPath({
  page = '/console/sign-in',
  ended = false,
  returnPath,
}: {
  page?: string;
  /** The session has ended, and the page says so. */
  ended?: boolean;
  returnPath: string | null;
}): string {
  const parameters = new URLSearchParams({
    ...(ended && { ended: '1' }),
    ...(returnPath !== null && { to: returnPath }),
  });
  return parameters.size === 0 ? page : `${page}?${parameters}`;
}
