import { STAFF_STATUSES } from '../../../payment-links/model/staff-status.ts';
import {
  ALL_LINKS,
  countOpenLinks,
  groupByPatient,
  listStaffLinks,
  type StaffLinkRow,
} from '../../../payment-links/office/list.ts';
import { formatCursor, parseCursor } from '../../../payment-links/office/page.ts';
import { classifySearch, findByText, namesOneRecord } from '../../../payment-links/office/search.ts';
import { formatPhone } from '../../../platform/base/phone.ts';
import { addDays, startOfDay } from '../../../platform/base/time/zoned-time.ts';
import * as ui from '../../../web/blocks.ts';
import { mayDo } from '../../model/roles.ts';
import { LINK_FIELD_LABELS, LINK_STATUSES, PAYMENT_STATES } from '../../render/labels.ts';
import { auditListView } from '../../routing/patient-views.ts';
import { type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import {
  isFiltered,
  listBlocks,
  pathWith,
  readDays,
  readLocation,
  searchLines,
  typedTexts,
  viewerAt,
} from '../filters.ts';
import { type Formats, type PracticeView, readPracticeView } from '../formats.ts';

const FIRST_STEPS = [
  'Press “New link” and enter the patient, the amount and what it is for.',
  'Give the patient the address: copy it, print a slip, or let them scan the code.',
  'Look here: “Waiting” becomes “Paid”.',
];

/** Days in which a waiting link counts as expiring soon, today included. */
const EXPIRING_DAYS = 7;

const FILTER = ['q', 'status', 'location', 'from', 'until'] as const;

const NO_LINKS = ui.card('No links yet', [
  ui.text('A link is a page on which one patient pays one amount, without an account.'),
  ui.list('ol', FIRST_STEPS),
]);

export async function showLinks(visit: MemberVisit): Promise<Reply> {
  const view = await readPracticeView(visit);
  const { scope, query, formats, locationField } = view;
  const input = { ...typedTexts(query, FILTER), location: readLocation(view) };
  const { status, ...others } = input;
  const { q } = others;
  const isExpiring = status === 'expiring';
  const matches = await findByText(scope, viewerOf(visit), q);
  const [from, before] = readDays(input.from, input.until, formats.timeZone);
  const { rows, next } = await listStaffLinks(scope, viewerAt(visit, input.location), {
    status: STAFF_STATUSES.find((name) => name === (isExpiring ? 'waiting' : status)) ?? null,
    expiresBefore: isExpiring
      ? startOfDay(addDays(formats.isoDay(scope.clock.now()), EXPIRING_DAYS), formats.timeZone)
      : null,
    ids: matches?.ids ?? null,
    from,
    before,
    cursor: parseCursor(query.get('start') ?? ''),
  });
  await auditListView(visit, 'links', input, rows.length);
  const path = visit.modePath('/links');
  const filters = [
    locationField(input.location),
    ui.field('from', 'Created from', input.from, { type: 'date' }),
    ui.field('until', 'Created until', input.until, { type: 'date' }),
  ];
  return ui.page('Payment links', {}, [
    newLinkButton(visit),
    ui.group(
      'listing',
      await statusTabs(visit, input),
      ui.filterForm(path, isFiltered(others), filters, { q, status }),
    ),
    searchLines(`Matches for “${q}”.`, matches),
    listBlocks(visit, formats, {
      ...{ title: 'Payment links', path, input, rows, columns: linkColumns(view), empty: NO_LINKS },
      next: next && formatCursor(next),
    }),
  ]);
}

export function newLinkButton({ member, modePath }: MemberVisit): ui.Content {
  const button = ui.link(modePath('/links/new'), 'New link', { class: 'button' });
  return mayDo(member, 'links.create') && ui.text(button, { class: 'act' });
}

/** Returns the tabs that limit the list to a status. Without another filter, they have the numbers of links that are not finished. */
async function statusTabs(visit: MemberVisit, input: Record<(typeof FILTER)[number], string>): Promise<ui.Block> {
  const { status: shownStatus, ...others } = input;
  const counts = isFiltered(others) ? null : await countOpenLinks(visit.scope, viewerOf(visit));
  const names = { '': 'All', ...LINK_STATUSES, expiring: 'Expires within 7 days' };
  const tabs = (['', ...STAFF_STATUSES, 'expiring'] as const).map((status) => {
    const text = [names[status], counts?.get(status)].filter(Boolean).join(' · ');
    return [status, text, pathWith(visit.modePath('/links'), { ...input, status })] as const;
  });
  return ui.tabs('Status', tabs, shownStatus);
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
  return [statusMark(row), code !== null && ui.group('hint', `Declined: ${decline(code)}`)];
}

function linkColumns({ modePath, locationColumn, formats }: PracticeView): (ui.Column<StaffLinkRow> | null)[] {
  return [
    ['Patient', (one) => ui.link(modePath(`/links/${one.id}`), ui.own(formatName(one)))],
    ['Amount', ({ amountCents }) => formats.money(amountCents), 'amount'],
    ['Status', (one) => renderState(one, formats)],
    ['Created', ({ createdAt }) => formats.time(createdAt), 'moment'],
    ['Reference', ({ externalReference: text }) => text !== null && ui.own(text)],
    locationColumn,
  ];
}

const MAX_SUGGESTIONS = 6;

const HELP =
  'Type the beginning of a last name, or first and last name. Or type a whole phone number, email address, chart number, reference or receipt number, or the last four digits of a card or account. Write an amount as $125 or 125.00.';

/**
 * Shows the patients whose links the text finds, the newest link first. The id of a link, and the number of a receipt, lead straight to
 * the only record. Other texts do not: another patient may have the same name or amount, and each opened record is logged. A search for a
 * new link leads to its form if it finds one patient.
 */
export async function showSearch(visit: MemberVisit): Promise<Reply> {
  const { scope, member, query, mode } = visit;
  const { q, to } = typedTexts(query, ['q', 'to']);
  const matches = await findByText(scope, viewerOf(visit), q);
  if (matches === null) return ui.page('Search', {}, ui.text(HELP));
  const { rows: links, next } = await listStaffLinks(scope, viewerOf(visit), { ...ALL_LINKS, ids: matches.ids });
  const patients = groupByPatient(links);
  const [link, another] = links;
  const isForNew = to === 'new' && mayDo(member, 'links.create');
  const newPath = ({ id: patient }: StaffLinkRow) => pathWith(visit.modePath('/links/new'), { patient });
  const isSuggestion = query.has('suggest');
  if (!isSuggestion && link !== undefined) {
    if (isForNew && patients.length === 1 && next === null) return { kind: 'redirect', to: newPath(link) };
    const kind = classifySearch(q) === 'payment_number' && mayDo(member, 'payments.view') ? 'payments' : 'links';
    if (namesOneRecord(q) && another === undefined)
      return { kind: 'redirect', to: visit.modePath(`/${kind}/${link.id}`) };
  }
  const view = await readPracticeView(visit);
  const shownPatients = isSuggestion ? patients.slice(0, MAX_SUGGESTIONS) : patients;
  const rows = shownPatients.flat().length;
  await auditListView(visit, 'search', { q }, rows);
  if (isSuggestion) return { kind: 'json', body: { patients: shownPatients.map((links) => suggest(links, isForNew)) } };
  const where = member.locationIds === null ? '' : `, at ${view.locations.map(({ name }) => name).join(' and ')} only`;
  const all = (kind: string, words: string) => ui.link(pathWith(visit.modePath(`/${kind}`), { q }), words);
  return ui.page('Search', {}, [
    searchLines(`Matches for “${q}” in ${mode} data${where}.`, matches),
    rows === 0
      ? ui.card('Nothing matches', [ui.text(HELP)])
      : patients.map((links) => patientCard(view, links, newPath)),
    rows > 0 &&
      ui.text([
        all('links', 'Show all these links'),
        mayDo(member, 'payments.view') && [' · ', all('payments', 'Show their payments')],
      ]),
  ]);
}

function patientCard(
  { member, modePath, formats }: PracticeView,
  links: readonly StaffLinkRow[],
  newPath: (link: StaffLinkRow) => string,
): ui.Content {
  const [first] = links;
  if (first === undefined) return null;
  const patient = formatName(first);
  const lines = links.map((one) => [
    ui.link(
      modePath(`/links/${one.id}`),
      ui.own([ui.mark('strong', formats.money(one.amountCents)), ` ${one.description}`]),
    ),
    // Locations may give two patients the same chart number.
    formatName(one) !== patient && [' ', ui.own(formatName(one))],
    ` ${formats.day(one.createdAt)} `,
    renderState(one, formats),
  ]);
  const create = mayDo(member, 'links.create') && ui.link(newPath(first), 'New link', { class: 'button quiet' });
  return ui.card(ui.own(patient), [
    ui.text([ui.own(formatContact(first)), ' ', create]),
    ui.list('ul', lines, 'plain'),
  ]);
}

function formatName({ patientFirstName, patientLastName }: StaffLinkRow): string {
  return `${patientFirstName} ${patientLastName}`;
}

/** Returns what distinguishes two patients of the same name. */
function formatContact({ patientPhone: phone, patientExternalId: externalId }: StaffLinkRow): string {
  const chart = externalId === null ? [] : [`${LINK_FIELD_LABELS.externalId} ${externalId}`];
  return [...(phone === null ? [] : [formatPhone(phone)]), ...chart].join(' · ');
}

function suggest(links: StaffLinkRow[], isForNew: boolean) {
  const [first] = links;
  if (first === undefined) throw new Error('a patient of a search has a link');
  const name = formatName(first);
  const isAlone = isForNew || links.length === 1;
  const detail = [formatContact(first), isAlone ? LINK_STATUSES[first.status] : `${links.length} links`];
  return {
    name,
    detail: detail.filter(Boolean).join(' · '),
    q: isAlone ? first.id : (first.patientExternalId ?? first.patientPhone ?? name),
  };
}
