import { ApiError } from '../../base/errors.ts';
import { centsFromDollars, MAX_AMOUNT_CENTS } from '../../base/money.ts';
import { parsePhone } from '../../base/phone.ts';
import type { CreatePaymentLinkRequest, UpdatePaymentLinkRequest } from '../../contract/operations-type.ts';
import { type LinkValues, propertyOf } from '../link/fields.ts';
import { containsCardNumber } from './card-number.ts';

/*
 * Rules that the contract's schemas cannot express: amounts in whole cents, valid telephone numbers, times within a
 * year, no card numbers in descriptions. The results have the service's own units.
 */

/** Input of a new link from the API, the office or the website. */
export interface LinkInput extends LinkValues {
  amountCents: number;
  description: string;
  patientFirstName: string;
  patientLastName: string;
  /** Null: the only active location of the practice, or the one the key is pinned to. */
  locationId: string | null;
}

const DAY_MS = 86_400_000;
/** Longest time to `expiresAt` (openapi.yaml, `CreatePaymentLinkRequest`). */
const MAX_EXPIRY_DAYS = 365;

/** 2 KB of JSON text in UTF-8. */
const MAX_METADATA_BYTES = 2048;

/**
 * Checks a create request that the contract's schema has accepted. `checkExpiry` compares `expiresAt` with the present
 * time later: a repeated request must get the same reply even after its link has expired.
 *
 * @throws ApiError `validation_error` naming the field
 */
export function linkInput(body: CreatePaymentLinkRequest): LinkInput {
  return { ...linkValues(body), locationId: body.locationId ?? null };
}

/** The fields of a create or update request. */
interface LinkBody extends Partial<Omit<CreatePaymentLinkRequest, 'patient'>> {
  patient?: Partial<CreatePaymentLinkRequest['patient']>;
}

/**
 * Checks an update request that the contract's schema has accepted. `checkExpiry` checks `expiresAt` once the link is
 * loaded, because its upper bound counts from the link's creation. A create request has more fields, some of them required.
 */
export function linkValues(body: CreatePaymentLinkRequest): Omit<LinkInput, 'locationId'>;
export function linkValues(body: UpdatePaymentLinkRequest): LinkValues;
export function linkValues({ amount, patient, expiresAt, ...body }: LinkBody): LinkValues {
  const { currency: _, locationId: __, ...same } = body;
  checkDescription(same.description);
  checkMetadata(same.metadata);
  const ofPatient = Object.entries(patient ?? {}).map(([name, value]) => [propertyOf(`patient.${name}`), value]);
  return {
    ...same,
    // A property of a link has the type of the patient's field.
    ...(Object.fromEntries(ofPatient) as LinkValues),
    ...(patient?.phone != null && { patientPhone: phone(patient.phone) }),
    ...(amount !== undefined && { amountCents: amountCents(amount) }),
    ...(expiresAt != null && { expiresAt: new Date(expiresAt) }),
  };
}

/**
 * Refuses an expiry in the past or more than 365 days after the link's creation.
 *
 * @throws ApiError `validation_error` for `expiresAt`
 */
export function checkExpiry(at: Date, createdAt: Date, now: Date): void {
  if (at <= now) throw invalid('expiresAt', 'expiresAt must lie in the future.');
  if (at.getTime() > createdAt.getTime() + MAX_EXPIRY_DAYS * DAY_MS) {
    throw invalid('expiresAt', `expiresAt may lie at most ${MAX_EXPIRY_DAYS} days after the link's creation.`);
  }
}

/** Returns the cents of an amount in dollars. @throws ApiError `validation_error` for `amount` */
export function amountCents(dollars: number): number {
  const cents = centsFromDollars(dollars);
  if (cents === null || cents < 1 || cents > MAX_AMOUNT_CENTS) {
    throw invalid('amount', 'amount must be from 0.01 to 999999.99 dollars, with at most two decimals.');
  }
  return cents;
}

function checkDescription(text = ''): void {
  if (containsCardNumber(text)) {
    throw invalid('description', 'description contains what looks like a card number; never send card numbers.');
  }
}

function checkMetadata(value: Record<string, string> | null = null): void {
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_METADATA_BYTES) {
    throw invalid('metadata', `metadata may take at most ${MAX_METADATA_BYTES} bytes as JSON.`);
  }
}

function phone(text: string): string {
  const number = parsePhone(text);
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
