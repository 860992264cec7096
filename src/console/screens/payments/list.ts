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
import { recordListView } from '../../routing/patient-views.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { readerOf, visibleLocations } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { type FilterInput, filteredReader, filterOf, inputOf } from './input.ts';
import { type Formats, formatsOf, paymentsPath } from './visit.ts';

/** Payments of one page. */
const PAGE_SIZE = 50;

/** Shows the payments, and those on which the practice has to act. */
export async function showPayments(visit: MemberVisit): Promise<Reply> {
  return paymentsPage(visit);
}

/** Returns the page of the list, with an error if an export was refused. */
export async function paymentsPage(visit: MemberVisit, error?: string): Promise<Extract<Reply, { kind: 'page' }>> {
  const { scope, member, language, query, fields } = visit;
  const { payments: t } = TEXTS[language];
  const formats = formatsOf(visit, await practiceTimeZone(scope, member.practiceId));
  const locations = await visibleLocations(visit);
  const input = inputOf(error === undefined ? query : fields);
  const cursor = cursorNamed(query.get('before') ?? '');
  const filter = filterOf(input, formats.timeZone);
  const page = await listPayments(scope, filteredReader(visit, input), filter, cursor, PAGE_SIZE);
  const isFiltered = Object.values(input).some((text) => text !== '');
  // The same on every page of the list, so only the first one has it.
  const isFirst = cursor === null && !isFiltered;
  const toActOn = isFirst ? await listToActOn(scope, readerOf(visit)) : [];
  const rows = page.payments.length + toActOn.length;
  const locationId = locations.find(({ id }) => id === input.location)?.id ?? null;
  await recordListView(visit, 'payments', { input, locationId, rows });
  const path = paymentsPath(visit);
  const view = {
    lead: t.lead(formats.timeZone),
    input,
    isFiltered,
    isFirst,
    hasNewer: cursor !== null,
    locations: locations.map(({ id, name }) => ({ id, name })),
    payments: page.payments.map((payment) => rowOf(visit, formats, payment)),
    toActOn: toActOn.map((one) => toActOnView(visit, formats, one)),
    path,
    // A page with few payments says how far it has searched.
    examined: page.next !== null && page.payments.length < PAGE_SIZE ? t.examined(formats.day(page.next.paidAt)) : null,
    older: page.next === null ? null : `${path}?${parameters(input, { before: cursorText(page.next) })}`,
    exported: mayDo(member, 'payments.export') ? { path: `${path}/export`, input, text: t.exported } : null,
    reconciliation: modePath(member, modeOf(visit), '/reconciliation'),
    error,
  };
  return { kind: 'page', status: error === undefined ? 200 : 422, template: 'payments/list', title: t.title, view };
}

function parameters(input: FilterInput, more: Record<string, string> = {}): URLSearchParams {
  return new URLSearchParams(Object.entries({ ...input, ...more }).filter(([, value]) => value !== ''));
}

function rowOf(visit: MemberVisit, formats: Formats, payment: ListedPayment) {
  const t = TEXTS[visit.language].payments;
  const { paymentMethodType, paymentMethodBrand: brand, paymentMethodLast4: last4 } = payment;
  const patient = `${payment.patientFirstName} ${payment.patientLastName}`;
  const amount = formats.money(payment.amountCents);
  return {
    href: paymentsPath(visit, `/${payment.id}`),
    label: t.open(patient, amount),
    paid: formats.moment(payment.paidAt),
    isoPaid: payment.paidAt.toISOString(),
    patient,
    amount,
    refunded: payment.refundedCents === 0 ? null : `−${formats.money(payment.refundedCents)}`,
    state: payment.state,
    stateName: t.states[payment.state],
    method: formatMethod(PAGE_TEXTS[visit.language], { methodType: paymentMethodType, brand, last4 }),
    location: payment.locationName,
    description: payment.description,
  };
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
