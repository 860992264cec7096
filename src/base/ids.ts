import { randomBytes } from 'node:crypto';

/** Prefixes of the ids a caller may see, and of those only we do. */
export const ID_PREFIXES = {
  practice: 'prac',
  location: 'loc',
  apiKey: 'key',
  paymentLink: 'plink',
  patient: 'pat',
  paymentAttempt: 'att',
  transaction: 'txn',
  refund: 're',
  bankReversal: 'rv',
  dispute: 'dp',
  webhookEndpoint: 'we',
  event: 'evt',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Crockford's base 32 in lower case: no letters that people confuse. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 48 bits of milliseconds, like a ULID, so that ids of one table are appended to its index instead of scattered. */
const TIME_CHARACTERS = 10;
/** 80 random bits: ids can't be guessed, and two processes don't meet. */
const RANDOM_CHARACTERS = 16;

let lastMs = -1;
let lastRandom: number[] = [];

/**
 * A new id of the kind, e.g. `plink_01kb3v…`. Ids of one process made in one millisecond ascend: the order of events
 * of one change rests on it. Callers must treat ids as opaque.
 */
export function newId(kind: IdKind, at: Date): string {
  const ms = at.getTime();
  lastRandom = ms === lastMs ? successor(lastRandom) : randomDigits();
  lastMs = ms;
  return `${ID_PREFIXES[kind]}_${timePart(ms)}${lastRandom.map((digit) => ALPHABET[digit]).join('')}`;
}

/**
 * The least id that an event, a link or the like made at this time can have. Ids of a kind stand in the order of their
 * time, so that `id < firstIdAt(…)` finds what is older by the primary key alone.
 */
export function firstIdAt(kind: IdKind, at: Date): string {
  return `${ID_PREFIXES[kind]}_${timePart(at.getTime())}${'0'.repeat(RANDOM_CHARACTERS)}`;
}

/** Whether the text has the shape of an id of this kind. Malformed ids are unknown ids: 404, never 400. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = `${ID_PREFIXES[kind]}_`;
  return text.startsWith(prefix) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length));
}

function timePart(ms: number): string {
  let rest = ms;
  let text = '';
  for (let position = 0; position < TIME_CHARACTERS; position++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function randomDigits(): number[] {
  return Array.from(randomBytes(RANDOM_CHARACTERS), (byte) => byte & 31);
}

/** The next value, like a counter; after the last possible one it starts with fresh random digits. */
function successor(digits: number[]): number[] {
  const next = [...digits];
  for (let position = next.length - 1; position >= 0; position--) {
    const digit = next[position] ?? 0;
    if (digit < 31) {
      next[position] = digit + 1;
      return next;
    }
    next[position] = 0;
  }
  return randomDigits();
}
