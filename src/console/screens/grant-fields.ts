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

/** Returns the fields for role and locations. Roles above the role of the person who acts are not offered. */
export function grantFields(visit: MemberVisit, input: GrantInput, { locations }: PracticeView): ui.Block[] {
  const roles = ROLES.filter((role) => outranks(visit.member.role, role));
  const options = roles.map((role): ui.Option => [role, ROLE_TEXTS[role].name]);
  const help = roles.map((role): ui.Fact => [ROLE_TEXTS[role].name, ROLE_TEXTS[role].help]);
  const boxes = locations.map(({ id, name, city }) =>
    ui.check(`location.${id}`, ui.own(`${name}, ${city}`), input.locationIds.includes(id), true),
  );
  const hint =
    'Owners and developers always see all locations. People who see only some cannot manage people, keys or settings.';
  return [
    ui.field('role', 'Role', input.role, { options, fault: findFault(visit, 'role') }),
    ui.details('What each role may do', { class: 'hint' }, [ui.facts(undefined, help)]),
    ui.text(hint, { class: 'hint' }),
    allOrSome(visit, 'Locations', ['All locations', 'Only these locations'], input.reach, boxes),
  ];
}

/** Returns the choice between all and some, with the boxes of some. */
export function allOrSome(
  visit: MemberVisit,
  title: string,
  [all, some]: readonly [all: string, some: string],
  reach: string,
  boxes: readonly ui.Content[],
): ui.Block {
  const radios = [ui.radio('reach', 'all', all, reach === 'all'), ui.radio('reach', 'some', some, reach === 'some')];
  return ui.fieldset(title, [...radios, ...boxes], { choice: 'reach-some', fault: findFault(visit, 'reach-some') });
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
