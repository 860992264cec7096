import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { parsePhone } from '../base/phone.ts';
import type { Scope } from '../base/scope.ts';
import { getPractice } from './find.ts';
import { Location } from './location.entity.ts';
import { Practice } from './practice.entity.ts';

/** Properties of a new practice. */
export interface NewPractice {
  name: string;
  /** Mail address of the administrator. */
  adminEmail: string;
  paymentsEnabled: boolean;
  /** Telephone number for patients, with + and country code. */
  phone?: string | null | undefined;
}

/** Properties of a new location. */
export interface NewLocation {
  practiceId: string;
  name: string;
  city: string;
  state: string;
  timeZone: string;
  /** Telephone number for patients, instead of the practice's. */
  phone?: string | null | undefined;
}

/** Creates a practice with API access on. @throws ApiError `validation_error` */
export async function createPractice(scope: Scope, input: NewPractice): Promise<Practice> {
  if (!/^[^\s@]+@[^\s@]+$/.test(input.adminEmail)) {
    throw new ApiError('validation_error', { message: 'The administrator needs a mail address.', param: 'adminEmail' });
  }
  const now = scope.clock.now();
  const practice = scope.em.create(Practice, {
    ...input,
    phone: phone(input.phone ?? null),
    id: newId('practice', now),
    apiAccessEnabled: true,
    processorAccountId: null,
    bankDebitsEnabled: true,
    createdAt: now,
  });
  await scope.em.flush();
  return practice;
}

/**
 * Changes the onboarding state, API access or the telephone number for patients (null removes it). The change is
 * effective at the next request in every process.
 *
 * @throws ApiError `not_found`, `validation_error`
 */
export async function updatePractice(
  scope: Scope,
  id: string,
  changes: { paymentsEnabled?: boolean; apiAccessEnabled?: boolean; phone?: string | null },
): Promise<Practice> {
  const practice = await getPractice(scope, id);
  if (changes.paymentsEnabled !== undefined) practice.paymentsEnabled = changes.paymentsEnabled;
  if (changes.apiAccessEnabled !== undefined) practice.apiAccessEnabled = changes.apiAccessEnabled;
  if (changes.phone !== undefined) practice.phone = phone(changes.phone);
  await scope.em.flush();
  return practice;
}

/** Creates an active location. @throws ApiError `not_found`, `validation_error` */
export async function createLocation(scope: Scope, input: NewLocation): Promise<Location> {
  await getPractice(scope, input.practiceId);
  if (!isTimeZone(input.timeZone)) {
    throw new ApiError('validation_error', { message: 'The time zone must be an IANA zone name.', param: 'timeZone' });
  }
  const now = scope.clock.now();
  const location = scope.em.create(Location, {
    ...input,
    phone: phone(input.phone ?? null),
    id: newId('location', now),
    active: true,
    createdAt: now,
  });
  await scope.em.flush();
  return location;
}

/** Deactivates a location. Its links stay valid. Deactivating it again changes nothing. */
export async function deactivateLocation(scope: Scope, id: string): Promise<Location> {
  const location = await scope.em.findOne(Location, { id });
  if (location === null) throw new ApiError('not_found', { message: 'No such location.' });
  location.active = false;
  await scope.em.flush();
  return location;
}

function phone(text: string | null): string | null {
  const number = text === null ? null : parsePhone(text);
  if (text === null || number !== null) return number;
  const message = 'The telephone number must be valid and in international format, such as +12025550143.';
  throw new ApiError('validation_error', { message, param: 'phone' });
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
