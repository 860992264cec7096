import { outranks, ROLES, roleNamed } from '../model/roles.ts';
import type { Grant, User } from '../people/users.ts';
import * as ui from '../render/blocks.ts';
import type { MemberVisit } from '../routing/route.ts';
import type { Places } from './places.ts';

/** Role and locations of a person, as a form has them. */
export interface GrantInput {
  role: string;
  isLimited: boolean;
  locationIds: readonly string[];
}

/** Returns the fields for role and locations. Roles above that of the person who acts are not offered. */
export function grantFields(visit: MemberVisit, input: GrantInput, { seen }: Places): ui.Block[] {
  const { people: t, roles } = visit.t;
  const offered = ROLES.filter((role) => outranks(visit.member.role, role)).map((role) => ({ role, ...roles[role] }));
  const names = offered.map(({ role, name }) => [role, name] as const);
  const places = seen.map(({ id, name, city }) =>
    ui.check(`location.${id}`, ui.own(`${name}, ${city}`), input.locationIds.includes(id), { id, isIndented: true }),
  );
  const help = offered.map(({ name, help }) => [name, help] as const);
  return [
    ui.select('role', t.table.role, input.role, names),
    ui.details(t.rolesHelp, { class: 'hint' }, [ui.facts(undefined, help)]),
    ui.fieldset(t.table.locations, [
      ui.text(t.locationsHelp, { class: 'hint' }),
      ui.radio('reach', 'all', t.allLocations, !input.isLimited),
      ui.radio('reach', 'some', t.onlyLocations, input.isLimited),
      ...places,
    ]),
  ];
}

export function grantInput({ fields }: MemberVisit): GrantInput {
  const prefix = 'location.';
  const locationIds = [...fields.keys()]
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
  return { role: fields.get('role') ?? '', isLimited: fields.get('reach') === 'some', locationIds };
}

/** Returns null for a role that no form of ours offers. */
export function grantOf({ role: name, isLimited, locationIds }: GrantInput): Grant | null {
  const role = roleNamed(name);
  return role === null ? null : { role, locationIds: isLimited ? locationIds : null };
}

export function inputOf({ role, locationIds }: User): GrantInput {
  return { role, isLimited: locationIds !== null, locationIds: locationIds ?? [] };
}
