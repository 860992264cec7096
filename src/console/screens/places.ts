import { listLocations } from '../../practices/find.ts';
import { chooseTimeZone } from '../../practices/time-zone.ts';
import type { Option } from '../../web/blocks.ts';
import type { MemberVisit } from '../routing/visit.ts';
import { formatsOf } from './formats.ts';

export type Places = Awaited<ReturnType<typeof readPlaces>>;

/** Returns the locations that the person sees, by name, and the formats in the zone of the practice, which is the same for all people. */
export async function readPlaces(visit: MemberVisit) {
  const all = await listLocations(visit.scope, visit.member.practiceId);
  const seen = all.filter(({ id }) => visit.member.locationIds?.includes(id) ?? true);
  const active = seen.filter(({ active }) => active);
  return {
    formats: formatsOf(chooseTimeZone(all)),
    /** Active or not. */
    seen,
    active,
    /** Entries of a filter. */
    filterOptions: seen.map(({ id, name }): Option => [id, name]),
    /** Entries of a form. */
    activeOptions: active.map(({ id, name, city }): Option => [id, `${name}, ${city}`]),
    /** Returns the name of a location; for null, that of all. Returns an unknown id as it is. */
    nameOf: (id: string | null) =>
      id === null ? 'All locations' : (seen.find((location) => location.id === id)?.name ?? id),
  };
}
