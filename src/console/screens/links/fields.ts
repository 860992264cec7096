import { formatDay } from '../../../pages/texts/formats.ts';
import {
  type FieldFault,
  STAFF_FIELDS,
  type StaffField,
  type StaffFormInput,
} from '../../../payment-links/create/staff-input.ts';
import type { StaffLink } from '../../../payment-links/read/staff-link.ts';
import type { LinkRefusal } from '../../model/refusals.ts';
import type { MemberVisit } from '../../routing/route.ts';
import { pageTexts, textsOf } from './visit.ts';

/** Reasons why a form is shown again. */
export interface Refused {
  faults: readonly FieldFault[];
  refusal?: LinkRefusal;
}

/** A form that was not sent yet. */
export const NOT_REFUSED: Refused = { faults: [] };

/** Types and lengths of the inputs. The service checks all of it again. */
const INPUTS: Readonly<Record<StaffField, { type: string; maxLength: number; isRequired: boolean }>> = {
  firstName: { type: 'text', maxLength: 100, isRequired: true },
  lastName: { type: 'text', maxLength: 100, isRequired: true },
  amount: { type: 'decimal', maxLength: 12, isRequired: true },
  description: { type: 'multiline', maxLength: 500, isRequired: true },
  locationId: { type: 'select', maxLength: 40, isRequired: true },
  email: { type: 'email', maxLength: 254, isRequired: false },
  phone: { type: 'tel', maxLength: 30, isRequired: false },
  externalId: { type: 'text', maxLength: 100, isRequired: false },
  externalReference: { type: 'text', maxLength: 200, isRequired: false },
  expiresAt: { type: 'select', maxLength: 40, isRequired: false },
};

const DAY_MS = 86_400_000;

/** Returns a day of a select, such as `30 days, until July 15, 2030`. */
export function dayOptions(visit: MemberVisit, days: readonly number[], timeZone: string) {
  const now = visit.scope.clock.now().getTime();
  return days.map((count) => ({
    value: `${count}`,
    name: textsOf(visit).days(count, formatDay(pageTexts(visit), new Date(now + count * DAY_MS), timeZone)),
  }));
}

/** Returns the time after so many days, which a form names; null if it is none of the days that were offered. */
export function timeAfter(visit: MemberVisit, days: string | undefined, offered: readonly number[]): Date | null {
  const count = offered.find((each) => `${each}` === days);
  return count === undefined ? null : new Date(visit.scope.clock.now().getTime() + count * DAY_MS);
}

/** Returns the entries of a link, to change it or to create another one for the same patient. The expiry is empty. */
export function inputOfLink({ link }: StaffLink): StaffFormInput {
  return {
    firstName: link.patientFirstName,
    lastName: link.patientLastName,
    amount: (link.amountCents / 100).toFixed(2),
    description: link.description,
    locationId: link.locationId,
    email: link.patientEmail ?? '',
    phone: link.patientPhone ?? '',
    externalId: link.patientExternalId ?? '',
    externalReference: link.externalReference ?? '',
    expiresAt: '',
  };
}

/** Returns the texts that the person typed, without blanks around them. */
export function typed({ fields }: MemberVisit): StaffFormInput {
  const entries = STAFF_FIELDS.map((name) => [name, (fields.get(name) ?? '').replaceAll('\r\n', '\n').trim()]);
  // Every field of the form has an entry.
  return Object.fromEntries(entries) as Record<StaffField, string>;
}

/** Values of the template `links/parts/field` for each field, and of the summary of errors. */
export function formView(visit: MemberVisit, input: StaffFormInput, { faults, refusal }: Refused) {
  const t = textsOf(visit);
  const textOf = ({ field, reason }: FieldFault) => (reason === 'card_number' ? t.cardNumber : t.faults[field]);
  const hints: Readonly<Partial<Record<StaffField, string>>> = t.hints;
  const field = (name: StaffField) => {
    const fault = faults.find(({ field }) => field === name);
    return {
      ...INPUTS[name],
      name,
      label: t.fields[name],
      hint: hints[name],
      value: input[name],
      error: fault === undefined ? undefined : textOf(fault),
    };
  };
  return {
    field,
    faults: faults.map((fault) => ({ id: fault.field, text: textOf(fault) })),
    refusal: refusal === undefined ? undefined : t.refusals[refusal],
  };
}
