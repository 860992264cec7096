import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '../platform/base/scope.ts';
import { inTransaction } from '../platform/database/query/transaction.ts';
import { type Act, type Actor, audit } from './audit/audit.ts';
import { getPractice } from './find.ts';
import type { Location } from './location.entity.ts';
import { type LogoImage, setLogo } from './logo.ts';
import { listRecipients, type Recipients, setRecipients } from './notifications.ts';
import type { Practice } from './practice.entity.ts';
import { NotificationRecipient } from './recipient.entity.ts';
import { type PracticeChanges, SET_BY_PEOPLE, updatePractice } from './service.ts';

/* Changes of a practice by its people. The audit entry of a change is in its transaction. Without a difference nothing is recorded. */

export interface By {
  actor: Actor;
  practiceId: string;
}

/** Changes properties of the practice, or its logo. */
export function changePractice(
  scope: Scope,
  by: By,
  changes: PracticeChanges | { logo: LogoImage | null },
): Promise<void> {
  const { practiceId } = by;
  return inTransaction(scope, async (scope) => {
    const before = practiceState(await getPractice(scope, practiceId, 'lock'));
    const [action, practice] =
      'logo' in changes
        ? ['logo.changed', await setLogo(scope, practiceId, changes.logo)]
        : ['settings.changed', await updatePractice(scope, practiceId, changes)];
    auditChange(scope, by, { action, before, after: practiceState(practice) });
  });
}

/** Changes a location; `before` is null for a new one. Returns false if `change` returns null, such as for a form that was sent before. */
export function changeLocation(
  scope: Scope,
  by: By,
  action: string,
  before: Location | null,
  change: (scope: Scope) => Promise<Location | null>,
): Promise<boolean> {
  const oldState = before && locationState(before);
  return inTransaction(scope, async (scope) => {
    const location = await change(scope);
    if (location === null) return false;
    const target = { kind: 'location', id: location.id };
    auditChange(scope, by, { action, target, before: oldState, after: locationState(location) });
    return true;
  });
}

/** Replaces the recipients of notifications. @throws ApiError as `setRecipients` */
export function changeRecipients(scope: Scope, by: By, wanted: Recipients): Promise<void> {
  return inTransaction(scope, async (scope) => {
    const before = await listRecipients(scope, by.practiceId);
    const after = await setRecipients(scope, by.practiceId, wanted);
    auditChange(scope, by, { action: 'notifications.changed', before, after });
  });
}

/** Takes an address from the recipients of all kinds, in the caller's transaction. */
export async function removeRecipient(scope: Scope, by: By, email: string): Promise<void> {
  const { practiceId } = by;
  const before = await listRecipients(scope, practiceId);
  await scope.em.nativeDelete(NotificationRecipient, { practiceId, email });
  const after = await listRecipients(scope, practiceId);
  auditChange(scope, by, { action: 'notifications.changed', before, after });
}

/** Records an act on the practice, unless it names another target. Call it inside the transaction of the act. */
export function auditChange(
  scope: Scope,
  { actor, practiceId }: By,
  act: Pick<Act, 'action'> & Partial<Omit<Act, 'practiceId'>>,
): void {
  if (isDeepStrictEqual(act.before, act.after)) return;
  audit(scope, actor, { practiceId, target: { kind: 'practice', id: practiceId }, ...act });
}

function practiceState(practice: Practice): object {
  return Object.fromEntries([...SET_BY_PEOPLE, 'logoHash' as const].map((name) => [name, practice[name]]));
}

function locationState({ name, city, state, timeZone, phone, active }: Location): object {
  return { name, city, state, timeZone, phone, active };
}
