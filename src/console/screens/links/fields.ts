import { TEXTS as PAGE_TEXTS } from '../../../patient-pages/texts/texts.ts';
import {
  endAfter,
  type FieldFault,
  findStaffField,
  type StaffFormInput,
  staffForm,
} from '../../../payment-links/office/input.ts';
import type { StaffLink } from '../../../payment-links/office/link.ts';
import { LINK_FIELDS, STAFF_FIELDS, type StaffField } from '../../../payment-links/state/fields.ts';
import { ApiError, type ErrorCode } from '../../../platform/base/errors.ts';
import { formatPhone } from '../../../platform/base/phone.ts';
import * as ui from '../../../web/blocks.ts';
import { LANGUAGES, type Language } from '../../../web/language.ts';
import { LINK_FIELD_LABELS } from '../../render/labels.ts';
import { findFault, type MemberVisit, type Refusal, refuse, refuseFields } from '../../routing/visit.ts';
import { typedText } from '../filters.ts';
import { createFormats } from '../formats.ts';

const FAULTS: Readonly<Partial<Record<StaffField, string>>> = {
  amount: 'Enter up to 999,999.99, such as 99.95.',
  description: 'Enter what the payment is for, at most 500 characters.',
  locationId: 'Choose a location.',
  email: 'Enter an email address such as ada@example.com, in letters without accents, or leave it empty.',
  phone: 'Enter a phone number such as (202) 555-0143, or leave it empty.',
  expiresAt: 'Choose one of the days.',
};

export const NO_ACTIVE_LOCATION = 'There is no location in use that you see. Ask an administrator.';

const REFUSALS: Readonly<Partial<Record<ErrorCode, string>>> = {
  payments_not_enabled: 'The practice has not finished setting up payments, so live links cannot be created yet.',
  no_active_location: NO_ACTIVE_LOCATION,
  link_not_active: 'Not changed: the link is not active.',
  service_unavailable: 'The patient is paying right now, and the payment cannot be stopped. Look again in a minute.',
};

/** Fields that stand together, because few links need them. */
export const OPTIONAL_FIELDS = STAFF_FIELDS.filter(
  (name) => !LINK_FIELDS[name].isRequired && name !== 'locationId' && name !== 'expiresAt',
);

/** Attributes that do not follow from the contract. */
const INPUTS: Readonly<Partial<Record<StaffField, ui.Field>>> = {
  amount: { inputmode: 'decimal', maxlength: 12 },
  description: { hint: 'The patient reads it. No card numbers.' },
  externalReference: { hint: 'Such as an invoice number.' },
  email: { type: 'email' },
  phone: { type: 'tel', maxlength: 30 },
};

/** Returns the days of a select, such as `30 days, until July 15, 2030`. */
export function dayOptions(visit: MemberVisit, days: readonly number[], timeZone: string) {
  const { day } = createFormats(timeZone);
  const until = (count: number) => day(endAfter(visit.scope, count, timeZone));
  return days.map((count): ui.Option => [`${count}`, `${count} days, until ${until(count)}`]);
}

/** Returns the entries of a link, to change it or to create another one for the same patient. The expiry is empty. */
export function makeInput({ link }: StaffLink): StaffFormInput {
  return staffForm((name) => {
    const value = link[LINK_FIELDS[name].property];
    if (typeof value === 'number') return (value / 100).toFixed(2);
    return typeof value === 'string' ? value : '';
  });
}

/** Returns the description of a link and what else staff may know of it. */
export function listLinkFacts(staffLink: StaffLink): ui.Fact[] {
  const texts = makeInput(staffLink);
  return (['description', ...OPTIONAL_FIELDS] as const).map((name) => {
    const text = name === 'phone' ? formatPhone(texts[name]) : texts[name];
    const look = LINK_FIELDS[name].schema['x-multiline'] ? 'lines' : undefined;
    return [LINK_FIELD_LABELS[name], text !== '' && ui.own(text), look];
  });
}

/** Returns the texts that the person typed. With a prefix, those of other fields of the form. */
export function typedInput({ fields }: MemberVisit, prefix = ''): StaffFormInput {
  return staffForm((name) => typedText(fields, `${prefix}${name}`));
}

export function languageField(visit: MemberVisit): ui.Block {
  const options = LANGUAGES.map((code): ui.Option => [code, PAGE_TEXTS[code].language.name]);
  return ui.field('language', 'Language of the email', visit.fields.get('language') ?? 'en', { options });
}

/** Returns the language that a form or an address names, else English. */
export function readLanguage(code: string | null | undefined): Language {
  return LANGUAGES.find((name) => name === code) ?? 'en';
}

export function linkField(
  visit: MemberVisit,
  input: StaffFormInput,
  name: StaffField,
  { options, ...rest }: ui.Field = {},
): ui.Block {
  const { isRequired, schema } = LINK_FIELDS[name];
  return ui.field(name, LINK_FIELD_LABELS[name], input[name], {
    ...(options === undefined && (schema['x-multiline'] ? { rows: 2 } : { autocomplete: 'off', type: 'text' })),
    maxlength: schema.maxLength,
    required: isRequired || options !== undefined,
    ...INPUTS[name],
    options,
    isHintAbove: true,
    fault: findFault(visit, name),
    ...rest,
  });
}

function faultText({ field, reason }: FieldFault): string {
  if (reason === 'card_number')
    return 'This looks like a card number. Never type card numbers; the patient enters the card.';
  const label = LINK_FIELD_LABELS[field];
  if (reason !== 'invalid') return `${label}: remove the ${reason.kind} ${reason.codePoint}, which is invisible.`;
  return FAULTS[field] ?? `${label}: enter 1 to ${LINK_FIELDS[field].schema.maxLength ?? 0} characters.`;
}

/** Refuses the form of a link for these fields. */
export function refuseLink(faults: readonly FieldFault[]): Refusal {
  return refuseFields(faults.map((fault) => ({ id: fault.field, sentence: faultText(fault) })));
}

/** Returns the refusal of a service in words. Throws any other error on. */
export function explainRefusal(error: unknown): Refusal {
  if (!(error instanceof ApiError)) throw error;
  const { code, details } = error;
  const sentence = REFUSALS[code];
  if (sentence !== undefined) return refuse(sentence);
  const field = code === 'validation_error' || code === 'not_found' ? findStaffField(details.param) : null;
  if (field === null) throw error;
  return refuseLink([{ field, reason: 'invalid' }]);
}
