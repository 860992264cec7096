import type { MemberVisit, Reply, Route } from '../routing/route.ts';
import { TEXTS } from '../texts/texts.ts';

/** The first page of a practice. */
export const HOME_ROUTES: readonly Route[] = [
  { name: 'home', method: 'GET', path: '/console/:practiceId', access: 'home.view', handle: showHome },
];

async function showHome({ language }: MemberVisit): Promise<Reply> {
  return { kind: 'page', template: 'home', title: TEXTS[language].home.title, view: {} };
}
