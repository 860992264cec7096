import { countStaffLinks } from '../../payment-links/staff/counts.ts';
import { mayDo } from '../model/roles.ts';
import * as ui from '../render/blocks.ts';
import { get, type MemberVisit, type Reply, type Route } from '../routing/route.ts';
import { viewerOf } from '../routing/visit.ts';
import { failing } from './deliveries/failing.ts';
import { countsBlock, searchField } from './links/list.ts';

export const HOME_ROUTES: readonly Route[] = [get('home', '/console/:practiceId', 'home.view', showHome)];

/** Shows what a role does most: links, and for developers their pages. The path has no mode, so the page shows live data. */
async function showHome(visit: MemberVisit): Promise<Reply> {
  const { home, links: t, developers: d, roles } = visit.t;
  const { member } = visit;
  const path = visit.modePath('/links');
  const button = { class: 'button' };
  const search = { ...t.search, className: 'card search', attributes: { role: 'search' } };
  const links = async () => [
    ui.text(mayDo(member, 'links.create') ? t.home.text : t.home.lookUp),
    mayDo(member, 'links.create') && ui.text(ui.link(`${path}/new`, t.create.title, button)),
    countsBlock(visit, await countStaffLinks(visit.scope, viewerOf(visit))),
    ui.form(path, { ...search, method: 'get' }, [searchField(t.home.search, t.search.hint, '')]),
  ];
  const developers = [ui.text(d.lead), ui.text(ui.link(visit.modePath('/developers'), home.developers, button))];
  return ui.page(home.title, {}, [
    ui.lead(ui.own(home.text(member.practiceName, roles[member.role].name))),
    await failing(visit, 'live', 'test'),
    mayDo(member, 'links.view') ? ui.section(t.title, await links()) : ui.card(d.title, developers),
  ]);
}
