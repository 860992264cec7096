/** Longest mail address that SMTP carries (RFC 5321, section 4.5.3.1.3). */
const MAX_LENGTH = 254;

/** An address of ASCII characters, without those that separate addresses in a mail's header. */
const ADDRESS = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** Returns the mail address trimmed and in lower case, as people are stored; null if the text is none. */
export function normalizeEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= MAX_LENGTH && ADDRESS.test(email) ? email : null;
}
