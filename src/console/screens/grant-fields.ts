import * as ui from '../../web/blocks.ts';
import { PEOPLE_REFUSALS, type PeopleRefusal } from '../model/refusals.ts';
import { type Grant, outranks, ROLES } from '../model/roles.ts';
import { ROLE_TEXTS } from '../render/labels.ts';
import type { MemberVisit } from '../routing/visit.ts';
import type { PracticeView } from './formats.ts';

/** Fields of both forms, in their order, with the refusals that stand beside them. */
const FIELDS = [
  { name: 'email', id: 'email', refusals: ['invalid_email', 'already_member', 'already_invited', 'recipient_limit'] },
  { name: 'role', id: 'role', refusals: ['rank_too_high'] },
  { name: 'reach', id: 'reach-some', refusals: ['unknown_location', 'role_with_locations'] },
] as const satisfies { name: string; id: string; refusals: PeopleRefusal[] }[];

/** Returns the sentence that stands beside a field of a refused form. */
export function faultAt({ fields, refusals }: MemberVisit, name: (typeof FIELDS)[number]['name']): string | undefined {
  const wrong: readonly PeopleRefusal[] = FIELDS.find((field) => field.name === name)?.refusals ?? [];
  const refusal = fields.has(name) ? refusals.find((one) => wrong.includes(one)) : undefined;
  return refusal && PEOPLE_REFUSALS[refusal];
}

/** Returns what the page of a refused form says above: links to all its wrong fields, or the sentence if no field is wrong. */
export function explainFaults(visit: MemberVisit, error: string | undefined) {
  const faults = FIELDS.flatMap(({ name, id }) => {
    const fault = faultAt(visit, name);
    return fault === undefined ? [] : [ui.link(`#${id}`, fault, { class: undefined })];
  });
  return { error: faults.length > 0 ? '' : error, faults };
}

interface GrantInput {
  role: string;
  reach: 'all' | 'some';
  locationIds: readonly string[];
}

/** Returns the fields for role and locations. Roles above that of the person who acts are not offered. */
export function grantFields(visit: MemberVisit, input: GrantInput, { locations }: PracticeView): ui.Block[] {
  const offered = ROLES.filter((role) => outranks(visit.member.role, role)).map((role) => ({
    role,
    ...ROLE_TEXTS[role],
  }));
  const names = offered.map(({ role, name }) => [role, name] as const);
  const boxes = locations.map(({ id, name, city }) =>
    ui.check(`location.${id}`, ui.own(`${name}, ${city}`), input.locationIds.includes(id), true),
  );
  const help = offered.map(({ name, help }) => [name, help] as const);
  return [
    ui.field('role', 'Role', input.role, { options: names, fault: faultAt(visit, 'role') }),
    ui.details('What each role may do', { class: 'hint' }, [ui.facts(undefined, help)]),
    ui.fieldset(
      'Locations',
      [
        ui.text(
          'Owners and developers always see all locations. People who see only some cannot manage people, keys or settings.',
          { class: 'hint' },
        ),
        ui.radio('reach', 'all', 'All locations', input.reach === 'all'),
        ui.radio('reach', 'some', 'Only these locations', input.reach === 'some'),
        ...boxes,
      ],
      { choice: 'reach-some', fault: faultAt(visit, 'reach') },
    ),
  ];
}

export function inputFrom({ role, locationIds }: Grant): GrantInput {
  return { role, reach: locationIds === null ? 'all' : 'some', locationIds: locationIds ?? [] };
}

export function grantInput({ fields }: MemberVisit): GrantInput {
  const locationIds = tickedIds(fields, 'location');
  return { role: fields.get('role') ?? '', reach: fields.get('reach') === 'all' ? 'all' : 'some', locationIds };
}

export function tickedIds(fields: MemberVisit['fields'], kind: string): string[] {
  return [...fields.keys()].flatMap((name) => (name.startsWith(`${kind}.`) ? [name.slice(kind.length + 1)] : []));
}

/** Returns null for a role that no form of ours offers. Ticks beside "all" contradict it, so they become no location, which is refused. */
export function parseGrant(visit: MemberVisit): Grant | null {
  const { role: name, reach, locationIds } = grantInput(visit);
  const role = ROLES.find((one) => one === name);
  if (role === undefined) return null;
  if (reach === 'some') return { role, locationIds };
  return { role, locationIds: locationIds.length === 0 ? null : [] };
}
