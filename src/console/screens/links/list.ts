import { formatAmount, formatDay } from '../../../pages/texts/formats.ts';
import { dollarsOf } from '../../../payment-links/create/staff-input.ts';
import { atLocation, STAFF_STATUSES, type StaffStatus } from '../../../payment-links/model/staff-status.ts';
import { countStaffLinks, type StaffCounts } from '../../../payment-links/read/staff-counts.ts';
import { listStaffLinks, type StaffLinkRow } from '../../../payment-links/read/staff-list.ts';
import { kindOfSearch } from '../../../payment-links/read/staff-search.ts';
import { mayDo } from '../../model/roles.ts';
import { recordListView } from '../../routing/patient-views.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { doneText, readerOf } from '../../routing/visit.ts';
import { linksPath, pageTexts, seenPlaces, textsOf } from './visit.ts';

/** The filter, as the person typed it. */
interface FilterInput {
  q: string;
  status: string;
  amount: string;
  location: string;
  from: string;
  until: string;
}

/** Shows the links that the person sees, with the numbers by status. */
export async function showList(visit: MemberVisit): Promise<Reply> {
  const { scope, query, member } = visit;
  const t = textsOf(visit);
  const input = inputOf(query);
  const { locations, timeZone } = await seenPlaces(visit);
  const locationId = locations.find(({ id }) => id === input.location)?.id ?? null;
  const cents = Math.round(dollarsOf(input.amount) * 100);
  const isInvalid = input.amount !== '' && !(cents > 0);
  const page = await listStaffLinks(scope, readerOf(visit), {
    status: STAFF_STATUSES.find((status) => status === input.status) ?? null,
    search: input.q,
    amountCents: input.amount === '' || isInvalid ? null : cents,
    locationId,
    from: dayOf(input.from),
    until: dayOf(input.until),
    timeZone,
    before: query.get('before') ?? null,
  });
  await recordListView(visit, 'links', { input, term: kindOfSearch(input.q), locationId, rows: page.links.length });
  const reader = readerOf(visit);
  const counts = await countStaffLinks(scope, locationId === null ? reader : atLocation(reader, locationId));
  const path = linksPath(visit);
  const view = {
    links: page.links.map((link) => rowView(visit, link, { locations, timeZone })),
    counts: countsView(visit, counts, input),
    input,
    locations,
    isEmpty: page.links.length === 0,
    isFiltered: Object.values(input).some((text) => text !== ''),
    isDetailed: [input.status, input.amount, input.location, input.from, input.until].some((text) => text !== ''),
    isCut: page.isCut,
    isFirst: query.get('before') === undefined,
    older: page.older === null ? null : pathWith(path, { ...input, before: page.older }),
    path,
    newest: pathWith(path, { ...input }),
    create: mayDo(member, 'links.create') ? `${path}/new` : null,
    done: doneText(visit, t.done),
    error: isInvalid ? t.invalidAmount : undefined,
  };
  return { kind: 'page', template: 'links/list', title: t.title, view };
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

/** Returns the class of a status and its name; a refunded link is a paid one with another name. */
export function statusView(visit: MemberVisit, status: StaffStatus, isRefunded: boolean) {
  return { status, statusName: textsOf(visit).statuses[isRefunded && status === 'paid' ? 'refunded' : status] };
}

function rowView(
  visit: MemberVisit,
  link: StaffLinkRow,
  { locations, timeZone }: { locations: readonly { id: string; name: string }[]; timeZone: string },
) {
  const location = locations.find(({ id }) => id === link.locationId);
  return {
    href: linksPath(visit, link.id),
    patient: `${link.firstName} ${link.lastName}`,
    amount: formatAmount(pageTexts(visit), link.amountCents),
    ...statusView(visit, link.status, link.isRefunded),
    reference: link.externalReference ?? '',
    location: location?.name ?? '',
    created: formatDay(pageTexts(visit), link.createdAt, timeZone),
    isoCreated: link.createdAt.toISOString(),
  };
}

function inputOf(query: ReadonlyMap<string, string>): FilterInput {
  const text = (name: string) => (query.get(name) ?? '').trim();
  return {
    q: text('q'),
    status: text('status'),
    amount: text('amount'),
    location: text('location'),
    from: text('from'),
    until: text('until'),
  };
}

/** Returns a day such as `2030-06-15`; null for any other text. */
function dayOf(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970' || Number.isNaN(Date.parse(text))) return null;
  return new Date(text).toISOString().startsWith(text) ? text : null;
}

function pathWith(path: string, parameters: Readonly<Record<string, string>>): string {
  const set = Object.entries(parameters).filter(([, text]) => text !== '');
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}
