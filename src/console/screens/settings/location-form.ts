import { formatPhone } from '../../../base/phone.ts';
import type { Scope } from '../../../base/scope.ts';
import type { Language } from '../../../pages/texts/language.ts';
import { Location } from '../../../practices/location.entity.ts';
import type { MemberVisit } from '../../routing/route.ts';
import { TEXTS, wordOf } from '../../texts/texts.ts';

/** Values of the form of a location, as the person typed them. */
export interface LocationInput {
  name: string;
  city: string;
  state: string;
  timeZone: string;
  phone: string;
}

/** The form of a new location. */
export const EMPTY_LOCATION: LocationInput = { name: '', city: '', state: '', timeZone: 'America/New_York', phone: '' };

/** Values of the template `settings/location-fields`. A zone that the list lacks is offered as it is. */
export function locationForm(input: LocationInput, language: Language) {
  const { zones } = TEXTS[language].settings.locations;
  const names = Object.keys(zones);
  const all = input.timeZone === '' || names.includes(input.timeZone) ? names : [input.timeZone, ...names];
  return { input, zones: all.map((name) => ({ name, title: wordOf(zones, name), isChosen: name === input.timeZone })) };
}

/** Reads the form of a location. */
export function locationInput({ fields }: MemberVisit): LocationInput {
  const value = (name: string) => fields.get(name) ?? '';
  return {
    name: value('name'),
    city: value('city'),
    state: value('state'),
    timeZone: value('timeZone'),
    phone: value('phone'),
  };
}

/** Returns what the service takes: an empty telephone number is none. */
export function placeOf(input: LocationInput) {
  return { ...input, phone: input.phone.trim() === '' ? null : input.phone.trim() };
}

/** Returns the locations of a practice for the list, those in use first. */
export async function listLocations({ em }: Scope, practiceId: string, language: Language) {
  const { zones } = TEXTS[language].settings.locations;
  const locations = await em.find(Location, { practiceId }, { orderBy: { active: 'desc', name: 'asc', id: 'asc' } });
  return locations.map(({ id, name, city, state, timeZone, phone, active }) => ({
    id,
    name,
    place: `${city}, ${state}`,
    zone: wordOf(zones, timeZone),
    phone: phone === null ? '–' : formatPhone(phone),
    active,
  }));
}
