export const ROLES = ['owner', 'administrator', 'billing', 'front_desk', 'developer', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** Ranks of roles; 0 for all others. Nobody grants a role of a higher rank than their own, or acts on a person who has one. */
const RANKS: Readonly<Partial<Record<Role, number>>> = { owner: 2, administrator: 1 };

interface ActionRule {
  roles: readonly Role[];
  /** With `practice`, people who are limited to locations may not do it. With `locations`, the handler checks the record's location. */
  reach: 'practice' | 'locations';
  /** True: the action needs a sign-in of the last minutes (`isSignInFresh`). */
  sensitive?: true;
}

const PATIENT_DATA = ['owner', 'administrator', 'billing', 'front_desk', 'viewer'] as const;
const FRONT_DESK = ['owner', 'administrator', 'billing', 'front_desk'] as const;
const BILLING = ['owner', 'administrator', 'billing'] as const;
const DEVELOPERS = ['owner', 'administrator', 'developer'] as const;
const ADMINISTRATORS = ['owner', 'administrator'] as const;

/** All actions of the console. The only table of roles and actions; the guide and the tests read it. */
const RULES = {
  'home.view': { roles: ROLES, reach: 'locations' },
  'links.view': { roles: PATIENT_DATA, reach: 'locations' },
  'links.create': { roles: FRONT_DESK, reach: 'locations' },
  'links.change': { roles: FRONT_DESK, reach: 'locations' },
  'links.cancel': { roles: FRONT_DESK, reach: 'locations' },
  'payments.view': { roles: ['owner', 'administrator', 'billing', 'viewer'], reach: 'locations' },
  'payments.refund': { roles: BILLING, reach: 'locations' },
  'payments.answer': { roles: BILLING, reach: 'locations' },
  'payments.export': { roles: BILLING, reach: 'locations', sensitive: true },
  'developers.view': { roles: DEVELOPERS, reach: 'practice' },
  'keys.manage': { roles: DEVELOPERS, reach: 'practice', sensitive: true },
  'webhooks.manage': { roles: DEVELOPERS, reach: 'practice' },
  'secrets.view': { roles: DEVELOPERS, reach: 'practice', sensitive: true },
  'settings.manage': { roles: ADMINISTRATORS, reach: 'practice' },
  'people.view': { roles: ADMINISTRATORS, reach: 'practice' },
  'people.manage': { roles: ADMINISTRATORS, reach: 'practice', sensitive: true },
  'audit_log.view': { roles: ADMINISTRATORS, reach: 'practice' },
} as const satisfies Record<string, ActionRule>;

export type Action = keyof typeof RULES;

const TABLE: Readonly<Record<Action, ActionRule>> = RULES;

export const ACTIONS: readonly Action[] = Object.keys(RULES).filter((name): name is Action => name in RULES);

export interface Grant {
  role: Role;
  /** Null: all locations of the practice. */
  locationIds: readonly string[] | null;
}

export function mayDo({ role, locationIds }: Grant, action: Action): boolean {
  const { roles, reach } = TABLE[action];
  return roles.includes(role) && (reach === 'locations' || locationIds === null);
}

export function isSensitive(action: Action): boolean {
  return TABLE[action].sensitive === true;
}

/** Roles whose actions concern the whole practice. A limit to locations would leave them nothing to do, or contradict them. */
const WHOLE_PRACTICE: readonly Role[] = ['owner', 'developer'];

export function canBeLimited(role: Role): boolean {
  return !WHOLE_PRACTICE.includes(role);
}

/** Returns true if a person with the first role may grant the second, and act on people who have it. */
export function outranks(own: Role, other: Role): boolean {
  return (RANKS[own] ?? 0) >= (RANKS[other] ?? 0);
}
