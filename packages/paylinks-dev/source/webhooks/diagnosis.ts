import { signatureOf, TOLERANCE_SECONDS } from './signature.ts';

/*
 * The rule that finds why a webhook does not verify. The command words its faults here. The service's console imports
 * `findFault` and words them in its languages, so this file imports nothing but signatures.
 */

/** A webhook as it arrived. */
export interface Arrived {
  secret: string;
  /** Value of `Service-Signature`. */
  header: string;
  /** Bytes of the body. */
  body: Buffer;
  /** Unix time of the arrival. */
  now: number;
  /** Secrets that may have been meant. */
  otherSecrets: readonly string[];
}

/** Reason why a webhook does not verify. */
export type Reason = 'malformed_header' | 'clock' | 'wrong_secret' | 'changed_body' | 'wrong_secret_or_body';

/** Fault of the header's form. */
export type HeaderFault =
  | 'no_time'
  | 'several_times'
  | 'time_in_milliseconds'
  | 'time_not_seconds'
  | 'no_signature'
  | 'no_hexadecimal_signature';

/** Change of the body between its sender and its verification. */
export type BodyChange =
  | 'line_break_added'
  | 'line_break_missing'
  | 'white_space_added'
  | 'byte_order_mark_added'
  | 'line_breaks_changed'
  | 'encoding_changed'
  | 'decoded_wrongly'
  | 'json_written_again'
  | 'json_in_string';

/** Difference between a wrong secret and the right one. */
export type SecretFault = 'surrounded' | 'prefix_missing' | 'other';

/** Reason why a webhook does not verify, with its details. It contains no secret and nothing of the body. */
export type Fault =
  | { reason: 'malformed_header'; fault: HeaderFault; timeCount: number }
  /** Time of the signature before the arrival, in seconds; negative in the future. */
  | { reason: 'clock'; lateSeconds: number }
  /** Position of the right secret in `otherSecrets`; null if it is not one of them. */
  | { reason: 'wrong_secret'; fault: SecretFault; otherIndex: number | null }
  | { reason: 'changed_body'; change: BodyChange }
  | { reason: 'wrong_secret_or_body' };

/** Result of a verification. Message and hint repeat neither the secret nor the body. */
export type Diagnosis =
  | { genuine: true; message: string }
  | { genuine: false; reason: Reason; message: string; hint: string };

/** Returns the value of the header, also from its whole line, which people copy. */
export function headerValue(text: string): string {
  return text.replace(/^\s*service-signature:\s*/i, '').trim();
}

/**
 * Verifies a webhook by the contract's rules. If it fails, finds the reason by trying what usually goes wrong.
 *
 * @returns null if the webhook is genuine
 */
export function findFault(arrived: Arrived): Fault | null {
  const { secret, body, now } = arrived;
  const parts = arrived.header.trim().split(',');
  const times = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
  const signatures = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3));
  const [time = ''] = times;
  const fault = headerFault(times, signatures);
  if (fault !== null) return { reason: 'malformed_header', fault, timeCount: times.length };
  const fits = (key: string, bytes: Buffer) => signatures.includes(signatureOf(key, time, bytes));
  if (fits(secret, body)) {
    const lateSeconds = now - Number(time);
    return Math.abs(lateSeconds) <= TOLERANCE_SECONDS ? null : { reason: 'clock', lateSeconds };
  }
  const changed = changesOf(body).find(({ bytes }) => fits(secret, bytes));
  if (changed !== undefined) return { reason: 'changed_body', change: changed.change };
  const other = secretsLike(arrived).find(({ key }) => fits(key, body));
  if (other === undefined) return { reason: 'wrong_secret_or_body' };
  return { reason: 'wrong_secret', fault: other.fault, otherIndex: other.index };
}

/** Returns the fault of the header's form, or null. */
function headerFault(times: readonly string[], signatures: readonly string[]): HeaderFault | null {
  const [time] = times;
  if (time === undefined) return 'no_time';
  if (times.length > 1) return 'several_times';
  // Thirteen digits are milliseconds of the years 2001 to 2286.
  if (/^[1-9][0-9]{12}$/.test(time)) return 'time_in_milliseconds';
  if (!/^[0-9]{1,12}$/.test(time)) return 'time_not_seconds';
  if (signatures.length === 0) return 'no_signature';
  return signatures.some((signature) => /^[0-9a-f]{64}$/.test(signature)) ? null : 'no_hexadecimal_signature';
}

/** Returns the body without each change that frameworks, editors and shells make. */
function changesOf(body: Buffer): { change: BodyChange; bytes: Buffer }[] {
  const text = body.toString('utf8');
  const before = (change: BodyChange, original: string) => ({ change, bytes: Buffer.from(original, 'utf8') });
  const changes = [
    before('line_break_added', text.replace(/\r?\n$/, '')),
    before('line_break_missing', `${text}\n`),
    before('white_space_added', text.trim()),
    before('byte_order_mark_added', text.replace(/^\uFEFF/, '')),
    before('line_breaks_changed', text.replaceAll('\r\n', '\n')),
    before('encoding_changed', body.toString('latin1')),
    { change: 'decoded_wrongly' as const, bytes: Buffer.from(text, 'latin1') },
  ];
  try {
    const value: unknown = JSON.parse(text.trim());
    changes.push(before('json_written_again', JSON.stringify(value)));
    if (typeof value === 'string') changes.push(before('json_in_string', value));
  } catch {
    // The body is no JSON, so it was not written again as JSON.
  }
  return changes;
}

/** Returns the secrets that are easily taken for the right one. */
function secretsLike({ secret, otherSecrets }: Arrived): { fault: SecretFault; key: string; index: number | null }[] {
  const trimmed = secret.trim().replaceAll(/^["']|["']$/g, '');
  return [
    { fault: 'surrounded', key: trimmed, index: null },
    { fault: 'prefix_missing', key: `whsec_${trimmed}`, index: null },
    ...otherSecrets.map((key, index) => ({ fault: 'other' as const, key, index })),
  ];
}

/** Verifies a webhook, and words the result for the command. */
export function diagnose(arrived: Arrived): Diagnosis {
  const fault = findFault(arrived);
  if (fault === null) return { genuine: true, message: 'The webhook is genuine.' };
  return { genuine: false, reason: fault.reason, ...wordsOf(fault) };
}

function wordsOf(fault: Fault): { message: string; hint: string } {
  switch (fault.reason) {
    case 'malformed_header':
      return {
        message: HEADER_WORDS[fault.fault](fault.timeCount),
        hint: 'It must be like t=1795187106,v1=5257…, as it arrived. Is a proxy or a shell changing it?',
      };
    case 'clock': {
      const { lateSeconds } = fault;
      const distance = `${Math.round(Math.abs(lateSeconds))} seconds ${lateSeconds > 0 ? 'old' : 'in the future'}`;
      return {
        message: `Secret and body are right, but the signature is ${distance}; ${TOLERANCE_SECONDS} are allowed.`,
        hint: 'Is your clock right? Verify at the arrival, or give the time of the arrival with --at.',
      };
    }
    case 'changed_body':
      return {
        message: `The body was changed: ${CHANGE_WORDS[fault.change]}.`,
        hint: 'Verify the raw bytes, before any parsing.',
      };
    case 'wrong_secret': {
      const { what, hint } = SECRET_WORDS[fault.fault];
      return { message: `The secret is wrong: ${what}.`, hint };
    }
    case 'wrong_secret_or_body':
      return {
        message: 'No signature fits this secret and this body.',
        hint: 'Use the secret of this endpoint and mode, and the bytes exactly as they arrived.',
      };
  }
}

const HEADER_WORDS: Readonly<Record<HeaderFault, (timeCount: number) => string>> = {
  no_time: () => 'The header has no part t=….',
  several_times: (timeCount) => `The header has ${timeCount} parts t=… instead of one.`,
  time_in_milliseconds: () => 'The time t is in milliseconds, and must be in whole Unix seconds: divide it by 1000.',
  time_not_seconds: () => 'The time t must be whole Unix seconds.',
  no_signature: () => 'The header has no part v1=….',
  no_hexadecimal_signature: () => 'No v1 has 64 hexadecimal digits in lower case.',
};

const CHANGE_WORDS: Readonly<Record<BodyChange, string>> = {
  line_break_added: 'a line break was added at its end',
  line_break_missing: 'a line break at its end is missing',
  white_space_added: 'white space was added around it',
  byte_order_mark_added: 'a byte order mark was added',
  line_breaks_changed: 'its line breaks were changed to CRLF',
  encoding_changed: 'its encoding was changed from UTF-8',
  decoded_wrongly: 'it was decoded as Latin-1 and encoded again',
  json_written_again: 'its JSON was parsed and written again',
  json_in_string: 'it was written as a JSON string',
};

const WHOLE_SECRET = 'Use the whole secret as text, whsec_ included.';

const SECRET_WORDS: Readonly<Record<SecretFault, { what: string; hint: string }>> = {
  surrounded: { what: 'it has white space or quotes around it', hint: WHOLE_SECRET },
  prefix_missing: { what: 'whsec_ at its beginning is missing', hint: WHOLE_SECRET },
  other: {
    what: 'the webhook was sent by `listen`, which signs with a secret of this machine',
    hint: 'Print that secret with: paylinks-dev listen --print-secret',
  },
};
