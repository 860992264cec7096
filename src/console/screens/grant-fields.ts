import * as ui from '../../web/blocks.ts';
import { type Grant, outranks, ROLES } from '../model/roles.ts';
import { ROLE_TEXTS } from '../render/labels.ts';
import { findFault, type MemberVisit } from '../routing/visit.ts';
import type { PracticeView } from './formats.ts';

interface GrantInput {
  role: string;
  reach: 'all' | 'some';
  locationIds: readonly string[];
}

/** Returns the fields for role and locations. Roles above that of the person who acts are not offered. */
export function grantFields(visit: MemberVisit, input: GrantInput, { locations }: PracticeView): ui.Block[] {
  const roles = ROLES.filter((role) => outranks(visit.member.role, role));
  const names = roles.map((role) => [role, ROLE_TEXTS[role].name] as const);
  const boxes = locations.map(({ id, name, city }) =>
    ui.check(`location.${id}`, ui.own(`${name}, ${city}`), input.locationIds.includes(id), true),
  );
  const help = roles.map((role) => [ROLE_TEXTS[role].name, ROLE_TEXTS[role].help] as const);
  return [
    ui.field('role', 'Role', input.role, { options: names, fault: findFault(visit, 'role') }),
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
      { choice: 'reach-some', fault: findFault(visit, 'reach-some') },
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
