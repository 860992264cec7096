import { listPayments } from '../../payment-links/billing/list-payments.ts';
import { ALL_LINKS, listStaffLinks } from '../../payment-links/office/list.ts';
import { classifySearch, findByText, namesOneRecord } from '../../payment-links/office/search.ts';
import { mayDo } from '../model/roles.ts';
import * as ui from '../render/blocks.ts';
import { auditListView } from '../routing/patient-views.ts';
import { type MemberVisit, type Reply, viewerOf } from '../routing/visit.ts';
import { pathWith, typedTexts } from './filters.ts';
import { linkColumns } from './links/list.ts';
import { paymentColumns } from './payments/list.ts';
import { readPlaces } from './places.ts';

/** Rows of each kind. A link leads to the list of all. */
const SHOWN = 8;

/**
 * Shows the links and payments that the text of the header finds. The id of a link, and the number of a receipt, lead straight to the
 * only record. Other texts do not: another patient may have the same name or amount, and each opened record is logged.
 */
export async function showSearch(visit: MemberVisit): Promise<Reply> {
  const { scope, member } = visit;
  const { q } = typedTexts(visit.query, ['q']);
  const seesPayments = mayDo(member, 'payments.view');
  const help = [
    ui.text(
      'Type the beginning of a last name, or first and last name. Or type a whole phone number, email address, chart number, reference or receipt number. Write an amount as $125 or 125.00.',
    ),
    seesPayments && ui.text('The last four digits of a card or account find its payments.'),
  ];
  const found = await findByText(scope, viewerOf(visit), q);
  if (found === null) return ui.page('Search', {}, help);
  const places = await readPlaces(visit);
  const { formats } = places;
  const { links } = await listStaffLinks(scope, viewerOf(visit), { ...ALL_LINKS, found: found.links });
  const filter = { found: found.payments, state: null, method: null, from: null, before: null };
  const payments = seesPayments ? (await listPayments(scope, viewerOf(visit), filter, null, SHOWN + 1)).payments : [];
  const [link, another] = links;
  if (namesOneRecord(q) && link !== undefined && another === undefined) {
    const kind = classifySearch(q) === 'payment_number' && payments.length === 1 ? 'payments' : 'links';
    return { kind: 'redirect', to: visit.modePath(`/${kind}/${link.id}`) };
  }
  const shown = { links: links.slice(0, SHOWN), payments: payments.slice(0, SHOWN) };
  const rows = shown.links.length + shown.payments.length;
  await auditListView(visit, 'search', { input: { q }, term: classifySearch(q), locationId: null, rows });
  const section = (
    kind: 'links' | 'payments',
    count: number,
    words: Record<'title' | 'none' | 'all', string>,
    table: ui.Block,
  ) =>
    ui.section(words.title, [
      count === 0 ? ui.text(words.none) : table,
      count > SHOWN && ui.text(ui.link(pathWith(visit.modePath(`/${kind}`), { q }), words.all)),
    ]);
  const linkTable = ui.table('Payment links', shown.links, linkColumns(visit, places), formats);
  const look = { ...formats, className: 'payments' };
  const paymentTable = ui.table('Payments', shown.payments, paymentColumns(visit, formats), look);
  const linkWords = { title: 'Payment links', none: 'No link matches', all: 'Show all these links' };
  const paymentWords = { title: 'Payments', none: 'No payment matches.', all: 'Show all these payments' };
  const kinds = [
    section('links', links.length, linkWords, linkTable),
    seesPayments && section('payments', payments.length, paymentWords, paymentTable),
  ];
  return ui.page('Search', {}, [
    ui.lead(ui.own(`Matches for “${q}”.`)),
    rows === 0 ? ui.card('Nothing matches', help) : kinds,
  ]);
}
