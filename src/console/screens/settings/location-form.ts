import { formatPhone } from '../../../base/phone.ts';
import type { Scope } from '../../../base/scope.ts';
import type { Language } from '../../../pages/texts/language.ts';
import { Location } from '../../../practices/location.entity.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit } from '../../routing/route.ts';
import { TEXTS, wordOf } from '../../texts/texts.ts';
import { textsNamed } from '../filters.ts';

export type LocationInput = Record<'name' | 'city' | 'state' | 'timeZone' | 'phone', string>;

export const EMPTY_LOCATION: LocationInput = { name: '', city: '', state: '', timeZone: 'America/New_York', phone: '' };

/** Returns the fields of a location. A zone that the list lacks is offered as it is. */
export function locationFields(input: LocationInput, language: Language): ui.Block[] {
  const { fields: t, zones } = TEXTS[language].settings.locations;
  const names = Object.keys(zones);
  const all = input.timeZone === '' || names.includes(input.timeZone) ? names : [input.timeZone, ...names];
  const choices = all.map((name) => [name, wordOf(zones, name)] as const);
  const line = { required: true, maxlength: 200, autocomplete: 'off' };
  return [
    ui.field('name', t.name, input.name, { id: 'location-name', attributes: line }),
    ui.field('city', t.city, input.city, { attributes: line }),
    ui.field('state', t.state, input.state, { attributes: { ...line, maxlength: 2, autocapitalize: 'characters' } }),
    ui.select('timeZone', t.timeZone, input.timeZone, choices),
    ui.field('phone', t.phone, input.phone, {
      id: 'location-phone',
      attributes: { type: 'tel', maxlength: 32, autocomplete: 'off' },
      hint: t.phoneHelp,
    }),
  ];
}

export function locationInput({ fields }: MemberVisit): LocationInput {
  return textsNamed(fields, ['name', 'city', 'state', 'timeZone', 'phone']);
}

/** Returns what the service takes: an empty telephone number is none. */
export function placeOf(input: LocationInput) {
  return { ...input, phone: input.phone.trim() || null };
}

/** Returns the locations of a practice, those in use first. */
export function listLocations({ em }: Scope, practiceId: string): Promise<Location[]> {
  return em.find(Location, { practiceId }, { orderBy: { active: 'desc', name: 'asc', id: 'asc' } });
}

/** Returns the table of locations. Those in use can be changed. */
export function locationTable(locations: readonly Location[], language: Language, path: string): ui.Block {
  const { locations: t } = TEXTS[language].settings;
  const change = ({ id, name }: Location) =>
    ui.link(`${path}/locations/${id}`, t.edit, { 'aria-label': t.editLabel(name) });
  return ui.table({ id: 'locations' }, locations, [
    [t.table.name, ({ name }) => ui.own(name)],
    [t.table.place, ({ city, state }) => ui.own(`${city}, ${state}`)],
    [t.table.zone, ({ timeZone }) => wordOf(t.zones, timeZone)],
    [t.table.phone, ({ phone }) => (phone === null ? '–' : formatPhone(phone))],
    [t.table.status, ({ active }) => (active ? t.active : t.inactive)],
    [t.table.actions, (location) => (location.active ? change(location) : '')],
  ]);
}
