import { ApiError } from '../base/errors.ts';
import { isId, newId } from '../base/ids.ts';
import { findPage, type ListPage, type Page } from '../base/list-page.ts';
import { parsePhone } from '../base/phone.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import { Location } from './location.entity.ts';
import { Practice } from './practice.entity.ts';

/** What a new practice needs to be told. */
export interface NewPractice {
  name: string;
  /** Where mails to the administrator go. */
  adminEmail: string;
  paymentsEnabled: boolean;
  /** Whom patients call, with + and country code. */
  phone?: string | null | undefined;
}

/** What a new location needs to be told. */
export interface NewLocation {
  practiceId: string;
  name: string;
  city: string;
  state: string;
  timeZone: string;
  /** Whom patients call in place of the practice's. */
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
 * Switches onboarding or API access, or says whom patients call (null: nobody); effective at the next request in every
 * process.
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

/** All practices, oldest first. */
export function listPractices(scope: Scope): Promise<Practice[]> {
  return scope.em.findAll(Practice, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

/** The practice, or `not_found`. */
export async function getPractice(scope: Scope, id: string): Promise<Practice> {
  const practice = await scope.em.findOne(Practice, { id });
  if (practice === null) throw new ApiError('not_found', { message: 'No such practice.' });
  return practice;
}

/** Adds an active location to a practice. */
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

/** Takes a location out of use; again changes nothing. Links made there live on. */
export async function deactivateLocation(scope: Scope, id: string): Promise<Location> {
  const location = await scope.em.findOne(Location, { id });
  if (location === null) throw new ApiError('not_found', { message: 'No such location.' });
  location.active = false;
  await scope.em.flush();
  return location;
}

/** One page of the active locations the key can see, by name, and how many there are in all. */
export function listVisibleLocations(scope: CallerScope, page: Page): Promise<ListPage<Location>> {
  const { practiceId, locationId } = scope.caller;
  const where = { practiceId, active: true, ...(locationId === null ? {} : { id: locationId }) };
  return findPage(scope.em, Location, where, { name: 'asc', id: 'asc' }, page);
}

/**
 * An active location the key can see.
 *
 * @param param the field that named it, if one did
 * @throws ApiError `not_found`
 */
export async function getVisibleLocation(scope: CallerScope, id: string, param?: string): Promise<Location> {
  const { practiceId, locationId } = scope.caller;
  const isOutside = !isId('location', id) || (locationId !== null && locationId !== id);
  const location = isOutside ? null : await scope.em.findOne(Location, { id, practiceId, active: true });
  if (location === null) throw new ApiError('not_found', { param });
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
