import type { Language } from '../../pages/texts/language.ts';
import { LINK_FIELDS, STAFF_FIELDS } from '../../payment-links/link/fields.ts';
import { type Texts, wordOf } from '../texts/texts.ts';
import { type Formats, languageName } from './formats.ts';

/** Names that entries of the audit log refer to by id. */
export interface Names {
  /** Names and mail addresses of people, by their ids and mail addresses. */
  people: ReadonlyMap<string, string>;
  locations: readonly { id: string; name: string }[];
  language: Language;
  t: Texts;
  formats: Formats;
}

export interface ChangeInWords {
  name: string;
  before: string;
  after: string;
}

/** A time, as JSON has it. */
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Stands for a value that there is not. */
const NONE = '–';

/** Lists the fields that differ. Without a state before or after, all fields of the other one. */
export function changesOf(before: object | null, after: object | null, names: Names): ChangeInWords[] {
  const { auditLog: t } = names.t;
  const [old, present] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after ?? {}))];
  return [...new Set([...old.keys(), ...present.keys()])]
    .map((field) => ({
      name: wordOf(t.fields, field),
      before: before === null ? NONE : inWords(field, old.get(field), names),
      after: after === null ? NONE : inWords(field, present.get(field), names),
    }))
    .filter((change) => change.before !== change.after);
}

/** Returns a value in words. A value without words, such as a name, stands as it is. */
function inWords(field: string, value: unknown, names: Names): string {
  const { people, auditLog } = names.t;
  if (field === 'locationIds' && value === null) return people.allLocations;
  if (value === null || value === undefined || value === '') return NONE;
  if (Array.isArray(value)) {
    if (value.length > 0) return value.map((one) => inWords(field, one, names)).join(', ');
    return field === 'enabledEvents' ? auditLog.allEvents : NONE;
  }
  switch (typeof value) {
    case 'string':
      return textInWords(field, value, names);
    case 'boolean':
      return value ? auditLog.yes : auditLog.no;
    case 'number':
      return field === 'amountCents' ? names.formats.money(value) : `${value}`;
    default:
      return JSON.stringify(value);
  }
}

function textInWords(field: string, text: string, { locations, language, t, formats }: Names): string {
  if (MOMENT.test(text)) return formats.moment(new Date(text));
  switch (field) {
    case 'location':
    case 'locationId':
    case 'locationIds':
      return locations.find(({ id }) => id === text)?.name ?? text;
    case 'language':
      return languageName(text, language);
    // A hash says only that the picture is another one.
    case 'logoHash':
      return text.slice(0, 8);
    default:
      return wordOf(wordsOf(field, t), text);
  }
}

/** Returns the words for the values of a field, by value. */
function wordsOf(field: string, t: Texts): Readonly<Record<string, string>> {
  switch (field) {
    case 'role':
      return Object.fromEntries(Object.entries(t.roles).map(([role, { name }]) => [role, name]));
    case 'scopes':
      return t.developers.keys.scopeTexts;
    case 'enabledEvents':
      return t.deliveries.types;
    case 'reason':
      return t.links.cancel.reasons;
    case 'processor':
      return t.settings.account.processors;
    case 'state':
      return { ...t.payments.states, ...t.payments.filter.figures };
    case 'changedFields':
      return { ...fieldWords(t), ...t.auditLog.values.changedFields };
    case 'method':
      return { ...t.payments.methods, ...t.auditLog.values.method };
    default:
      return new Map<string, Readonly<Record<string, string>>>(Object.entries(t.auditLog.values)).get(field) ?? {};
  }
}

/** Returns the labels of the fields of links, by the names that the entries have. Within an entry they begin with a small letter. */
function fieldWords(t: Texts): Record<string, string> {
  const small = (label: string) => `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
  return Object.fromEntries(STAFF_FIELDS.map((name) => [LINK_FIELDS[name].property, small(t.links.fields[name])]));
}
