import { isDeepStrictEqual } from 'node:util';
import { audit } from '../../../audit/audit.ts';
import { ApiError } from '../../../base/errors.ts';
import { fresh, type Scope } from '../../../base/scope.ts';
import { inTransaction } from '../../../database/query/transaction.ts';
import { getPractice } from '../../../practices/find.ts';
import type { Location } from '../../../practices/location.entity.ts';
import type { Practice } from '../../../practices/practice.entity.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';

/** Runs a change of the practice and its audit entry in one transaction. Without a difference nothing is recorded. */
export function changePractice(
  visit: MemberVisit,
  action: 'settings.changed' | 'logo.changed',
  change: (scope: Scope, practiceId: string) => Promise<Practice>,
): Promise<void> {
  const { practiceId } = visit.member;
  return inTransaction(fresh(visit.scope), async (scope) => {
    const before = practiceState(await getPractice(scope, practiceId, 'lock'));
    const after = practiceState(await change(scope, practiceId));
    record(visit, scope, { action, target: { kind: 'practice', id: practiceId }, before, after });
  });
}

/**
 * Runs a change of a location and its audit entry in one transaction. `before` is null for a new location. A change that
 * returns null changed nothing.
 */
export function changeLocation(
  visit: MemberVisit,
  action: 'location.created' | 'location.changed' | 'location.deactivated',
  before: Location | null,
  change: (scope: Scope, practiceId: string) => Promise<Location | null>,
): Promise<void> {
  const old = before === null ? null : locationState(before);
  return inTransaction(fresh(visit.scope), async (scope) => {
    const location = await change(scope, visit.member.practiceId);
    if (location === null) return;
    const target = { kind: 'location', id: location.id };
    record(visit, scope, { action, target, before: old, after: locationState(location) });
  });
}

/** Records an act of the person, unless nothing changed. */
export function record(
  visit: MemberVisit,
  scope: Scope,
  act: { action: string; target: { kind: string; id: string }; before: object | null; after: object | null },
): void {
  if (isDeepStrictEqual(act.before, act.after)) return;
  audit(scope, visit.actor, { practiceId: visit.member.practiceId, ...act });
}

/** Returns the sentence for a field that a service refused. @throws the error, if it is not about a field of a form */
export function refusalText({ t }: MemberVisit, error: unknown): string {
  const param = error instanceof ApiError && error.code === 'validation_error' ? error.details.param : null;
  const found = Object.entries(t.settings.refusals).find(([name]) => name === param);
  if (found === undefined) throw error;
  return found[1];
}

/** Returns to a page that says what was saved. */
export function savedAt(visit: MemberVisit, rest: string): Reply {
  return { kind: 'redirect', to: visit.path(rest) };
}

/** Properties of a practice that its people set. */
const RECORDED = [
  ...(['name', 'phone', 'postalAddress', 'brandColor', 'logoHash'] as const),
  ...(['walletsEnabled', 'statementDescriptorSuffix', 'readingKeysForAdministrators'] as const),
];

function practiceState(practice: Practice): object {
  return Object.fromEntries(RECORDED.map((name) => [name, practice[name]]));
}

function locationState({ name, city, state, timeZone, phone, active }: Location): object {
  return { name, city, state, timeZone, phone, active };
}

export function tabs({ t, path }: MemberVisit, shown: keyof typeof t.settings.tabs): ui.Block {
  const hrefs = {
    general: path('/settings'),
    notifications: path('/settings/notifications'),
    account: path('/settings/payment-account'),
  };
  return ui.tabs(t.settings, hrefs, shown);
}
