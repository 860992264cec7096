/** Longest mail address that SMTP carries, and its longest part before the @ (RFC 5321, section 4.5.3.1). */
const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;

/** Longest part of a host between two dots (RFC 1035, section 2.3.4). */
const MAX_LABEL_LENGTH = 63;

/** An address of ASCII characters, without separators of addresses in a mail's header. */
const ADDRESS = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** Returns the address in lower case, as people are stored; null if the text is none. */
export function normalizeEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= MAX_LENGTH && ADDRESS.test(email) && findEmailFault(email) === null ? email : null;
}

/** Returns the fault of an address as the rest of a sentence; null if there is none. */
export function findEmailFault(text: string): string | null {
  const [local = '', host = ''] = text.split(/@(?!.*@)/s);
  if (/[^\0-\x7f]/.test(host)) {
    return 'must have a host of ASCII letters; write another one in Punycode, such as xn--bcher-kva.example';
  }
  if (/[^\0-\x7f]/.test(local)) return 'must have ASCII characters alone before the @';
  if (local.length > MAX_LOCAL_LENGTH) {
    return `must have at most ${MAX_LOCAL_LENGTH} characters before the @; it has ${local.length}`;
  }
  if (host.split('.').some((label) => label.length > MAX_LABEL_LENGTH)) {
    return `must have at most ${MAX_LABEL_LENGTH} characters between two dots of its host`;
  }
  return null;
}
