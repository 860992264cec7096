import type { OwedOrder, OwedQuery, OwedRow, OwedSum } from '../../payment-links/billing/list-owed.ts';
import { listOwed, OWED_FILTERS, OWED_ORDERS, readOwedSums } from '../../payment-links/billing/list-owed.ts';
import { OWED_PARTS } from '../../payment-links/model/owed.ts';
import { atLocation } from '../../payment-links/model/staff-status.ts';
import { formatPhone } from '../../platform/base/phone.ts';
import { addDays, startOfDay } from '../../platform/base/time/zoned-time.ts';
import { mayDo } from '../model/roles.ts';
import * as ui from '../render/blocks.ts';
import { LINK_STATUSES } from '../render/labels.ts';
import { auditListView } from '../routing/patient-views.ts';
import { type MemberVisit, type Reply, viewerOf } from '../routing/visit.ts';
import { isFiltered, pathWith, typedTexts } from './filters.ts';
import type { Formats } from './formats.ts';
import { type Places, readPlaces } from './places.ts';

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

/** Days after which the second age begins, and the third. */
const AGE_DAYS = [7, 30];

const PAGE_SIZE = 50;

/** The filter, as the person typed it. Empty means all. */
type Input = Record<'show' | 'age' | 'location' | 'order', string>;

/** Shows what patients owe: the sums, and the links to act on. */
export async function showOwed(visit: MemberVisit): Promise<Reply> {
  const { scope, query } = visit;
  const places = await readPlaces(visit);
  const { formats, seen, filterOptions } = places;
  const input = typedTexts(query, ['show', 'age', 'location', 'order']);
  const [, key, id = ''] = /^(-?\d{1,14})_(.+)$/.exec(query.get('after') ?? '') ?? [];
  const cursor = key === undefined ? null : { key: Number(key), id };
  const locationId = seen.find(({ id }) => id === input.location)?.id ?? null;
  const viewer = locationId === null ? viewerOf(visit) : atLocation(viewerOf(visit), locationId);
  const show = OWED_FILTERS.find((name) => name === input.show) ?? '';
  const order = OWED_ORDERS.find((name) => name === input.order) ?? 'age';
  const owed = owedQuery(visit, formats, input);
  const { rows, next } = await listOwed(scope, viewer, owed, { order, cursor, size: PAGE_SIZE });
  const sums = await readOwedSums(scope, viewer, owed, agesOf(visit, formats));
  await auditListView(visit, 'links', { input, term: null, locationId, rows: rows.length });
  const path = visit.modePath('/owed');
  const hrefs = (['', ...OWED_FILTERS] as const).map((show) => [show, pathWith(path, { ...input, show })] as const);
  return ui.page('Owed', {}, [
    ui.lead('Links that wait, debits that banks returned, and links that expired unpaid.'),
    ui.tabs({ title: 'Owed', tabs: FILTERS }, Object.fromEntries(hrefs), show),
    owedFigures(visit, places, sums, input),
    ui.filterForm(path, isFiltered({ age: input.age, location: input.location }), [
      show !== '' && ui.hiddenField('show', show),
      ui.field('age', 'Owed for', input.age, { options: AGES.map((name, age) => [`${age}`, name]), all: 'Any time' }),
      seen.length > 1 && ui.field('location', 'Location', input.location, { options: filterOptions, all: 'All' }),
      ui.field('order', 'Order', order, { options: Object.entries(ORDERS) }),
    ]),
    rows.length === 0
      ? ui.text('Nothing is owed here.', { class: 'card' })
      : ui.table('Owed', rows, columnsOf(visit, places), formats),
    ui.paging(
      [cursor === null ? null : pathWith(path, input), 'First page'],
      [next === null ? null : pathWith(path, { ...input, after: `${next.key}_${next.id}` }), 'More', 'next'],
    ),
  ]);
}

/** Returns the moments that separate the ages, the latest first. */
export function agesOf({ scope }: MemberVisit, { isoDay, timeZone }: Formats): Date[] {
  const today = isoDay(scope.clock.now());
  return AGE_DAYS.map((days) => startOfDay(addDays(today, -days), timeZone));
}

function owedQuery(visit: MemberVisit, formats: Formats, { show, age }: Input): OwedQuery {
  const ages = agesOf(visit, formats);
  const chosen = AGES.findIndex((_, index) => `${index}` === age);
  return {
    filter: OWED_FILTERS.find((name) => name === show) ?? null,
    from: ages[chosen] ?? null,
    before: ages[chosen - 1] ?? null,
  };
}

/** Shows the sum of what is owed, and its parts, ages and locations. Each leads to its list. */
export function owedFigures(
  visit: MemberVisit,
  { formats: { money, count }, seen }: Pick<Places, 'formats' | 'seen'>,
  sums: readonly OwedSum[],
  input: Partial<Input> = {},
): ui.Block {
  const figure = (name: string, belongs: (sum: OwedSum) => boolean, filter: Partial<Input>) => {
    const found = sums.filter(belongs);
    const cents = found.reduce((all, sum) => all + sum.cents, 0);
    const links = found.reduce((all, sum) => all + sum.count, 0);
    return ui.figure(
      name,
      money(cents),
      pathWith(visit.modePath('/owed'), { ...input, ...filter }),
      `Links: ${count(links)}`,
    );
  };
  const parts = OWED_PARTS.map((part) => figure(FILTERS[part], (sum) => sum.part === part, { show: part }));
  const ages = AGES.map((name, age) => figure(name, (sum) => sum.age === age, { age: `${age}` }));
  const locations = seen.map(({ id, name }) => figure(name, (sum) => sum.locationId === id, { location: id }));
  return ui.list(
    'ul',
    [
      figure('Owed in all', () => true, {}),
      ...(input.show ? [] : parts),
      ...(input.age ? [] : ages),
      ...(input.location || seen.length < 2 ? [] : locations),
    ],
    'figures',
  );
}

function columnsOf(visit: MemberVisit, { formats, seen, nameOf }: Places): (ui.Column<OwedRow> | null)[] {
  const { money, day } = formats;
  const phone = ({ phone: number }: OwedRow) =>
    number !== null && ui.link(`tel:${number}`, formatPhone(number), { class: 'touch whole' });
  const happened = (row: OwedRow) => [
    ui.badge(LINK_STATUSES[row.part], row.part),
    ui.mark('div', happenedLast(row, formats), 'hint'),
  ];
  return [
    ['Patient', (row) => ui.link(visit.modePath(`/links/${row.id}`), ui.own(`${row.firstName} ${row.lastName}`))],
    ['Phone', phone],
    ['Amount', ({ amountCents }) => money(amountCents), 'amount'],
    ['Since', ({ since }) => ui.moment(since, day(since)), 'moment'],
    ['What happened last', happened],
    seen.length > 1 ? ['Location', ({ locationId }) => ui.own(nameOf(locationId))] : null,
    ['What you can do', (row) => actsOn(visit, row)],
  ];
}

/** Returns in words what the patient or the bank did last. */
function happenedLast({ part, failureReason, openedAt, sentAt }: OwedRow, { shortDay, decline }: Formats): string {
  if (part === 'returned')
    return failureReason === null ? 'Taken back by the bank' : `Returned: ${decline(failureReason)}`;
  if (failureReason !== null) return `Declined: ${decline(failureReason)}`;
  if (openedAt !== null) return `Opened on ${shortDay(openedAt)}`;
  return sentAt === null ? 'Never opened' : `Sent on ${shortDay(sentAt)}, never opened`;
}

function actsOn(visit: MemberVisit, { id, part, hasEmail }: OwedRow): ui.Content {
  const { member, mailsPatients } = visit;
  const path = visit.modePath(`/links/${id}`);
  const isWaiting = part === 'waiting';
  return [
    isWaiting && hasEmail && mailsPatients && mayDo(member, 'links.change') && ui.link(`${path}/send`, 'Send again'),
    !isWaiting && mayDo(member, 'links.create') && ui.link(visit.modePath(`/links/new?from=${id}`), 'New link'),
    mayDo(member, 'links.cancel') && ui.link(`${path}/cancel`, isWaiting ? 'Cancel' : 'Settled elsewhere'),
  ];
}
