import { atLocation, STAFF_STATUSES } from '../../../payment-links/model/staff-status.ts';
import { countOpenLinks, listStaffLinks, type StaffLinkRow } from '../../../payment-links/office/list.ts';
import { formatCursor, parseCursor } from '../../../payment-links/office/page.ts';
import { classifySearch, findByText } from '../../../payment-links/office/search.ts';
import { addDays, dayIn, parseDay, startOfDay } from '../../../platform/base/time/zoned-time.ts';
import * as ui from '../../../web/blocks.ts';
import { mayDo } from '../../model/roles.ts';
import { LINK_STATUSES, PAYMENT_STATES, SEARCH_IS_CUT } from '../../render/labels.ts';
import { auditListView } from '../../routing/patient-views.ts';
import { type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import { isFiltered, pagesOf, pathWith, totalText, typedTexts } from '../filters.ts';
import type { Formats } from '../formats.ts';
import { type PracticeView, readPracticeView } from '../formats.ts';

const FIRST_STEPS = [
  'Press “New link” and enter the patient, the amount and what it is for.',
  'Give the patient the address: copy it, print a slip, or let them scan the code.',
  'Look here: “Waiting” becomes “Paid”.',
];

/** Days in which a waiting link counts as expiring soon, today included. */
const EXPIRING_DAYS = 7;

const FILTER = ['q', 'status', 'location', 'from', 'until'] as const;

const NO_MATCH = ui.card('No link matches', [
  ui.text('Check the spelling, type only the first letters of the last name, or remove a filter.'),
]);

const NO_LINKS = ui.card('No links yet', [
  ui.text('A link is a page on which one patient pays one amount, without an account.'),
  ui.list('ol', FIRST_STEPS),
]);

export async function showLinks(visit: MemberVisit): Promise<Reply> {
  const { scope, query, member } = visit;
  const input = typedTexts(query, FILTER);
  const view = await readPracticeView(visit);
  const { caption, timeZone } = view.formats;
  const locationId = view.locations.find(({ id }) => id === input.location)?.id ?? null;
  const viewer = viewerOf(visit);
  const isExpiring = input.status === 'expiring';
  const found = await findByText(scope, viewer, input.q);
  const [from, until] = [parseDay(input.from), parseDay(input.until)];
  const cursor = parseCursor(query.get('before') ?? '');
  const { rows, next } = await listStaffLinks(scope, locationId === null ? viewer : atLocation(viewer, locationId), {
    status: STAFF_STATUSES.find((status) => status === (isExpiring ? 'waiting' : input.status)) ?? null,
    expiresBefore: isExpiring ? startOfDay(addDays(dayIn(scope.clock.now(), timeZone), EXPIRING_DAYS), timeZone) : null,
    ids: found?.ids ?? null,
    from: from === null ? null : startOfDay(from, timeZone),
    before: until === null ? null : startOfDay(addDays(until, 1), timeZone),
    cursor,
  });
  await auditListView(visit, 'links', { input, term: classifySearch(input.q), locationId, rows: rows.length });
  const path = visit.modePath('/links');
  const isFirst = cursor === null;
  const { locationOptions } = view;
  const { status: chosen, ...others } = input;
  const tabs = { '': 'All', ...LINK_STATUSES, expiring: 'Expires within 7 days' };
  const shownTabs = ['', ...STAFF_STATUSES, 'expiring'] as const;
  const counts = isFiltered(others) ? new Map<string, number>() : await countOpenLinks(scope, viewer);
  const counted = shownTabs.map((tab) => [tab, [tabs[tab], counts.get(tab)].filter(Boolean).join(' · ')] as const);
  const hrefs = shownTabs.map((status) => [status, pathWith(path, { ...input, status })] as const);
  const statuses = ui.tabs({ title: 'Status', tabs: Object.fromEntries(counted) }, Object.fromEntries(hrefs), chosen);
  const filters = [
    input.q !== '' && ui.hiddenField('q', input.q),
    chosen !== '' && ui.hiddenField('status', chosen),
    locationOptions.length > 1 &&
      ui.field('location', 'Location', input.location, { options: locationOptions, all: 'All locations' }),
    ui.field('from', 'Created from', input.from, { type: 'date' }),
    ui.field('until', 'Created until', input.until, { type: 'date' }),
  ];
  const empty = isFiltered(input) || !isFirst ? NO_MATCH : NO_LINKS;
  return ui.page('Payment links', {}, [
    mayDo(member, 'links.create') && ui.text(ui.link(`${path}/new`, 'New link', { class: 'button' }), { class: 'act' }),
    ui.mark('div', [statuses, ui.filterForm(path, isFiltered(others), filters)], 'listing'),
    input.q !== '' && ui.lead(ui.own(`Matches for “${input.q}”.`)),
    found?.isCut === true && ui.text(SEARCH_IS_CUT, { class: 'alert', role: 'status' }),
    rows.length === 0 ? empty : ui.table('Payment links', rows, linkColumns(visit, view), { caption }),
    totalText(rows, isFirst && next === null, view.formats),
    pagesOf(path, input, isFirst, next && formatCursor(next)),
  ]);
}

/** Returns a status in words. A refunded or disputed link is a paid one with another name. */
export function statusMark({ status, afterPayment }: Pick<StaffLinkRow, 'status' | 'afterPayment'>): ui.Block {
  if (status !== 'paid' || afterPayment === null) return ui.badge(LINK_STATUSES[status], status);
  if (afterPayment === 'refunded') return ui.badge('Refunded', status);
  return ui.badge(PAYMENT_STATES[afterPayment], afterPayment);
}

/** Returns the status of a link, and below it why its latest payment was declined. */
export function renderState(row: StaffLinkRow, { decline }: Pick<Formats, 'decline'>): ui.Content {
  const code = row.declineReason;
  return [statusMark(row), code !== null && ui.mark('div', `Declined: ${decline(code)}`, 'hint')];
}

function linkColumns(
  visit: MemberVisit,
  { locations, locationName, formats }: PracticeView,
): (ui.Column<StaffLinkRow> | null)[] {
  return [
    [
      'Patient',
      (one) => ui.link(visit.modePath(`/links/${one.id}`), ui.own(`${one.patientFirstName} ${one.patientLastName}`)),
    ],
    ['Amount', ({ amountCents }) => formats.money(amountCents), 'amount'],
    ['Status', (one) => renderState(one, formats)],
    ['Created', ({ createdAt }) => formats.time(createdAt), 'moment'],
    ['Reference', ({ externalReference: text }) => text !== null && ui.own(text)],
    locations.length > 1 ? ['Location', ({ locationId }) => ui.own(locationName(locationId))] : null,
  ];
}
