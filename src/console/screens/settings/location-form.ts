import { formatPhone } from '../../../base/phone.ts';
import type { Scope } from '../../../base/scope.ts';
import { Location } from '../../../practices/location.entity.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit } from '../../routing/route.ts';
import { wordOf } from '../../texts/texts.ts';
import { textsNamed } from '../filters.ts';

export type LocationInput = Record<'name' | 'city' | 'state' | 'timeZone' | 'phone', string>;

export const EMPTY_LOCATION: LocationInput = { name: '', city: '', state: '', timeZone: 'America/New_York', phone: '' };

/** Returns the fields of a location. A zone that the list lacks is offered as it is. */
export function locationFields({ t }: MemberVisit, input: LocationInput): ui.Block[] {
  const { fields, zones } = t.settings.locations;
  const names = Object.keys(zones);
  const all = input.timeZone === '' || names.includes(input.timeZone) ? names : [input.timeZone, ...names];
  const line = { required: true, maxlength: 200, autocomplete: 'off' };
  return ui.fields(fields, input, {
    name: { id: 'location-name', ...line },
    city: line,
    state: { ...line, maxlength: 2, autocapitalize: 'characters' },
    timeZone: { options: all.map((name) => [name, wordOf(zones, name)]) },
    phone: { id: 'location-phone', type: 'tel', maxlength: 32, autocomplete: 'off' },
  });
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
export function locationTable(visit: MemberVisit, locations: readonly Location[]): ui.Block {
  const { locations: t } = visit.t.settings;
  const change = ({ id, name }: Location) =>
    ui.link(visit.path(`/settings/locations/${id}`), t.table.actions, { 'aria-label': t.change.title(name) });
  return ui.table({ id: 'locations' }, locations, [
    [t.table.name, ({ name }) => ui.own(name)],
    [t.fields.city, ({ city, state }) => ui.own(`${city}, ${state}`)],
    [t.fields.timeZone, ({ timeZone }) => wordOf(t.zones, timeZone)],
    [t.table.phone, ({ phone }) => (phone === null ? '–' : formatPhone(phone))],
    [t.table.status, ({ active }) => (active ? t.active : t.inactive)],
    [t.table.actions, (location) => location.active && change(location)],
  ]);
}
