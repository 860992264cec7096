import { ApiError } from '../../../base/errors.ts';
import { formatDay } from '../../../pages/texts/formats.ts';
import {
  type FieldFault,
  STAFF_FIELDS,
  type StaffField,
  type StaffFormInput,
  staffFieldOf,
} from '../../../payment-links/staff/input.ts';
import type { StaffLink } from '../../../payment-links/staff/link.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit } from '../../routing/route.ts';
import type { LinkRefusal } from '../../texts/links/links.ts';
import { pageTexts } from './visit.ts';

export interface Refused {
  faults: readonly FieldFault[];
  refusal?: LinkRefusal;
}

export const NOT_REFUSED: Refused = { faults: [] };

/** Attributes of the inputs. The service checks all of it again. */
const INPUTS: Readonly<Record<StaffField, ui.Field>> = {
  firstName: { autocomplete: 'off', type: 'text', maxlength: 100, required: true },
  lastName: { autocomplete: 'off', type: 'text', maxlength: 100, required: true },
  amount: { autocomplete: 'off', type: 'text', inputmode: 'decimal', maxlength: 12, required: true },
  description: { rows: 2, maxlength: 500, required: true },
  locationId: { required: true },
  email: { autocomplete: 'off', type: 'email', maxlength: 254 },
  phone: { autocomplete: 'off', type: 'tel', maxlength: 30 },
  externalId: { autocomplete: 'off', type: 'text', maxlength: 100 },
  externalReference: { autocomplete: 'off', type: 'text', maxlength: 200 },
  expiresAt: {},
};

const DAY_MS = 86_400_000;

/** Returns a day of a select, such as `30 days, until July 15, 2030`. */
export function dayOptions(visit: MemberVisit, days: readonly number[], timeZone: string) {
  const now = visit.scope.clock.now().getTime();
  const until = (count: number) => formatDay(pageTexts(visit), new Date(now + count * DAY_MS), timeZone);
  return days.map((count): ui.Option => [`${count}`, visit.t.links.days(count, until(count))]);
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

export function fieldOf(
  visit: MemberVisit,
  input: StaffFormInput,
  { faults }: Refused,
  name: StaffField,
  options?: readonly ui.Option[],
): ui.Block {
  const { links: t } = visit.t;
  const hints: Readonly<Partial<Record<StaffField, string>>> = t.hints;
  const found = faults.find(({ field }) => field === name);
  const fault = found === undefined ? undefined : faultText(visit, found);
  return ui.field(name, t.fields[name], input[name], {
    ...{ ...INPUTS[name], options, hint: hints[name], isHintAbove: true, fault },
  });
}

function faultText({ t: { links: t } }: MemberVisit, { field, reason }: FieldFault): string {
  return reason === 'card_number' ? t.cardNumber : t.faults[field];
}

export function isRefused({ faults, refusal }: Refused): boolean {
  return faults.length > 0 || refusal !== undefined;
}

/** Returns the summary of what is wrong, with links to the fields; null if nothing is. */
export function faultSummary(visit: MemberVisit, refused: Refused): ui.Block | null {
  if (!isRefused(refused)) return null;
  const { faults, refusal } = refused;
  const links = faults.map((one) => ui.link(`#${one.field}`, faultText(visit, one), { class: undefined }));
  const content = [
    ui.heading(visit.t.errorTitle),
    refusal !== undefined && ui.text(visit.t.links.refusals[refusal]),
    links.length > 0 && ui.list('ul', links),
  ];
  return { tag: 'div', attributes: { class: 'alert stop', role: 'alert', tabindex: -1, autofocus: true }, content };
}

/** Returns what a service refused. @throws the error if it is not for the person */
export function refusedBy(error: unknown): Refused {
  if (!(error instanceof ApiError)) throw error;
  switch (error.code) {
    case 'payments_not_enabled':
    case 'no_active_location':
    case 'link_not_active':
      return { faults: [], refusal: error.code };
    case 'service_unavailable':
      return { faults: [], refusal: 'payment_under_way' };
    case 'validation_error':
    case 'not_found': {
      const field = staffFieldOf(error.details.param);
      if (field !== null) return { faults: [{ field, reason: 'invalid' }] };
    }
  }
  throw error;
}
