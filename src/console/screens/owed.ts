import {
  ALL_OWED,
  exportOwed,
  findAges,
  listOwed,
  OWED_FILTERS,
  OWED_ORDERS,
  type OwedOrder,
  type OwedQuery,
  type OwedRow,
  type OwedSum,
  readOwedSums,
} from '../../payment-links/billing/list-owed.ts';
import { OWED_PARTS } from '../../payment-links/model/owed.ts';
import { queuePatientMail, type SendOutcome } from '../../payment-links/office/mail-queue.ts';
import { formatCursor, parseCursor } from '../../payment-links/office/page.ts';
import { formatPhone } from '../../platform/base/phone.ts';
import * as ui from '../../web/blocks.ts';
import { type CsvColumn, csvDownload, timeColumns } from '../../web/csv.ts';
import { mayDo } from '../model/roles.ts';
import { LINK_STATUSES } from '../render/labels.ts';
import { catchRefusals } from '../routing/handlers.ts';
import { auditExport, auditListView } from '../routing/patient-views.ts';
import { doneText, type MemberVisit, problem, type Reply, refuse, staffOf, viewerOf } from '../routing/visit.ts';
import { exportForm, isFiltered, listBlocks, pathWith, readLocation, typedTexts, viewerAt } from './filters.ts';
import { type Formats, type PracticeView, readPracticeView } from './formats.ts';
import { tickedIds } from './grant-fields.ts';
import { NO_SENDER, NOT_SENT } from './links/change-cancel-send.ts';
import { readLanguage } from './links/fields.ts';

const FILTERS: Readonly<Record<(typeof OWED_FILTERS)[number] | '', string>> = {
  '': 'All',
  waiting: 'Waiting',
  returned: 'Returned by the bank',
  expired: 'Expired',
  declined: 'Declined',
  never_opened: 'Never opened',
};

const ORDERS = { age: 'Oldest first', amount: 'Highest first' } satisfies Record<OwedOrder, string>;

const AGES = ['0 to 7 days', '8 to 30 days', 'Over 30 days'];

/** Prefix of the boxes by which links are ticked. */
const TICK_PREFIX = 'send';

const PAGE_SIZE = 50;

/** Shows what patients owe: the sums, and the links to act on. After an act, it says what was refused, or what came of each link. */
export async function showOwed(
  visit: MemberVisit,
  error?: string,
  results: readonly ui.Content[] = [],
): Promise<Reply> {
  const view = await readPracticeView(visit);
  const { scope, formats, locationField } = view;
  const { input, query, viewer, ages } = readFilter(view);
  const { show, age, location } = input;
  const start = visit.query.get('start') ?? '';
  const { rows, next } = await listOwed(scope, viewer, query, parseCursor(start), PAGE_SIZE);
  const sums = await readOwedSums(scope, viewer, query, ages);
  await auditListView(visit, 'links', input, rows.length);
  const path = visit.modePath('/owed');
  const tabs = (['', ...OWED_FILTERS] as const).map(
    (show) => [show, FILTERS[show], pathWith(path, { ...input, show })] as const,
  );
  const { parts, breakdown } = owedFigures(view, sums, input);
  const fields = [
    ui.field('age', 'Owed for', age, { options: AGES.map((name, index) => [`${index}`, name]), all: 'Any time' }),
    locationField(location),
    ui.field('order', 'Order', query.order, { options: Object.entries(ORDERS) }),
  ];
  const sending = { className: '', button: 'Send the ticked links again' };
  const sendPath = pathWith(`${path}/send`, { ...input, start });
  const [table, paging] = listBlocks(visit, formats, {
    ...{ title: 'Owed', path, input, rows, columns: listColumns(view, pathWith(path, input)) },
    empty: ui.text('Nothing is owed here.', { class: 'card' }),
    next: next && formatCursor(next),
  });
  return ui.page('Owed', { error, done: doneText(visit) }, [
    results.length > 0 && ui.section('Sent again', [ui.list('ul', results)], { class: 'alert good', role: 'status' }),
    ui.tabs('Owed', tabs, show),
    figureLines(parts),
    ui.filterForm(path, isFiltered({ age, location }), fields, { show }),
    rows.length > 0 && exportForm(visit, '/owed', input, 'Download this list (CSV)'),
    figureLines(breakdown),
    rows.some((row) => maySend(visit, row)) ? ui.form(sendPath, sending, table) : table,
    paging,
  ]);
}

/** Returns the sum of what is owed and its parts, and apart from these its ages and locations. Each leads to its list. */
export function owedFigures(
  { modePath, formats: { money, count }, locations }: PracticeView,
  sums: readonly OwedSum[],
  input: Partial<OwedInput> = {},
): { parts: ui.Content[]; breakdown: ui.Content[] } {
  const figure = (name: string, belongs: (sum: OwedSum) => boolean, filter: Partial<OwedInput>) => {
    const path = pathWith(modePath('/owed'), { ...input, ...filter });
    const add = (value: 'cents' | 'count') => sums.filter(belongs).reduce((all, sum) => all + sum[value], 0);
    return ui.figure(name, money(add('cents')), path, `Links: ${count(add('count'))}`);
  };
  const whole = figure('Owed in all', () => true, {});
  const parts = OWED_PARTS.map((part) => figure(FILTERS[part], (sum) => sum.part === part, { show: part }));
  const ages = AGES.map((name, age) => figure(name, (sum) => sum.age === age, { age: `${age}` }));
  const byLocation = locations.map(({ id, name }) => figure(name, (sum) => sum.locationId === id, { location: id }));
  return {
    parts: [whole, ...(input.show ? [] : parts)],
    breakdown: [...(input.age ? [] : ages), ...(input.location || locations.length < 2 ? [] : byLocation)],
  };
}

/** Returns figures in a line, so that they take little room above a list. */
export function figureLines(figures: readonly ui.Content[]): ui.Content {
  return figures.length > 0 && ui.list('ul', figures, 'figures lines');
}

/** Returns the columns. Acts on a row lead back to the list `to`. */
function listColumns(view: PracticeView, to: string): (ui.Column<OwedRow> | null)[] {
  const { formats, locationColumn } = view;
  const { money, briefDay } = formats;
  const patient = (row: OwedRow) => {
    const { id, firstName, lastName, sentCount } = row;
    const name = `${firstName} ${lastName}`;
    const box = { type: 'checkbox', name: `${TICK_PREFIX}.${id}`, value: `${sentCount}`, 'aria-label': `Tick ${name}` };
    // A form that comes back keeps the ticks of links that were not sent.
    const tick = { ...box, checked: view.fields.get(box.name) === box.value };
    const opener = ui.link(view.modePath(`/links/${id}`), ui.own(name));
    return maySend(view, row) ? [{ tag: 'input', attributes: tick }, ' ', opener] : opener;
  };
  const phone = ({ phone: number }: OwedRow) =>
    number === null ? '' : ui.link(`tel:${number}`, formatPhone(number), { class: 'touch whole' });
  const happened = (row: OwedRow) => [
    ui.badge(LINK_STATUSES[row.part], row.part),
    ui.group('hint', describeLast(row, formats)),
  ];
  return [
    ['Patient', patient],
    ['Amount', ({ amountCents }) => money(amountCents), 'amount'],
    ['Phone', phone],
    ['Since', ({ since }) => ui.moment(since, briefDay(since)), 'moment'],
    ['What happened last', happened],
    locationColumn,
    ['What you can do', (row) => rowActs(view, row, to)],
  ];
}

/** Returns true if the person may email the link again. */
function maySend({ member, mailsPatients }: MemberVisit, { part, hasEmail }: OwedRow): boolean {
  return part === 'waiting' && hasEmail && mailsPatients && mayDo(member, 'links.change');
}

/** Returns in words what the patient or the bank did last. */
function describeLast({ part, failureReason, openedAt, sentAt }: OwedRow, { shortDay, decline }: Formats): string {
  if (part === 'returned')
    return failureReason === null ? 'Taken back by the bank' : `Taken back: ${decline(failureReason)}`;
  if (failureReason !== null) return `Declined: ${decline(failureReason)}`;
  if (openedAt !== null) return `Opened on ${shortDay(openedAt)}`;
  return sentAt === null ? 'Never opened' : `Sent on ${shortDay(sentAt)}, never opened`;
}

function rowActs(visit: MemberVisit, row: OwedRow, to: string): ui.Content {
  const { id, part, sentCount } = row;
  const only = { name: 'only', value: `${id}.${sentCount}`, class: 'quiet' };
  return [
    maySend(visit, row) && ui.element('button', only, sentCount === 0 ? 'Send' : 'Send again'),
    listOwedActs(visit, id, to, part === 'waiting'),
  ];
}

/** Lists the ways to end an owed amount: a new link in place of a closed one, or a settlement. The latter leads back to `to`. */
export function listOwedActs({ member, modePath }: MemberVisit, id: string, to: string, isWaiting = false): ui.Content {
  return [
    !isWaiting && mayDo(member, 'links.create') && ui.link(modePath(`/links/new?from=${id}`), 'New link'),
    mayDo(member, 'links.cancel') && ui.link(pathWith(modePath(`/links/${id}/cancel`), { to }), 'Settled elsewhere'),
  ];
}

type OwedInput = ReturnType<typeof readFilter>['input'];

/** Reads the filter of the address: as values for addresses, and for the list. Empty means all, and so does a value that is none. */
function readFilter(view: PracticeView) {
  const { show, age, order } = typedTexts(view.query, ['show', 'age', 'order']);
  const input = {
    show: OWED_FILTERS.find((name) => name === show) ?? '',
    age: Object.keys(AGES).find((name) => name === age) ?? '',
    location: readLocation(view),
    order: OWED_ORDERS.find((name) => name === order) ?? '',
  } as const;
  const ages = findAges(view.scope.clock.now(), view.formats.timeZone);
  const query: OwedQuery = {
    filter: input.show || null,
    from: input.age === '' ? null : (ages[Number(input.age)] ?? null),
    before: input.age === '' ? null : (ages[Number(input.age) - 1] ?? null),
    ids: null,
    order: input.order || 'age',
  };
  return { input, query, viewer: viewerAt(view, input.location), ages };
}

/** Sends the owed amounts of the filter as CSV, in the order of the list. The export is in the audit log before its first byte is sent. */
export async function downloadOwed(visit: MemberVisit): Promise<Reply> {
  const view = await readPracticeView(visit);
  const { scope, mode } = view;
  const { input, viewer, query } = readFilter(view);
  // A file of all locations could be taken for that of the one.
  if (input.location !== (visit.query.get('location') ?? '')) return problem('invalid_form');
  await auditExport(visit, 'owed.exported', input, viewer);
  const filename = `owed-${mode}-${view.formats.isoDay(scope.clock.now())}.csv`;
  return csvDownload(filename, fileColumns(view), exportOwed(scope, viewer, query));
}

function fileColumns({ mode, formats, locationName }: PracticeView): CsvColumn<OwedRow>[] {
  return [
    ...timeColumns<OwedRow>('Since', formats.timeZone, ({ since }) => since),
    ['Payment link', ({ id }) => id],
    ['Mode', () => mode],
    ['Status', ({ part }) => LINK_STATUSES[part]],
    ['What happened last', (row) => describeLast(row, formats)],
    ['Amount (USD)', ({ amountCents }) => amountCents / 100],
    ['Location', ({ locationId }) => locationName(locationId)],
    ['Patient', ({ firstName, lastName }) => `${firstName} ${lastName}`],
    ['Phone', ({ phone }) => phone],
  ];
}

const SENT = 'The email is on its way.';

const ENDED = 'Not sent: nothing is owed any more.';

const OUTCOMES = { ...NOT_SENT, queued: SENT, repeated: SENT, unknown: ENDED } satisfies Record<SendOutcome, string>;

/**
 * Emails each ticked link again, in the language of its last email, and says what came of each. A tick carries the number of emails so
 * far, so that a form that is sent twice sends one.
 */
export const sendAgain = catchRefusals(
  async (visit: MemberVisit) => {
    const { scope, fields, mailsPatients } = visit;
    if (!mailsPatients) return refuse(NO_SENDER);
    const [one, number] = fields.get('only')?.split('.') ?? [];
    const ids = one === undefined ? tickedIds(fields, TICK_PREFIX) : [one];
    if (ids.length === 0) return refuse('Tick the links to send again.');
    const query = { ...ALL_OWED, ids: ids.slice(0, PAGE_SIZE) };
    const { rows } = await listOwed(scope, viewerOf(visit), query, null, PAGE_SIZE);
    const results: ui.Content[] = [];
    for (const { id, firstName, lastName, sentLanguage } of rows) {
      const sentCount = Number(number ?? fields.get(`${TICK_PREFIX}.${id}`));
      const outcome = await queuePatientMail(scope, staffOf(visit), id, readLanguage(sentLanguage), sentCount);
      results.push([ui.own(`${firstName} ${lastName}`), ` · ${OUTCOMES[outcome]}`]);
    }
    const endedIds = ids.filter((id) => !rows.some((row) => row.id === id));
    return showOwed(visit, undefined, [...results, ...endedIds.map(() => ENDED)]);
  },
  (visit, error) => showOwed(visit, error),
);
