import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { CURRENCY } from '../../base/money.ts';
import type { Scope } from '../../base/scope.ts';
import { newSecret } from '../../base/slot.ts';
import { nullsOf } from '../../database/query/columns.ts';
import { noSuchLocation } from '../../practices/find.ts';
import { type LinkSource, PaymentLink } from '../model/payment-link.entity.ts';
import { checkExpiry, type LinkInput } from './input.ts';

/* From the input of a create request and the terms of the practice to the link. No database. */

/** Section 8 of the interface: 30 days. */
const DEFAULT_EXPIRY_MS = 30 * 86_400_000;

/** Facts about a practice that a new link depends on. */
export interface PracticeTerms {
  paymentsEnabled: boolean;
  /** Slot of the practice, which the token of the hosted page carries. */
  slot: number;
  activeLocations: { id: string; name: string }[];
}

/** Last known terms of each practice, as JSON. The store compares them at each create. */
export type TermsCache = Pick<Map<string, string>, 'get' | 'set'>;

/** Limit of cached terms. The oldest entry is evicted first. */
const MAX_TERMS = 10_000;

/** Creates an empty cache of terms. */
export function createTermsCache(): TermsCache {
  const cached = new Map<string, string>();
  return {
    get: (practiceId) => cached.get(practiceId),
    set(practiceId, terms) {
      const [first] = cached.keys();
      if (cached.size >= MAX_TERMS && first !== undefined) cached.delete(first);
      return cached.set(practiceId, terms);
    },
  };
}

/** The one for whom a link is created. */
export interface LinkOwner {
  id: string;
  test: boolean;
  /** Location to which the key is pinned; null for all locations of the practice. */
  pin: string | null;
  source: LinkSource;
}

/** A link that can be created on certain terms, with its location. */
export interface Draft {
  link: PaymentLink;
  location: { id: string; name: string };
}

/** Drafts the link on these terms of the practice, as the store wrote them. Returns the error if it cannot be created. */
export function draftLink(scope: Scope, owner: LinkOwner, terms: string, input: LinkInput): Draft | ApiError {
  try {
    // The SQL function `practice_terms` builds this shape.
    return prepare(scope, owner, JSON.parse(terms) as PracticeTerms, input);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/**
 * Checks the request against the practice and makes the link. Checks run in this order: values, existence, onboarding,
 * locations.
 *
 * @throws ApiError `validation_error`, `not_found`, `payments_not_enabled`, `no_active_location`
 */
function prepare(scope: Scope, owner: LinkOwner, terms: PracticeTerms, input: LinkInput): Draft {
  const now = scope.clock.now();
  if (input.expiresAt !== undefined) checkExpiry(input.expiresAt, now, now);
  const location = chooseLocation(terms, input.locationId, owner.pin);
  if (!owner.test && !terms.paymentsEnabled) throw new ApiError('payments_not_enabled');
  if (location === null) throw new ApiError('no_active_location');
  const place = { practiceId: owner.id, test: owner.test, locationId: location.id, source: owner.source };
  const link = newLink(scope, place, terms.slot, input);
  return { link, location };
}

/**
 * Chooses the location of a new link; null if there is no active location.
 *
 * @param asked the location that the caller named, if any
 * @param pin the location the key is pinned to, if any
 * @throws ApiError `not_found` for a location that is unknown, inactive or outside the pin; `validation_error` when
 *   one of several must be named and isn't
 */
function chooseLocation({ activeLocations }: PracticeTerms, asked: string | null, pin: string | null) {
  if (asked !== null) {
    const named = activeLocations.find(({ id }) => id === asked);
    if (named === undefined || (pin !== null && pin !== asked)) throw noSuchLocation('locationId');
    return named;
  }
  const candidates = pin === null ? activeLocations : activeLocations.filter(({ id }) => id === pin);
  if (candidates.length > 1) {
    const message = 'locationId is required: the practice has several locations.';
    throw new ApiError('validation_error', { param: 'locationId', message });
  }
  return candidates[0] ?? null;
}

const EMPTY = nullsOf(PaymentLink);

/** Makes a new link as a plain object: making an entity costs more than the rest of the request. The insert matches its patient. */
export function newLink(
  { clock }: Scope,
  owner: { practiceId: string; test: boolean; locationId: string; source: LinkSource },
  slot: number,
  { locationId: _, ...fields }: LinkInput,
): PaymentLink {
  const now = clock.now();
  return {
    ...EMPTY,
    currency: CURRENCY,
    expiresAt: new Date(now.getTime() + DEFAULT_EXPIRY_MS),
    ...fields,
    ...owner,
    id: newId('paymentLink', now),
    token: newSecret(slot),
    status: 'active',
    createdAt: now,
    version: 1,
  };
}
