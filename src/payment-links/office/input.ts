import type { ValidateFunction } from 'ajv';
import { document } from '../../contract/document.ts';
import { listFields } from '../../contract/fields.ts';
import type { CreatePaymentLinkRequest, UpdatePaymentLinkRequest } from '../../contract/operations-type.ts';
import { schemaCompiler } from '../../contract/validators.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { parseDollars } from '../../platform/base/money.ts';
import { parsePhone } from '../../platform/base/phone.ts';
import { findUnfit, type UnfitCharacter } from '../../platform/base/text.ts';
import { containsCardNumber } from '../api/card-number.ts';
import { type LinkInput, parseLinkInput, parseLinkValues } from '../api/input.ts';
import { LINK_FIELDS, type LinkValues, STAFF_FIELDS, type StaffField } from '../state/fields.ts';

/** Fields in which nobody types words. In all others, a card number may be typed by mistake. */
const WITHOUT_WORDS: readonly StaffField[] = ['amount', 'phone', 'email', 'locationId', 'expiresAt'];

/** Fields of the form by which staff change links. The form names the expiry in days. */
export const CHANGE_FIELDS: readonly StaffField[] = listFields('UpdatePaymentLinkRequest').flatMap(({ path }) => {
  const field = findStaffField(path);
  return field === null || field === 'expiresAt' ? [] : [field];
});

/** A field that is refused: its value is not valid, or it contains a card number or a character that no text may have. */
export interface FieldFault {
  field: StaffField;
  reason: 'invalid' | 'card_number' | UnfitCharacter;
}

/** Value of a field of which the person has not chosen one of several. Nobody can type it. */
export const NOT_CHOSEN = '\0';

/** Values of a form. The empty text means none. `amount` is in dollars, `expiresAt` a timestamp. */
export type StaffFormInput = Readonly<Record<StaffField, string>>;

type Checked<Input> = { input: Input } | { faults: FieldFault[] };

const compile = schemaCompiler(document, { allErrors: true });

/** Checks the values by the rules of the API, so that every link satisfies the contract. Reports all faulty fields, in the given order. */
export function staffLinkInput(form: StaffFormInput, order: readonly StaffField[]): Checked<LinkInput> {
  const validate = compile<CreatePaymentLinkRequest>('#/components/schemas/CreatePaymentLinkRequest');
  return check(form, order, validate, parseLinkInput);
}

/** Checks the values of these fields, of `CHANGE_FIELDS`, as `staffLinkInput` does. */
export function staffLinkChanges(form: StaffFormInput, changed: readonly StaffField[]): Checked<LinkValues> {
  const validate = compile<UpdatePaymentLinkRequest>('#/components/schemas/UpdatePaymentLinkRequest');
  return check(form, changed, validate, parseLinkValues);
}

function check<Body, Input>(
  form: StaffFormInput,
  fields: readonly StaffField[],
  validate: ValidateFunction<Body>,
  read: (body: Body) => Input,
): Checked<Input> {
  const body: unknown = staffBody(form, fields);
  const isValid = validate(body);
  const invalid = validate.errors?.map(({ instancePath }) => findStaffField(instancePath));
  const faults = fields.flatMap((field): FieldFault[] => {
    if (form[field] === NOT_CHOSEN) return [{ field, reason: 'invalid' }];
    if (!WITHOUT_WORDS.includes(field) && containsCardNumber(form[field])) return [{ field, reason: 'card_number' }];
    const unfit = field === 'phone' ? null : findUnfit(form[field], LINK_FIELDS[field].schema['x-multiline']);
    if (unfit !== null) return [{ field, reason: unfit }];
    const isWrong = invalid?.includes(field) === true || isRefused(form, field);
    return isWrong ? [{ field, reason: 'invalid' }] : [];
  });
  if (faults.length > 0) return { faults };
  if (!isValid) throw new Error('a form of staff lacks a field of the contract');
  return { input: read(body) };
}

/** Returns true for a value that only the rules beyond the schema refuse. Each field is read alone, so that all faults are named at once. */
function isRefused(form: StaffFormInput, field: StaffField): boolean {
  try {
    // A part of a request. What the schema refuses is a fault already.
    parseLinkValues(staffBody(form, [field]) as UpdatePaymentLinkRequest);
    return false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

/** Returns a form with a text for each field. */
export function staffForm(textOf: (field: StaffField) => string): StaffFormInput {
  // The type names the same fields.
  return Object.fromEntries(STAFF_FIELDS.map((field) => [field, textOf(field)])) as StaffFormInput;
}

/** Returns the field at the end of a path; null for another path. */
export function findStaffField(path = ''): StaffField | null {
  return STAFF_FIELDS.find((field) => field === path.split(/[./]/).at(-1)) ?? null;
}

function staffBody(form: StaffFormInput, fields: readonly StaffField[]): object {
  const body: Record<string, unknown> = {};
  const patient: Record<string, unknown> = {};
  for (const name of fields) {
    const { path } = LINK_FIELDS[name];
    (path === name ? body : patient)[name] = parseEntry(name, form[name]);
  }
  return Object.keys(patient).length === 0 ? body : { ...body, patient };
}

function parseEntry(field: StaffField, text: string) {
  if (field === 'amount') return parseDollars(text);
  if (text === '' && !LINK_FIELDS[field].isRequired) return null;
  return field === 'phone' ? (parsePhone(text, 'US') ?? text) : text;
}
