import { auditRows } from '../../audit/audit.ts';
import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { CURRENCY } from '../../base/money.ts';
import type { CallerScope, Scope } from '../../base/scope.ts';
import { newSecret } from '../../base/slot.ts';
import { rowJson } from '../../database/query/columns.ts';
import { linkCreated } from '../link/acts.ts';
import { linkView } from '../link/views.ts';
import type { LinkSource, PaymentLink } from '../model/payment-link.entity.ts';
import { checkExpiry, type LinkInput } from './input.ts';

/* From the input of a create request and the practice snapshot to the link, its row and the reply. No database. */

/** Section 8 of the interface: 30 days. */
const DEFAULT_EXPIRY_MS = 30 * 86_400_000;

/** Facts about a practice that a new link depends on. */
export interface PracticeSnapshot {
  paymentsEnabled: boolean;
  /** Slot of the practice, which the token of the hosted page carries. */
  slot: number;
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

/** The row of a new link, with that of the audit log as `acts`, and the reply to its request. */
export interface Draft {
  row: string;
  reply: string;
}

/** Drafts the link with this snapshot; returns the error if the link cannot be created. */
export function draftLink(scope: CallerScope, input: LinkInput, snapshot: PracticeSnapshot): Draft | ApiError {
  const { practiceId, test, locationId } = scope.caller;
  try {
    const { link, location } = prepare(scope, { id: practiceId, test, pin: locationId }, snapshot, 'api', input);
    const resource = linkView(scope, link, { location, transaction: null, refunds: [] });
    const acts = auditRows(scope, [linkCreated(link)]);
    return { row: rowJson({ ...link, acts }), reply: JSON.stringify(resource) };
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
export function prepare(
  scope: Scope,
  owner: { id: string; test: boolean; pin: string | null },
  snapshot: PracticeSnapshot,
  source: LinkSource,
  input: LinkInput,
) {
  const now = scope.clock.now();
  if (input.expiresAt !== null) checkExpiry(input.expiresAt, now, now);
  const location = chooseLocation(snapshot, input.locationId, owner.pin);
  if (!owner.test && !snapshot.paymentsEnabled) throw new ApiError('payments_not_enabled');
  if (location === null) throw new ApiError('no_active_location');
  const place = { practiceId: owner.id, test: owner.test, locationId: location.id, source };
  const link = newLink(scope, place, snapshot.slot, input);
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
function chooseLocation(snapshot: PracticeSnapshot, asked: string | null, pin: string | null) {
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

/** Makes a new link as a plain object: making an entity costs more than the rest of the request. The insert matches its patient. */
export function newLink(
  { clock }: Scope,
  owner: { practiceId: string; test: boolean; locationId: string; source: LinkSource },
  slot: number,
  input: LinkInput,
): PaymentLink {
  const now = clock.now();
  const { patient } = input;
  return {
    ...owner,
    id: newId('paymentLink', now),
    token: newSecret(slot),
    status: 'active',
    amountCents: input.amountCents,
    currency: CURRENCY,
    description: input.description,
    externalReference: input.externalReference,
    metadata: input.metadata,
    patientId: null,
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
    version: 1,
  };
}
