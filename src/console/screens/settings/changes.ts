import { isDeepStrictEqual } from 'node:util';
import { fresh, type Scope } from '../../../platform/base/scope.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { type Act, audit } from '../../../practices/audit/audit.ts';
import { getPractice } from '../../../practices/find.ts';
import type { Location } from '../../../practices/location.entity.ts';
import { setLogo } from '../../../practices/logo.ts';
import type { LogoImage } from '../../../practices/logo-image.ts';
import type { Practice } from '../../../practices/practice.entity.ts';
import { type PracticeChanges, updatePractice } from '../../../practices/service.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';

/**
 * Answers a form that changes the practice. Its audit entry is in the same transaction. Without a difference nothing is recorded.
 *
 * @param done path of the page that says what was saved
 */
export function changePractice(
  visit: MemberVisit,
  done: string,
  changes: PracticeChanges | { logo: LogoImage | null },
): Promise<Reply> {
  const { practiceId } = visit.member;
  return runAndRedirect(visit, async (scope) => {
    const before = practiceState(await getPractice(scope, practiceId, 'lock'));
    const [action, practice] =
      'logo' in changes
        ? ['logo.changed', await setLogo(scope, practiceId, changes.logo)]
        : ['settings.changed', await updatePractice(scope, practiceId, changes)];
    auditChange(visit, scope, { action, before, after: practiceState(practice) });
    return done;
  });
}

/** Audit entries of locations, and what the page says of them afterwards. */
const LOCATION_ACTS = {
  'location.created': 'location_added',
  'location.changed': 'saved',
  'location.deactivated': 'location_deactivated',
} as const;

/**
 * Answers a form that changes a location. Its audit entry is in the same transaction. `before` is null for a new location. A change
 * that returns null changed nothing: the form was sent before.
 */
export function changeLocation(
  visit: MemberVisit,
  action: keyof typeof LOCATION_ACTS,
  before: Location | null,
  change: (scope: Scope, practiceId: string) => Promise<Location | null>,
): Promise<Reply> {
  const old = before === null ? null : locationState(before);
  return runAndRedirect(visit, async (scope) => {
    const location = await change(scope, visit.member.practiceId);
    if (location === null) return '/settings?done=location_repeated';
    const target = { kind: 'location', id: location.id };
    auditChange(visit, scope, { action, target, before: old, after: locationState(location) });
    return `/settings?done=${LOCATION_ACTS[action]}`;
  });
}

/** Makes a change, and leads to the page that it returns. */
async function runAndRedirect({ scope, path }: MemberVisit, change: (scope: Scope) => Promise<string>): Promise<Reply> {
  return { kind: 'redirect', to: path(await inTransaction(fresh(scope), change)) };
}

/** Records an act of the person on the practice, unless it names another target. Without a change nothing is recorded. */
export function auditChange(
  { actor, member }: MemberVisit,
  scope: Scope,
  act: Pick<Act, 'action'> & Partial<Act>,
): void {
  if (isDeepStrictEqual(act.before, act.after)) return;
  const { practiceId } = member;
  audit(scope, actor, { practiceId, target: { kind: 'practice', id: practiceId }, ...act });
}

/** Properties of a practice that its people set. */
const AUDITED = [
  'name',
  'phone',
  'postalAddress',
  'brandColor',
  'logoHash',
  'walletsEnabled',
  'statementDescriptorSuffix',
  'readingKeysForAdministrators',
  'mailsDescription',
] as const;

function practiceState(practice: Practice): object {
  return Object.fromEntries(AUDITED.map((name) => [name, practice[name]]));
}

function locationState({ name, city, state, timeZone, phone, active }: Location): object {
  return { name, city, state, timeZone, phone, active };
}

const TABS = { general: 'Practice and pages', account: 'Payment account' };

export function tabs({ path }: MemberVisit, shown: keyof typeof TABS): ui.Block {
  const hrefs = {
    general: path('/settings'),
    account: path('/settings/payment-account'),
  };
  return ui.tabs({ title: 'Settings', tabs: TABS }, hrefs, shown);
}
