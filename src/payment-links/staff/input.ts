import { ApiError } from '../../base/errors.ts';
import { isCleanText } from '../../base/text.ts';
import { document } from '../../contract/document.ts';
import type { CreatePaymentLinkRequest } from '../../contract/operations-type.ts';
import { schemaCompiler } from '../../contract/validators.ts';
import { containsCardNumber } from '../create/card-number.ts';
import { type LinkInput, linkInput } from '../create/input.ts';

/** Fields of the forms by which staff create and change links. */
export const STAFF_FIELDS = [
  'amount',
  'description',
  'firstName',
  'lastName',
  'phone',
  'email',
  'externalId',
  'externalReference',
  'locationId',
  'expiresAt',
] as const;

export type StaffField = (typeof STAFF_FIELDS)[number];

/** A field that is refused: its value is not valid, or it contains a card number. */
export interface FieldFault {
  field: StaffField;
  reason: 'invalid' | 'card_number';
}

/** Values of a form. The empty text means none. `amount` is in dollars, `expiresAt` a timestamp. */
export type StaffFormInput = Readonly<Record<StaffField, string>>;

/** Fields in which people type words. The API refuses card numbers in the description; staff may mistake the field. */
const WORDS = [
  'description',
  'firstName',
  'lastName',
  'externalId',
  'externalReference',
] as const satisfies StaffField[];

const compile = schemaCompiler(document, { allErrors: true });

/** Checks the values by the rules of the API, so that every link satisfies the contract. Reports all faulty fields. */
export function staffLinkInput(form: StaffFormInput): { input: LinkInput } | { faults: FieldFault[] } {
  const withCard = WORDS.filter((field) => containsCardNumber(form[field]));
  const body = bodyOf(form);
  const faults = new Map<StaffField, FieldFault['reason']>(invalidFields(body).map((field) => [field, 'invalid']));
  for (const field of withCard) faults.set(field, 'card_number');
  if (faults.size === 0) {
    try {
      return { input: linkInput(body) };
    } catch (error) {
      const field =
        error instanceof ApiError && error.code === 'validation_error' ? staffFieldOf(error.details.param) : null;
      if (field === null) throw error;
      faults.set(field, 'invalid');
    }
  }
  return {
    faults: STAFF_FIELDS.flatMap((field) => {
      const reason = faults.get(field);
      return reason === undefined ? [] : [{ field, reason }];
    }),
  };
}

/** Returns the field that a parameter of an API error names; null for another parameter. */
export function staffFieldOf(param: string | undefined): StaffField | null {
  const name = param?.replace(/^patient\./, '');
  return STAFF_FIELDS.find((field) => field === name) ?? null;
}

/** Reads dollars such as `120`, `$1,250` or `99.95`. Returns NaN for other texts, which no schema accepts. */
export function dollarsOf(text: string): number {
  const plain = text.trim().replace(/^\$\s*/, '');
  return /^(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,2})?$/.test(plain) ? Number(plain.replaceAll(',', '')) : Number.NaN;
}

/** Returns a number of the United States without country code as an international one. */
function internationalPhone(text: string): string {
  const digits = text.replaceAll(/\D/g, '');
  if (text.startsWith('+')) return text;
  return digits.length === 11 && digits.startsWith('1') ? `+${digits}` : `+1${digits}`;
}

function bodyOf(form: StaffFormInput): CreatePaymentLinkRequest {
  const orNull = (text: string) => (text === '' ? null : text);
  return {
    amount: dollarsOf(form.amount),
    description: form.description,
    patient: {
      firstName: form.firstName,
      lastName: form.lastName,
      phone: form.phone === '' ? null : internationalPhone(form.phone),
      email: orNull(form.email),
      externalId: orNull(form.externalId),
    },
    externalReference: orNull(form.externalReference),
    locationId: orNull(form.locationId),
    expiresAt: orNull(form.expiresAt),
  };
}

function invalidFields(body: CreatePaymentLinkRequest): StaffField[] {
  const validate = compile('#/components/schemas/CreatePaymentLinkRequest');
  validate(body);
  const paths = (validate.errors ?? []).map(({ instancePath }) => instancePath.slice(1).replaceAll('/', '.'));
  const { patient, description, externalReference } = body;
  const { firstName, lastName, externalId } = patient;
  const texts = { description, externalReference, firstName, lastName, externalId };
  const unclean = Object.entries(texts).flatMap(([name, text]) =>
    isCleanText(text ?? '', name === 'description') ? [] : [name],
  );
  const fields = [...paths, ...unclean].map(staffFieldOf);
  if (fields.includes(null)) throw new Error(`a form of staff has no field for ${paths.join(', ')}`);
  return fields.filter((field) => field !== null);
}
