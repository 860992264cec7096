import { randomBytes } from 'node:crypto';
import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import type { LinkSource, PaymentLink } from '../model/payment-link.entity.ts';
import type { LinkInput } from './input.ts';

/** Facts about a practice that a new link depends on. */
export interface PracticeSnapshot {
  paymentsEnabled: boolean;
  activeLocations: { id: string; name: string }[];
}

/** Last known snapshot of each practice, as JSON. The database checks it at each create. */
export type SnapshotCache = Pick<Map<string, string>, 'get' | 'set'>;

/** Limit of cached snapshots. The oldest entry is evicted first. */
const MAX_SNAPSHOTS = 10_000;

/** Creates an empty snapshot cache. */
export function createSnapshotCache(): SnapshotCache {
  const snapshots = new Map<string, string>();
  return {
    get: (practiceId) => snapshots.get(practiceId),
    set(practiceId, snapshot) {
      const [first] = snapshots.keys();
      if (snapshots.size >= MAX_SNAPSHOTS && first !== undefined) snapshots.delete(first);
      return snapshots.set(practiceId, snapshot);
    },
  };
}

/** Parses a snapshot from the database. */
export function parseSnapshot(text: string): PracticeSnapshot {
  // The SQL function `practice_snapshot` builds this shape.
  return JSON.parse(text) as PracticeSnapshot;
}

/** Section 8 of the interface: 30 days. */
const DEFAULT_EXPIRY_MS = 30 * 86_400_000;

/** 24 random bytes: 192 bits against guessing, 32 characters in the hosted page's address. */
const TOKEN_BYTES = 24;

/**
 * Chooses the location of a new link; null if there is no active location.
 *
 * @param asked the location that the caller named, if any
 * @param pin the location the key is pinned to, if any
 * @throws ApiError `not_found` for a location that is unknown, inactive or outside the pin; `validation_error` when
 *   one of several must be named and isn't
 */
export function chooseLocation(snapshot: PracticeSnapshot, asked: string | null, pin: string | null) {
  const { activeLocations } = snapshot;
  if (asked !== null) {
    const named = activeLocations.find(({ id }) => id === asked);
    if (named === undefined || (pin !== null && pin !== asked))
      throw new ApiError('not_found', { param: 'locationId' });
    return named;
  }
  const candidates = pin === null ? activeLocations : activeLocations.filter(({ id }) => id === pin);
  if (candidates.length > 1) {
    const message = 'locationId is required: the practice has several locations.';
    throw new ApiError('validation_error', { param: 'locationId', message });
  }
  return candidates[0] ?? null;
}

/** A new link before it is stored. The insert matches its patient. */
export type NewLink = Omit<PaymentLink, 'patientId'>;

/** Makes a new link as a plain object: making an entity costs more than the rest of the request. */
export function newLink(
  { clock }: Scope,
  owner: { practiceId: string; test: boolean; locationId: string; source: LinkSource },
  input: LinkInput,
): NewLink {
  const now = clock.now();
  const { patient } = input;
  return {
    ...owner,
    id: newId('paymentLink', now),
    token: randomBytes(TOKEN_BYTES).toString('base64url'),
    status: 'active',
    amountCents: input.amountCents,
    currency: 'usd',
    description: input.description,
    externalReference: input.externalReference,
    metadata: input.metadata,
    patientFirstName: patient.firstName,
    patientLastName: patient.lastName,
    patientPhone: patient.phone,
    patientEmail: patient.email,
    patientExternalId: patient.externalId,
    expiresAt: input.expiresAt ?? new Date(now.getTime() + DEFAULT_EXPIRY_MS),
    paidAt: null,
    closedAt: null,
    closedBy: null,
    openAttemptId: null,
    createdAt: now,
  };
}

/** Returns the link's row as JSON for `json_populate_record`: one parameter instead of twenty. */
export function insertableRow(link: NewLink): string {
  return JSON.stringify({
    id: link.id,
    practice_id: link.practiceId,
    location_id: link.locationId,
    test: link.test,
    token: link.token,
    status: link.status,
    source: link.source,
    amount_cents: link.amountCents,
    currency: link.currency,
    description: link.description,
    external_reference: link.externalReference,
    metadata: link.metadata,
    patient_first_name: link.patientFirstName,
    patient_last_name: link.patientLastName,
    patient_phone: link.patientPhone,
    patient_email: link.patientEmail,
    patient_external_id: link.patientExternalId,
    expires_at: link.expiresAt,
    paid_at: link.paidAt,
    closed_at: link.closedAt,
    closed_by: link.closedBy,
    created_at: link.createdAt,
  });
}
