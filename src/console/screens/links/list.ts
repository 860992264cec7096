import { addDays, dayIn, startOfDay } from '../../../base/time/zoned-time.ts';
import { declineWords } from '../../../pages/texts/declines.ts';
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
import { type Formats, formatsOf } from '../formats.ts';
import { pageTexts, seenPlaces } from './visit.ts';

/** Days in which a waiting link counts as expiring soon, today included. */
const EXPIRING_DAYS = 7;

const FILTER = ['q', 'status', 'amount', 'location', 'from', 'until'] as const;

type FilterInput = Record<(typeof FILTER)[number], string>;

export async function showList(visit: MemberVisit): Promise<Reply> {
  const { scope, query, member } = visit;
  const { links: t, people } = visit.t;
  const input = typedTexts(query, FILTER);
  const { locations, timeZone } = await seenPlaces(visit);
  const formats = formatsOf(visit, timeZone);
  const locationId = locations.find(({ id }) => id === input.location)?.id ?? null;
  const cents = Math.round(dollarsOf(input.amount) * 100);
  const isInvalid = input.amount !== '' && !(cents > 0);
  const viewer = viewerOf(visit);
  const isExpiring = input.status === 'expiring';
  const page = await listStaffLinks(scope, viewer, {
    status: STAFF_STATUSES.find((status) => status === (isExpiring ? 'waiting' : input.status)) ?? null,
    expiresBefore: isExpiring ? soon(scope.clock.now(), timeZone) : null,
    search: input.q,
    amountCents: input.amount === '' || isInvalid ? null : cents,
    locationId,
    from: dayOf(input.from),
    until: dayOf(input.until),
    timeZone,
    before: query.get('before') ?? null,
  });
  await auditListView(visit, 'links', { input, term: kindOfSearch(input.q), locationId, rows: page.links.length });
  const counts = await countStaffLinks(scope, locationId === null ? viewer : atLocation(viewer, locationId));
  const path = visit.modePath('/links');
  const isFirst = query.get('before') === undefined;
  const places = locations.map(({ id, name }) => [id, name] as const);
  const amount = { inputmode: 'decimal', maxlength: 12, autocomplete: 'off' };
  const refused = isInvalid ? { 'aria-invalid': 'true', 'aria-describedby': 'form-error' } : {};
  const statuses = [
    ...STAFF_STATUSES.map((name) => [name, t.statuses[name]] as const),
    ['expiring', t.filter.expiring] as const,
  ];
  const filters = [
    ui.select('status', t.table.status, input.status, statuses, { all: t.one.back }),
    ui.field('amount', t.table.amount, input.amount, { ...amount, ...refused }),
    places.length > 1 && ui.select('location', t.table.location, input.location, places, { all: people.allLocations }),
    ui.field('from', t.filter.from, input.from, { type: 'date' }),
    ui.field('until', t.filter.until, input.until, { type: 'date' }),
  ];
  const search = {
    ...{ method: 'get' as const, className: 'card search', attributes: { role: 'search' } },
    ...{ title: t.search.button, button: t.search.button },
    beside: isFiltered(input) ? ui.link(path, t.search.reset) : undefined,
  };
  const empty =
    isFiltered(input) || !isFirst
      ? ui.card(t.noMatch.title, [ui.text(t.noMatch.text)])
      : ui.card(t.empty.title, [ui.text(t.empty.text), ui.list('ol', t.empty.steps)]);
  const error = isInvalid ? t.invalidAmount : undefined;
  return ui.page(t.title, { status: 200, done: doneText(visit, t.done), error }, [
    mayDo(member, 'links.create') && ui.text(ui.link(`${path}/new`, t.create.title, { class: 'button' })),
    countsBlock(visit, counts, input),
    ui.form(path, search, [
      searchField(t.search.label, t.search.hint, input.q),
      ui.details(t.search.more, { open: isFiltered({ ...input, q: '' }) }, [ui.group('filter', filters)]),
    ]),
    page.isCut && ui.text(t.isCut, { class: 'alert', role: 'status' }),
    page.links.length === 0
      ? empty
      : ui.table(t.title, page.links, columnsOf(visit, locations, formats), { caption: formats.caption }),
    ui.paging(
      [isFirst ? null : pathWith(path, input), t.newest],
      [page.older === null ? null : pathWith(path, { ...input, before: page.older }), t.older, 'next'],
    ),
  ]);
}

/** Returns the time before which waiting links expire soon: the end of the seventh day. */
export function soon(now: Date, timeZone: string): Date {
  return startOfDay(addDays(dayIn(now, timeZone), EXPIRING_DAYS), timeZone);
}

export function searchField(label: string, hint: string, value: string): ui.Block {
  return ui.field('q', label, value, { hint, isHintAbove: true, type: 'search', maxlength: 100, ...ui.CODE });
}

/** Shows the numbers by status, each with a link to its list. */
export function countsBlock(visit: MemberVisit, counts: StaffCounts, input?: FilterInput): ui.Block {
  const { links: t } = visit.t;
  const format = new Intl.NumberFormat(pageTexts(visit).language.locale);
  const entries = STAFF_STATUSES.map((status) => {
    const path = pathWith(visit.modePath('/links'), { status, location: input?.location ?? '' });
    const words = [ui.mark('strong', format.format(counts[status])), ' ', ui.mark('span', t.statuses[status])];
    const isCurrent = input?.status === status ? 'true' : undefined;
    return ui.link(path, words, { class: `count status-${status}`, 'aria-current': isCurrent });
  });
  return ui.nav(t.count, [ui.list('ul', entries, 'counts')]);
}

/** Returns a status in words. A refunded link is a paid one with another name. */
export function statusMark(visit: MemberVisit, status: StaffStatus, isRefunded: boolean): ui.Mark {
  const name = isRefunded && status === 'paid' ? 'refunded' : status;
  return ui.mark('span', visit.t.links.statuses[name], `status status-${status}`);
}

function columnsOf(
  visit: MemberVisit,
  locations: readonly { id: string; name: string }[],
  { money, time }: Formats,
): (ui.Column<StaffLinkRow> | null)[] {
  const { fields, table: t } = visit.t.links;
  const place = (id: string) => locations.find((location) => location.id === id)?.name ?? '';
  const declined = (code: string) => ui.mark('div', t.declined(declineWords(pageTexts(visit), code).staff), 'hint');
  const state = ({ status, isRefunded, declineReason: code }: StaffLinkRow) => [
    statusMark(visit, status, isRefunded),
    code !== null && declined(code),
  ];
  return [
    [t.patient, (one) => ui.link(visit.modePath(`/links/${one.id}`), ui.own(`${one.firstName} ${one.lastName}`))],
    [t.amount, ({ amountCents }) => money(amountCents), 'amount'],
    [t.status, state],
    [t.created, ({ createdAt }) => time(createdAt), 'day'],
    [fields.externalReference, ({ externalReference }) => ui.own(externalReference ?? '')],
    locations.length > 1 ? [t.location, ({ locationId }) => ui.own(place(locationId))] : null,
  ];
}

/** Returns a day such as `2030-06-15`; null for any other text. */
function dayOf(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970' || Number.isNaN(Date.parse(text))) return null;
  return new Date(text).toISOString().startsWith(text) ? text : null;
}
