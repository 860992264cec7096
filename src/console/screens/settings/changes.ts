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

export function tabs({ path }: MemberVisit, shown: 'general' | 'account'): ui.Block {
  const pages = [
    ['general', 'Practice and pages', path('/settings')],
    ['account', 'Payment account', path('/settings/payment-account')],
  ] as const;
  return ui.tabs('Settings', pages, shown);
}
