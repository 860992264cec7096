import { formatPhone } from '../../../platform/base/phone.ts';
import { fresh, type Scope } from '../../../platform/base/scope.ts';
import { zoneName } from '../../../platform/base/time/zoned-time.ts';
import { changeLocation } from '../../../practices/changes-by-people.ts';
import { Location } from '../../../practices/location.entity.ts';
import { deactivateLocation, updateLocation } from '../../../practices/service.ts';
import * as ui from '../../../web/blocks.ts';
import { withRecord } from '../../routing/handlers.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';
import { byPerson, tabs } from './changes.ts';

const DEACTIVATION = {
  title: 'Take out of use',
  text: 'Nobody can create links for this location anymore. Links that exist stay valid. This cannot be undone here.',
  label: 'Yes, take this location out of use',
  button: 'Take out of use',
};

const ONLY_LOCATION = 'It is your only location in use: without one, nobody can create links.';

const FIELDS = {
  name: 'Name of the location',
  city: 'City',
  state: 'State',
  timeZone: 'Time zone',
  phone: 'Phone of the location',
  phoneHelp: 'With + and country code. Leave it empty if patients call the number of the practice.',
};

const withLocation = withRecord(findLocation, locationPage);

export const showLocation = withLocation();

export const changeOne = withLocation((visit, location) =>
  saveLocation(visit, 'location.changed', location, (scope) =>
    updateLocation(scope, visit.member.practiceId, location.id, parseLocation(locationInput(visit))),
  ),
);

export const deactivate = withLocation((visit, location) =>
  saveLocation(visit, 'location.deactivated', location, (scope) => deactivateLocation(scope, location.id)),
);

export async function saveLocation(
  visit: MemberVisit,
  action: 'location.created' | 'location.changed' | 'location.deactivated',
  before: Location | null,
  change: (scope: Scope) => Promise<Location | null>,
): Promise<Reply> {
  const isChanged = await changeLocation(fresh(visit.scope), byPerson(visit), action, before, change);
  return { kind: 'redirect', to: visit.path(`/settings?done=${isChanged ? action : 'location.repeated'}`) };
}

function findLocation({ scope, params, member: { practiceId } }: MemberVisit): Promise<Location | null> {
  return fresh(scope).em.findOne(Location, { id: params.locationId ?? '', practiceId, active: true });
}

async function locationPage(visit: MemberVisit, location: Location, error?: string): Promise<Reply> {
  const { id, name, practiceId } = location;
  const others = await visit.scope.em.count(Location, { practiceId, active: true, id: { $ne: id } });
  const path = visit.path(`/settings/locations/${id}`);
  const input = visit.fields.has('name') ? locationInput(visit) : { ...location, phone: location.phone ?? '' };
  return ui.page(`Change ${name}`, { error }, [
    tabs(visit, 'general'),
    ui.form(path, { text: 'Existing links show the change at once.', button: 'Save' }, locationFields(input)),
    ui.form(`${path}/deactivate`, DEACTIVATION, others === 0 && ui.text(ui.mark('strong', ONLY_LOCATION))),
  ]);
}

type LocationInput = ReturnType<typeof locationInput>;

/** Zones of the United States: the one with the most people for each time. */
const ZONES = [
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Phoenix',
  'America/Los_Angeles',
  'America/Anchorage',
  'Pacific/Honolulu',
  'America/Puerto_Rico',
  'Pacific/Guam',
];

/** Returns the fields of a location. A zone that the list lacks is offered, too. */
export function locationFields(input: LocationInput): ui.Block[] {
  const all = input.timeZone === '' || ZONES.includes(input.timeZone) ? ZONES : [input.timeZone, ...ZONES];
  const line = { required: true, maxlength: 200, autocomplete: 'off' };
  return ui.fields(FIELDS, input, {
    name: { id: 'location-name', ...line },
    city: line,
    state: { ...line, maxlength: 2, autocapitalize: 'characters' },
    timeZone: { options: all.map((name) => [name, zoneName(name)]) },
    phone: { id: 'location-phone', type: 'tel', maxlength: 32, autocomplete: 'off' },
  });
}

/** Returns what was typed into the form of a location. It is empty if another form of the page was sent, which has no city. */
export function locationInput({ fields: sent }: Pick<MemberVisit, 'fields'>) {
  const fields = sent.has('city') ? sent : new Map();
  return typedTexts(fields, ['name', 'city', 'state', 'timeZone', 'phone']);
}

/** Returns what the service takes: an empty telephone number is none. */
export function parseLocation(input: LocationInput) {
  return { ...input, phone: input.phone || null };
}

export function listLocations({ em }: Scope, practiceId: string): Promise<Location[]> {
  return em.find(Location, { practiceId }, { orderBy: { active: 'desc', name: 'asc', id: 'asc' } });
}

export function locationTable(visit: MemberVisit, locations: readonly Location[]): ui.Block {
  const change = ({ id, name }: Location) =>
    ui.link(visit.path(`/settings/locations/${id}`), 'Change', { 'aria-label': `Change ${name}` });
  return ui.table('Locations', locations, [
    ['Name', ({ name }) => ui.own(name)],
    ['City', ({ city, state }) => ui.own(`${city}, ${state}`)],
    ['Time zone', ({ timeZone }) => zoneName(timeZone)],
    ['Phone', ({ phone }) => (phone === null ? '–' : formatPhone(phone))],
    ['Status', ({ active }) => (active ? 'In use' : 'Out of use')],
    ['Change', (location) => location.active && change(location)],
  ]);
}
