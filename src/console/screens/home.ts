import { countStaffLinks } from '../../payment-links/read/staff-counts.ts';
import { mayDo } from '../model/roles.ts';
import { type MemberVisit, modePath, type Reply, type Route } from '../routing/route.ts';
import { readerOf } from '../routing/visit.ts';
import { TEXTS } from '../texts/texts.ts';
import { failingView } from './deliveries/failing.ts';
import { countsView } from './links/list.ts';
import { linksPath } from './links/visit.ts';

/** The first page of a practice. */
export const HOME_ROUTES: readonly Route[] = [
  { name: 'home', method: 'GET', path: '/console/:practiceId', access: 'home.view', handle: showHome },
];

/** Shows what a role does most: links, and for developers their pages. The path has no mode, so the page shows live data. */
async function showHome(visit: MemberVisit): Promise<Reply> {
  const links = mayDo(visit.member, 'links.view') ? await linksView(visit) : null;
  const developers = modePath(visit.member, 'live', '/developers');
  const view = { links, developers, failing: await failingView(visit) };
  return { kind: 'page', template: 'home', title: TEXTS[visit.language].home.title, view };
}

async function linksView(visit: MemberVisit) {
  const path = linksPath(visit);
  return {
    path,
    create: mayDo(visit.member, 'links.create') ? `${path}/new` : null,
    counts: countsView(visit, await countStaffLinks(visit.scope, readerOf(visit))),
  };
}
