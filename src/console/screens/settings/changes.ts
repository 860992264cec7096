import { fresh } from '../../../platform/base/scope.ts';
import { type By, changePractice } from '../../../practices/changes-by-people.ts';
import * as ui from '../../../web/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';

export function byPerson({ actor, member }: MemberVisit): By {
  return { actor, practiceId: member.practiceId };
}

/** Answers a form that changes the practice. @param done path of the page that says what was saved */
export async function savePracticeChange(
  visit: MemberVisit,
  done: string,
  changes: Parameters<typeof changePractice>[2],
): Promise<Reply> {
  await changePractice(fresh(visit.scope), byPerson(visit), changes);
  return { kind: 'redirect', to: visit.path(done) };
}

const TABS = { general: 'Practice and pages', account: 'Payment account' };

export function tabs({ path }: MemberVisit, shown: keyof typeof TABS): ui.Block {
  const hrefs = { general: path('/settings'), account: path('/settings/payment-account') };
  return ui.tabs({ title: 'Settings', tabs: TABS }, hrefs, shown);
}
