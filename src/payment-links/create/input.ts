import { ApiError } from '../../base/errors.ts';
import { centsFromDollars, MAX_AMOUNT_CENTS } from '../../base/money.ts';
import { parsePhone } from '../../base/phone.ts';
import type { CreatePaymentLinkRequest, UpdatePaymentLinkRequest } from '../../contract/operations-type.ts';
import type { LinkChanges } from '../link/decide.ts';
import { containsCardNumber } from './card-number.ts';

/*
 * Rules that the contract's schemas cannot express: amounts in whole cents, valid telephone numbers, times within a
 * year, no card numbers in descriptions. The results have the service's own units.
 */

/** Input of a new link from the API, the office or the website. */
export interface LinkInput {
  amountCents: number;
  description: string;
  externalReference: string | null;
  metadata: Record<string, string> | null;
  patient: PatientInput;
  /** Null: the only active location of the practice, or the one the key is pinned to. */
  locationId: string | null;
  /** Null: 30 days after creation. */
  expiresAt: Date | null;
}

/** The patient as the caller names them. */
export interface PatientInput {
  firstName: string;
  lastName: string;
  /** E.164. */
  phone: string | null;
  email: string | null;
  externalId: string | null;
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
  const { patient } = body;
  return {
    amountCents: amountCents(body.amount),
    description: description(body.description),
    externalReference: body.externalReference ?? null,
    metadata: metadata(body.metadata ?? null),
    patient: {
      firstName: patient.firstName,
      lastName: patient.lastName,
      phone: phone(patient.phone ?? null),
      email: patient.email ?? null,
      externalId: patient.externalId ?? null,
    },
    locationId: body.locationId ?? null,
    expiresAt: body.expiresAt ? new Date(body.expiresAt) : null,
  };
}

/**
 * Checks an update request that the contract's schema has accepted. `checkExpiry` checks `expiresAt` once the link is
 * loaded, because its upper bound counts from the link's creation.
 */
export function linkChanges(body: UpdatePaymentLinkRequest): LinkChanges {
  const changes: LinkChanges = {};
  if (body.amount !== undefined) changes.amountCents = amountCents(body.amount);
  if (body.description !== undefined) changes.description = description(body.description);
  if (body.externalReference !== undefined) changes.externalReference = body.externalReference;
  if (body.metadata !== undefined) changes.metadata = metadata(body.metadata);
  if (body.patient?.phone !== undefined) changes.patientPhone = phone(body.patient.phone);
  if (body.patient?.email !== undefined) changes.patientEmail = body.patient.email;
  if (body.expiresAt !== undefined) changes.expiresAt = new Date(body.expiresAt);
  return changes;
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

function description(text: string): string {
  if (containsCardNumber(text)) {
    throw invalid('description', 'description contains what looks like a card number; never send card numbers.');
  }
  return text;
}

function metadata(value: Record<string, string> | null): Record<string, string> | null {
  if (value !== null && Buffer.byteLength(JSON.stringify(value)) > MAX_METADATA_BYTES) {
    throw invalid('metadata', `metadata may take at most ${MAX_METADATA_BYTES} bytes as JSON.`);
  }
  return value;
}

function phone(text: string | null): string | null {
  if (text === null) return null;
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
