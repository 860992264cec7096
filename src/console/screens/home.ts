import type { MemberVisit, Reply, Route } from '../routing/route.ts';
import { TEXTS } from '../texts/texts.ts';
import { failingView } from './deliveries/failing.ts';

/** The first page of a practice. */
export const HOME_ROUTES: readonly Route[] = [
  { name: 'home', method: 'GET', path: '/console/:practiceId', access: 'home.view', handle: showHome },
];

async function showHome(visit: MemberVisit): Promise<Reply> {
  const view = { failing: await failingView(visit) };
  return { kind: 'page', template: 'home', title: TEXTS[visit.language].home.title, view };
}
