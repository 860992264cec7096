import { countStaffLinks } from '../../payment-links/staff/counts.ts';
import { mayDo } from '../model/roles.ts';
import * as ui from '../render/blocks.ts';
import { get, type MemberVisit, modePath, type Reply, type Route } from '../routing/route.ts';
import { viewerOf } from '../routing/visit.ts';
import { TEXTS } from '../texts/texts.ts';
import { failing } from './deliveries/failing.ts';
import { countsView, searchField } from './links/list.ts';
import { linksPath } from './links/visit.ts';

export const HOME_ROUTES: readonly Route[] = [get('home', '/console/:practiceId', 'home.view', showHome)];

/** Shows what a role does most: links, and for developers their pages. The path has no mode, so the page shows live data. */
async function showHome(visit: MemberVisit): Promise<Reply> {
  const { home, links: t, developers: d, roles } = TEXTS[visit.language];
  const { member } = visit;
  const path = linksPath(visit);
  const button = { class: 'button' };
  const links = async () => [
    ui.text(mayDo(member, 'links.create') ? t.home.text : t.home.lookUp),
    mayDo(member, 'links.create') ? ui.text(ui.link(`${path}/new`, t.create.title, button)) : null,
    ui.part('/links/parts/counts', { counts: countsView(visit, await countStaffLinks(visit.scope, viewerOf(visit))) }),
    ui.form({
      method: 'get',
      action: path,
      className: 'card search',
      attributes: { role: 'search' },
      blocks: [searchField(t.home.search, t.search.hint, '')],
      button: t.search.button,
    }),
  ];
  const developers = [
    ui.text(d.lead),
    ui.text(ui.link(modePath(member, 'live', '/developers'), home.developers, button)),
  ];
  return ui.page(home.title, [
    ui.lead(ui.own(home.text(member.practiceName, roles[member.role].name))),
    await failing(visit, 'live', 'test'),
    mayDo(member, 'links.view')
      ? ui.section(t.home.title, await links())
      : ui.section(d.title, developers, { class: 'card' }),
  ]);
}
