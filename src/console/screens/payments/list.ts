import { formatMethod } from '../../../pages/texts/formats.ts';
import { TEXTS as PAGE_TEXTS } from '../../../pages/texts/texts.ts';
import {
  cursorNamed,
  cursorText,
  type ListedPayment,
  listPayments,
} from '../../../payment-links/billing/list-payments.ts';
import { listToActOn, type PaymentToActOn } from '../../../payment-links/billing/list-to-act-on.ts';
import { practiceTimeZone } from '../../../practices/time-zone.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { auditListView } from '../../routing/patient-views.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { viewerOf, visibleLocations } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { isFiltered, pathWith } from '../filters.ts';
import { filteredViewer, filterOf, inputOf } from './input.ts';
import { type Formats, formatsOf, paymentsPath } from './visit.ts';

const PAGE_SIZE = 50;

/** Shows the payments, and those on which the practice has to act; with an error, if an export was refused. */
export async function showPayments(visit: MemberVisit, error?: string): Promise<Reply> {
  const { scope, member, language, query, fields } = visit;
  const { payments: t, filter: words } = TEXTS[language];
  const formats = formatsOf(visit, await practiceTimeZone(scope, member.practiceId));
  const locations = await visibleLocations(visit);
  const input = inputOf(error === undefined ? query : fields);
  const cursor = cursorNamed(query.get('before') ?? '');
  const filter = filterOf(input, formats.timeZone);
  const page = await listPayments(scope, filteredViewer(visit, input), filter, cursor, PAGE_SIZE);
  // The same on every page of the list, so only the first one has it.
  const isFirst = cursor === null && !isFiltered(input);
  const toActOn = isFirst ? await listToActOn(scope, viewerOf(visit)) : [];
  const rows = page.payments.length + toActOn.length;
  const locationId = locations.find(({ id }) => id === input.location)?.id ?? null;
  await auditListView(visit, 'payments', { input, locationId, rows });
  const path = paymentsPath(visit);
  const older = page.next === null ? null : pathWith(path, { ...input, before: cursorText(page.next) });
  // A page with few payments says how far it has searched.
  const examined =
    page.next !== null && page.payments.length < PAGE_SIZE ? t.examined(formats.day(page.next.paidAt)) : null;
  const exported = mayDo(member, 'payments.export')
    ? [ui.download(`${path}/export`, { ...input }, t.exported), ui.text(t.exportHelp, { class: 'hint' })]
    : [];
  const toActOnViews = toActOn.map((one) => toActOnView(visit, formats, one));
  const places = locations.map(({ id, name }) => [id, name] as const);
  const day = { attributes: { type: 'date' } };
  const blocks = [
    ui.lead(t.lead(formats.timeZone)),
    ui.text(ui.link(modePath(member, modeOf(visit), '/reconciliation'), t.dailyTotalsLink)),
    isFirst ? ui.part('/payments/to-act-on', { toActOn: toActOnViews }) : null,
    ui.filterForm(words, path, isFiltered(input), [
      ui.select('state', t.filter.state, input.state, Object.entries(t.filter.states), words),
      ui.field('from', t.filter.from, input.from, day),
      ui.field('to', t.filter.to, input.to, day),
      ui.select('location', t.filter.location, input.location, places, words),
      ui.select('method', t.filter.method, input.method, Object.entries(t.methods), words),
    ]),
    ...(page.payments.length > 0
      ? [...exported, ui.table(t.title, page.payments, columnsOf(visit, formats), 'payments')]
      : [isFirst ? ui.section(t.empty.title, [ui.text(t.empty.text)], { class: 'card' }) : ui.text(t.noMatch)]),
    examined === null ? null : ui.text(examined, { class: 'hint' }),
    ui.paging([cursor === null ? null : path, t.newest], [older, t.older, 'next']),
  ];
  return ui.page(t.title, blocks, { error });
}

function columnsOf(visit: MemberVisit, { money, moment }: Formats): ui.Column<ListedPayment>[] {
  const t = TEXTS[visit.language].payments;
  const opener = ({ id, patientFirstName, patientLastName, amountCents }: ListedPayment) => {
    const patient = `${patientFirstName} ${patientLastName}`;
    const label = t.open(patient, money(amountCents));
    return ui.link(paymentsPath(visit, `/${id}`), ui.own(patient), { 'aria-label': label });
  };
  const amount = ({ amountCents, refundedCents }: ListedPayment) => [
    money(amountCents),
    refundedCents === 0 ? '' : [ui.BREAK, ui.mark('span', `−${money(refundedCents)}`, 'quiet-text')],
  ];
  const method = ({
    paymentMethodType: methodType,
    paymentMethodBrand: brand,
    paymentMethodLast4: last4,
  }: ListedPayment) => formatMethod(PAGE_TEXTS[visit.language], { methodType, brand, last4 });
  return [
    [t.table.patient, opener],
    [t.table.amount, amount, 'amount'],
    [t.table.state, ({ state }) => ui.mark('span', t.states[state], `state state-${state}`)],
    [t.table.paid, ({ paidAt }) => ui.moment(paidAt, moment(paidAt))],
    [t.table.method, method],
    [t.table.location, ({ locationName }) => ui.own(locationName)],
    [t.table.description, ({ description }) => ui.own(description)],
  ];
}

function toActOnView(visit: MemberVisit, formats: Formats, one: PaymentToActOn) {
  const { toActOn: t } = TEXTS[visit.language].payments;
  const { reason, id, dueBy } = one;
  const deadline = dueBy === null ? t.noDeadline : t.dueBy(formats.moment(dueBy));
  return {
    ...t.reasons[reason],
    href: paymentsPath(visit, `/${id}`),
    patient: `${one.patientFirstName} ${one.patientLastName}`,
    amount: formats.money(one.amountCents),
    location: one.locationName,
    day: formats.day(one.at),
    deadline: reason === 'open_dispute' ? deadline : null,
    isOverdue: dueBy !== null && dueBy < visit.scope.clock.now(),
  };
}
