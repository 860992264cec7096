import type { CreatePaymentLinkRequest, UpdatePaymentLinkRequest } from '../../contract/operations-type.ts';
import { findEmailFault } from '../../platform/base/email.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { CURRENCY, centsFromDollars, MAX_AMOUNT_CENTS } from '../../platform/base/money.ts';
import { parsePhone } from '../../platform/base/phone.ts';
import { randomText } from '../../platform/base/random-text.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { isBlank, trimBlanks } from '../../platform/base/text.ts';
import { readTimestamp } from '../../platform/base/time/timestamp.ts';
import { makeNulls } from '../../platform/database/query/columns.ts';
import { noSuchLocation } from '../../practices/find.ts';
import { type LinkSource, PaymentLink } from '../model/payment-link.entity.ts';
import { HOSTED_TEXTS, type LinkValues, nameProperty } from '../state/fields.ts';
import { containsCardNumber } from './card-number.ts';

export interface LinkInput extends LinkValues {
  amountCents: number;
  description: string;
  patientFirstName: string;
  patientLastName: string;
  /** Null: the only active location of the practice, or the one the key is pinned to. */
  locationId: string | null;
}

const DAY_MS = 86_400_000;

/** Expiry of a link whose request names none: 30 days after its creation (openapi.yaml, `CreatePaymentLinkRequest`). */
const DEFAULT_EXPIRY_MS = 30 * DAY_MS;

/** Longest time from the creation of a link to its expiry (openapi.yaml, `CreatePaymentLinkRequest`). */
const MAX_EXPIRY_DAYS = 365;
export const MAX_EXPIRY_MS = MAX_EXPIRY_DAYS * DAY_MS;

/** 190 random bits: nobody guesses the address of a page. */
const TOKEN_LENGTH = 32;

/** 2 KB of JSON text in UTF-8. */
const MAX_METADATA_BYTES = 2048;

/**
 * Checks a create request that the contract's schema has accepted. `makeLink` checks `expiresAt`: a repeated request must get the same
 * reply even after its link has expired.
 * @throws ApiError `validation_error` naming the field
 */
export function parseLinkInput(body: CreatePaymentLinkRequest): LinkInput {
  return { ...parseLinkValues(body), locationId: body.locationId ?? null };
}

interface LinkBody extends Partial<Omit<CreatePaymentLinkRequest, 'patient'>> {
  patient?: Partial<CreatePaymentLinkRequest['patient']>;
}

/** Checks an update request that the contract's schema has accepted. `decideUpdate` checks `expiresAt`, by the link's creation. */
export function parseLinkValues(body: CreatePaymentLinkRequest): Omit<LinkInput, 'locationId'>;
export function parseLinkValues(body: UpdatePaymentLinkRequest): LinkValues;
export function parseLinkValues({ amount, patient, expiresAt, ...body }: LinkBody): LinkValues {
  const { currency: _, locationId: __, ...fields } = body;
  for (const name of HOSTED_TEXTS) {
    const text = fields[name];
    if (containsCardNumber(text ?? '')) {
      throw invalid(name, `${name} contains what looks like a card number; never send card numbers.`);
    }
  }
  checkMetadata(fields.metadata);
  const patientFields = Object.entries(patient ?? {}).map(([name, value]) => [nameProperty(`patient.${name}`), value]);
  const { firstName, lastName, email } = patient ?? {};
  const emailFault = email == null ? null : findEmailFault(email);
  if (emailFault !== null) throw invalid('patient.email', `patient.email ${emailFault}.`);
  return {
    ...fields,
    // A property of a link has the type of the patient's field.
    ...(Object.fromEntries(patientFields) as LinkValues),
    ...(firstName !== undefined && { patientFirstName: parsePatientName('firstName', firstName) }),
    ...(lastName !== undefined && { patientLastName: parsePatientName('lastName', lastName) }),
    ...(patient?.phone != null && { patientPhone: parsePatientPhone(patient.phone) }),
    ...(amount !== undefined && { amountCents: parseAmountCents(amount) }),
    ...(expiresAt != null && { expiresAt: readTimestamp(expiresAt) }),
  };
}

/** @throws ApiError `validation_error` for an expiry in the past, or more than 365 days after the link's creation */
export function checkExpiry(at: Date, createdAt: Date, now: Date): void {
  if (at <= now) throw invalid('expiresAt', 'expiresAt must lie in the future.');
  if (at.getTime() > createdAt.getTime() + MAX_EXPIRY_MS) {
    throw invalid('expiresAt', `expiresAt may lie at most ${MAX_EXPIRY_DAYS} days after the link's creation.`);
  }
}

/** Returns the cents of an amount in dollars. @throws ApiError `validation_error` for `amount` */
export function parseAmountCents(dollars: number): number {
  const cents = centsFromDollars(dollars);
  if (cents === null || cents < 1 || cents > MAX_AMOUNT_CENTS) {
    throw invalid('amount', 'amount must be from 0.01 to 999999.99 dollars, with at most two decimals.');
  }
  return cents;
}

function checkMetadata(value: Record<string, string> | null = null): void {
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_METADATA_BYTES) {
    throw invalid('metadata', `metadata may take at most ${MAX_METADATA_BYTES} bytes as JSON.`);
  }
}

function parsePatientName(field: 'firstName' | 'lastName', text: string): string {
  if (isBlank(text)) throw invalid(`patient.${field}`, `patient.${field} must not be blank.`);
  return trimBlanks(text);
}

function parsePatientPhone(text: string): string {
  const number = parsePhone(text, null);
  if (number === null) {
    throw invalid(
      'patient.phone',
      'patient.phone must be a valid number in international format, such as +12025550143.',
    );
  }
  return number;
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('validation_error', { param, message });
}

interface PracticeTerms {
  paymentsEnabled: boolean;
  activeLocations: { id: string; name: string }[];
}

export interface LinkOwner {
  id: string;
  test: boolean;
  /** Location to which the key is pinned; null for all locations of the practice. */
  pinnedLocationId: string | null;
  source: LinkSource;
}

export interface NewLink {
  link: PaymentLink;
  location: { id: string; name: string };
}

const EMPTY = makeNulls(PaymentLink);

/**
 * Checks values, existence, onboarding and locations, in this order, and makes the link.
 * @param terms the terms of the practice, as the store wrote them
 * @throws ApiError `validation_error`, `not_found`, `payments_not_enabled`, `no_active_location`
 */
export function makeLink({ clock }: Pick<Scope, 'clock'>, owner: LinkOwner, terms: string, input: LinkInput): NewLink {
  const now = clock.now();
  // The SQL function `practice_terms` builds this shape.
  const practice = JSON.parse(terms) as PracticeTerms;
  if (input.expiresAt !== undefined) checkExpiry(input.expiresAt, now, now);
  const location = chooseLocation(practice, input.locationId, owner.pinnedLocationId);
  if (!owner.test && !practice.paymentsEnabled) throw new ApiError('payments_not_enabled');
  if (location === null) throw new ApiError('no_active_location');
  // A plain object: making an entity costs more than the rest of the request. The insert matches its patient.
  const link: PaymentLink = {
    ...EMPTY,
    currency: CURRENCY,
    expiresAt: new Date(now.getTime() + DEFAULT_EXPIRY_MS),
    ...input,
    practiceId: owner.id,
    test: owner.test,
    locationId: location.id,
    source: owner.source,
    id: newId('paymentLink', now),
    token: randomText(TOKEN_LENGTH),
    status: 'active',
    createdAt: now,
    version: 1,
  };
  return { link, location };
}

/** @throws ApiError `not_found` for a location that is unknown, inactive or not the pinned one; `validation_error` if one must be named */
function chooseLocation({ activeLocations }: PracticeTerms, namedId: string | null, pinnedId: string | null) {
  if (namedId !== null) {
    const location = activeLocations.find(({ id }) => id === namedId);
    if (location === undefined || (pinnedId !== null && pinnedId !== namedId)) throw noSuchLocation('locationId');
    return location;
  }
  const candidates = pinnedId === null ? activeLocations : activeLocations.filter(({ id }) => id === pinnedId);
  if (candidates.length > 1) {
    const message = 'locationId is required: the practice has several locations.';
    throw new ApiError('validation_error', { param: 'locationId', message });
  }
  return candidates[0] ?? null;
}
