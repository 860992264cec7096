import type { ValidateFunction } from 'ajv';
import { document } from '../../contract/document.ts';
import { listFields } from '../../contract/fields.ts';
import type { CreatePaymentLinkRequest, UpdatePaymentLinkRequest } from '../../contract/operations-type.ts';
import { schemaCompiler } from '../../contract/validators.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { parseDollars } from '../../platform/base/money.ts';
import { parsePhone } from '../../platform/base/phone.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { findUnfit, type UnfitCharacter } from '../../platform/base/text.ts';
import { addDays, dayIn, endOfDay } from '../../platform/base/time/zoned-time.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { containsCardNumber } from '../api/card-number.ts';
import { type LinkInput, MAX_EXPIRY_MS, parseLinkInput, parseLinkValues } from '../api/input.ts';
import { SEEN_LINK, type Staff, viewerValues } from '../model/staff-status.ts';
import { LINK_FIELDS, type LinkValues, STAFF_FIELDS, type StaffField } from '../state/fields.ts';
import type { StaffLink } from './link.ts';

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
export function staffLinkChanges(form: StaffFormInput, changedFields: readonly StaffField[]): Checked<LinkValues> {
  const validate = compile<UpdatePaymentLinkRequest>('#/components/schemas/UpdatePaymentLinkRequest');
  return check(form, changedFields, validate, parseLinkValues);
}

function check<Body, Input>(
  form: StaffFormInput,
  fields: readonly StaffField[],
  validate: ValidateFunction<Body>,
  read: (body: Body) => Input,
): Checked<Input> {
  const body: unknown = staffBody(form, fields);
  const isValid = validate(body);
  const invalidFields = validate.errors?.map(({ instancePath }) => findStaffField(instancePath));
  const faults = fields.flatMap((field): FieldFault[] => {
    if (form[field] === NOT_CHOSEN) return [{ field, reason: 'invalid' }];
    if (!WITHOUT_WORDS.includes(field) && containsCardNumber(form[field])) return [{ field, reason: 'card_number' }];
    const unfitCharacter = field === 'phone' ? null : findUnfit(form[field], LINK_FIELDS[field].schema['x-multiline']);
    if (unfitCharacter !== null) return [{ field, reason: unfitCharacter }];
    const isWrong = invalidFields?.includes(field) === true || isRefused(form, field);
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

/** Days for which a link can be extended, from today. */
const EXTENSION_DAYS = [7, 14, 30, 60, 90, 180];

/**
 * Returns the end of the day after so many days, which a form names; null if it is none of the days that were offered.
 * @param timeZone zone in which the form said the day
 * @param endsIn zone in which that day ends
 */
export function expiryAfter(
  scope: Pick<Scope, 'clock'>,
  days: string | undefined,
  offeredDays: readonly number[],
  timeZone: string,
  endsIn = timeZone,
): Date | null {
  const count = offeredDays.find((each) => `${each}` === days);
  return count === undefined ? null : endAfter(scope, count, timeZone, endsIn);
}

/** Returns the end of the day that is `count` days after today. */
export function endAfter({ clock }: Pick<Scope, 'clock'>, count: number, timeZone: string, endsIn = timeZone): Date {
  return endOfDay(addDays(dayIn(clock.now(), timeZone), count), endsIn);
}

/** Returns the days from today that are later than the present expiry, and within a year after the link's creation. */
export function extensionDays(scope: Scope, { link, location }: Pick<StaffLink, 'link' | 'location'>): number[] {
  return EXTENSION_DAYS.filter((count) => {
    const at = endAfter(scope, count, location.timeZone);
    return at > link.expiresAt && at.getTime() <= link.createdAt.getTime() + MAX_EXPIRY_MS;
  });
}

/** Entries with which the form of a new link begins. */
interface UsualEntries {
  /** Location of the link that the person created last; null without one. */
  locationId: string | null;
  /** Descriptions that several patients had lately, the most frequent first. Others could name a patient. */
  descriptions: string[];
}

/** Reads a bounded part of the log and of the links. The person sees the descriptions of own locations only. */
const READ = `
  select (
    select l.location_id from (
      select id, action, target_id from audit_log where practice_id = $1 and actor_id = $4 order by id desc limit 500
    ) as a join payment_links l on l.id = a.target_id where a.action = 'link.created' and ${SEEN_LINK} order by a.id desc limit 1
  ) as "locationId", array(
    select description from (
      select * from payment_links where practice_id = $1 and test = $2 order by created_at desc, id desc limit 500
    ) as l where ${SEEN_LINK} group by description having count(distinct (patient_first_name, patient_last_name)) > 1
    order by count(*) desc, description limit 10
  ) as descriptions`;

/** Returns what the person, and others of the practice, entered lately. */
export async function readUsualEntries({ em }: Scope, { actor, viewer }: Staff): Promise<UsualEntries> {
  const actorId = actor.kind === 'operator' ? null : actor.id;
  const [row] = await sql<UsualEntries>(em, READ, [...viewerValues(viewer), actorId]);
  if (row === undefined) throw new Error('a select without from has one row');
  return row;
}
