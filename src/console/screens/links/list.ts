import { formatAmount, formatDay } from '../../../pages/texts/formats.ts';
import { atLocation, STAFF_STATUSES, type StaffStatus } from '../../../payment-links/model/staff-status.ts';
import { countStaffLinks, type StaffCounts } from '../../../payment-links/staff/counts.ts';
import { dollarsOf } from '../../../payment-links/staff/input.ts';
import { listStaffLinks, type StaffLinkRow } from '../../../payment-links/staff/list.ts';
import { kindOfSearch } from '../../../payment-links/staff/search.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { auditListView } from '../../routing/patient-views.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { doneText, viewerOf } from '../../routing/visit.ts';
import { isFiltered, pathWith, typedTexts } from '../filters.ts';
import { linksPath, pageTexts, seenPlaces, textsOf } from './visit.ts';

const FILTER = ['q', 'status', 'amount', 'location', 'from', 'until'] as const;

type FilterInput = Record<(typeof FILTER)[number], string>;

export async function showList(visit: MemberVisit): Promise<Reply> {
  const { scope, query, member } = visit;
  const t = textsOf(visit);
  const input = typedTexts(query, FILTER);
  const { locations, timeZone } = await seenPlaces(visit);
  const locationId = locations.find(({ id }) => id === input.location)?.id ?? null;
  const cents = Math.round(dollarsOf(input.amount) * 100);
  const isInvalid = input.amount !== '' && !(cents > 0);
  const page = await listStaffLinks(scope, viewerOf(visit), {
    status: STAFF_STATUSES.find((status) => status === input.status) ?? null,
    search: input.q,
    amountCents: input.amount === '' || isInvalid ? null : cents,
    locationId,
    from: dayOf(input.from),
    until: dayOf(input.until),
    timeZone,
    before: query.get('before') ?? null,
  });
  await auditListView(visit, 'links', { input, term: kindOfSearch(input.q), locationId, rows: page.links.length });
  const viewer = viewerOf(visit);
  const counts = await countStaffLinks(scope, locationId === null ? viewer : atLocation(viewer, locationId));
  const path = linksPath(visit);
  const isFirst = query.get('before') === undefined;
  const places = locations.map(({ id, name }) => [id, name] as const);
  const amount = { inputmode: 'decimal', maxlength: 12, autocomplete: 'off' };
  const refused = isInvalid ? { 'aria-invalid': 'true', 'aria-describedby': 'form-error' } : {};
  const day = { attributes: { type: 'date' } };
  const filters = [
    ui.select(
      'status',
      t.filter.status,
      input.status,
      STAFF_STATUSES.map((name) => [name, t.statuses[name]]),
      { all: t.all },
    ),
    ui.field('amount', t.filter.amount, input.amount, { attributes: { ...amount, ...refused } }),
    places.length > 1
      ? ui.select('location', t.filter.location, input.location, places, { all: t.filter.allLocations })
      : null,
    ui.field('from', t.filter.from, input.from, day),
    ui.field('until', t.filter.until, input.until, day),
  ];
  const empty =
    isFiltered(input) || !isFirst
      ? ui.section(t.noMatch.title, [ui.text(t.noMatch.text)], { class: 'card' })
      : ui.section(t.empty.title, [ui.text(t.empty.text), ui.steps(t.empty.steps)], { class: 'card' });
  const blocks = [
    mayDo(member, 'links.create') ? ui.text(ui.link(`${path}/new`, t.create.title, { class: 'button' })) : null,
    ui.part('/links/parts/counts', { counts: countsView(visit, counts, input) }),
    ui.form({
      method: 'get',
      action: path,
      className: 'card search',
      attributes: { role: 'search' },
      title: t.search.title,
      blocks: [
        searchField(t.search.label, t.search.hint, input.q),
        ui.details(t.search.more, isFiltered({ ...input, q: '' }), [ui.group('filter', filters)]),
      ],
      button: t.search.button,
      beside: isFiltered(input) ? ui.link(path, t.search.reset) : undefined,
    }),
    page.isCut ? ui.text(t.isCut, { class: 'alert', role: 'status' }) : null,
    page.links.length === 0 ? empty : ui.table(t.title, page.links, columnsOf(visit, { locations, timeZone })),
    ui.paging(
      [isFirst ? null : pathWith(path, input), t.newest],
      [page.older === null ? null : pathWith(path, { ...input, before: page.older }), t.older, 'next'],
    ),
  ];
  const error = isInvalid ? t.invalidAmount : undefined;
  return ui.page(t.title, blocks, { status: 200, done: doneText(visit, t.done), error });
}

export function searchField(label: string, hint: string, value: string): ui.Block {
  const attributes = { type: 'search', maxlength: 100, ...ui.CODE };
  return ui.field('q', label, value, { hint, isHintAbove: true, attributes });
}

/** Returns the numbers by status, each with the address of its list. */
export function countsView(visit: MemberVisit, counts: StaffCounts, input?: FilterInput) {
  const t = textsOf(visit);
  const path = linksPath(visit);
  const format = new Intl.NumberFormat(pageTexts(visit).language.locale);
  const location = input?.location ?? '';
  return STAFF_STATUSES.map((status) => ({
    status,
    name: t.statuses[status],
    count: format.format(counts[status]),
    href: pathWith(path, { status, location }),
    isCurrent: input?.status === status,
  }));
}

/** Returns a status in words. A refunded link is a paid one with another name. */
export function statusMark(visit: MemberVisit, status: StaffStatus, isRefunded: boolean): ui.Mark {
  const name = isRefunded && status === 'paid' ? 'refunded' : status;
  return ui.mark('span', textsOf(visit).statuses[name], `status status-${status}`);
}

function columnsOf(
  visit: MemberVisit,
  { locations, timeZone }: { locations: readonly { id: string; name: string }[]; timeZone: string },
): (ui.Column<StaffLinkRow> | null)[] {
  const { table: t } = textsOf(visit);
  const place = (id: string) => locations.find((location) => location.id === id)?.name ?? '';
  const state = ({ status, isRefunded }: StaffLinkRow) => statusMark(visit, status, isRefunded);
  const created = ({ createdAt }: StaffLinkRow) =>
    ui.moment(createdAt, formatDay(pageTexts(visit), createdAt, timeZone));
  return [
    [t.patient, (one) => ui.link(linksPath(visit, one.id), ui.own(`${one.firstName} ${one.lastName}`))],
    [t.amount, ({ amountCents }) => formatAmount(pageTexts(visit), amountCents), 'amount'],
    [t.status, state],
    [t.created, created, 'day'],
    [t.reference, ({ externalReference }) => ui.own(externalReference ?? '')],
    locations.length > 1 ? [t.location, ({ locationId }) => ui.own(place(locationId))] : null,
  ];
}

/** Returns a day such as `2030-06-15`; null for any other text. */
function dayOf(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970' || Number.isNaN(Date.parse(text))) return null;
  return new Date(text).toISOString().startsWith(text) ? text : null;
}
