import { randomBytes } from 'node:crypto';

export const ID_PREFIXES = {
  practice: 'prac',
  location: 'loc',
  apiKey: 'key',
  apiRequest: 'areq',
  paymentLink: 'plink',
  patient: 'pat',
  paymentAttempt: 'att',
  transaction: 'txn',
  refund: 're',
  bankReversal: 'rv',
  dispute: 'dp',
  webhookEndpoint: 'we',
  event: 'evt',
  person: 'pers',
  membership: 'mem',
  passkey: 'pkey',
  signInRequest: 'sir',
  receiptRequest: 'rcr',
  auditEntry: 'aud',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Crockford's base 32 in lower case, without letters that look alike. */
export const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 48 bits of milliseconds, like a ULID, so that ids of one table are appended to its index instead of scattered. */
const TIME_CHARACTERS = 10;
/** 80 random bits, so that ids cannot be guessed and two processes do not make the same one. */
const RANDOM_CHARACTERS = 16;
const RANDOM_BYTES = 10;

const latestIds = new Map<IdKind, { ms: number; random: bigint }>();

/**
 * Returns a new id, such as `plink_01kb3v…`. Ids of a kind that one process makes in one millisecond ascend; the order
 * of events of one change depends on that.
 */
export function newId(kind: IdKind, at: Date): string {
  const ms = at.getTime();
  const formerId = latestIds.get(kind);
  const random = formerId?.ms === ms ? formerId.random + 1n : BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`);
  latestIds.set(kind, { ms, random });
  return `${ID_PREFIXES[kind]}_${timePart(ms)}${base32(random, RANDOM_CHARACTERS)}`;
}

/** Returns the smallest possible id for this time, so that `id < firstIdAt(…)` finds older rows. */
export function firstIdAt(kind: IdKind, at: Date): string {
  return `${ID_PREFIXES[kind]}_${timePart(at.getTime())}${'0'.repeat(RANDOM_CHARACTERS)}`;
}

/** Returns milliseconds. For an id of ours only. */
export function readIdTime(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1).slice(0, TIME_CHARACTERS);
  return [...digits].reduce((ms, digit) => ms * ALPHABET.length + ALPHABET.indexOf(digit), 0);
}

/** Malformed ids are unknown ids: 404, never 400. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = `${ID_PREFIXES[kind]}_`;
  return text.startsWith(prefix) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length));
}

function timePart(ms: number): string {
  return base32(BigInt(ms), TIME_CHARACTERS);
}

function base32(value: bigint, length: number): string {
  const digits = value.toString(32).padStart(length, '0').slice(-length);
  return digits.replaceAll(/./g, (digit) => ALPHABET.charAt(Number.parseInt(digit, 32)));
}
