import { listActsOn } from '../../../audit/list.ts';
import { formatPhone } from '../../../base/phone.ts';
import { formatAmount, formatDay, formatMoment } from '../../../pages/texts/formats.ts';
import { LANGUAGES } from '../../../pages/texts/language.ts';
import { type LinkHistory, timelineOf } from '../../../payment-links/billing/timeline.ts';
import { historyOf, type StaffLink } from '../../../payment-links/staff/link.ts';
import { getPractice } from '../../../practices/find.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { qrCode } from '../../render/qr-code.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { doneText } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { timelineBlock } from '../timeline.ts';
import { factsOfLink } from './fields.ts';
import { statusMark } from './list.ts';
import { situationOf } from './situation.ts';
import { pageTexts } from './visit.ts';

/** Statuses in which the patient can use the address to pay. */
const PAYABLE: readonly string[] = ['waiting', 'under_way'];

export async function showLink(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { link, location, parts, status, url } = found;
  const { links: t } = visit.t;
  const moment = (at: Date) => formatMoment(pageTexts(visit), at, location.timeZone);
  const isActive = link.status === 'active' && PAYABLE.includes(status);
  const { one } = t;
  const fact = (name: string, value: string | null) => (value === null ? null : ([name, ui.own(value)] as const));
  const state = statusMark(visit, status, parts.transaction?.status === 'refunded');
  const amount = ui.mark('strong', formatAmount(pageTexts(visit), link.amountCents), 'sum');
  const actions = actionsOf(visit, found, isActive);
  const history = await historyOf(visit.scope, found);
  const title = one.title(`${link.patientFirstName} ${link.patientLastName}`);
  // A reload after the payment must not say again that the link is ready.
  return ui.page(title, { done: link.status === 'paid' ? undefined : doneText(visit, t.done) }, [
    ui.text([state, ' ', amount], { class: 'summary' }),
    ui.lead(situationOf(visit, found, history)),
    (isActive || link.status === 'paid') && ui.part('/links/parts/address', { url, qr: isActive ? qrCode(url) : null }),
    actions.length > 0 && ui.nav(one.actions, [ui.list('ul', actions, 'actions')]),
    ui.card(null, [
      ui.facts('facts', [
        ...factsOfLink(visit, found),
        fact(t.table.location, location.name),
        fact(t.table.created, moment(link.createdAt)),
        fact(one.facts.source, one.sources[link.source]),
        fact(t.statuses.paid, link.paidAt === null ? null : moment(link.paidAt)),
        fact(one.facts.expires, isActive ? moment(link.expiresAt) : null),
      ]),
    ]),
    await timelineOfLink(visit, found, history),
    ui.text(ui.link(visit.modePath('/links'), one.back)),
  ]);
}

/** Shows a page to print for the patient. It has no name of the patient, so that a slip that lies about names nobody. */
export async function showSlip(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { link, location, status, url } = found;
  if (link.status !== 'active' || !PAYABLE.includes(status)) {
    return { kind: 'redirect', to: visit.modePath(`/links/${link.id}`) };
  }
  const language = LANGUAGES.find((name) => name === visit.query.get('patient')) ?? visit.language;
  const slip = TEXTS[language].links.slip;
  const practice = await getPractice(visit.scope, link.practiceId);
  const phone = location.phone ?? practice.phone;
  const path = visit.modePath(`/links/${link.id}`);
  const view = {
    language,
    slip,
    practice: practice.name,
    location: `${location.name}, ${location.city}`,
    amount: formatAmount(pageTexts({ language }), link.amountCents),
    description: link.description,
    url,
    qr: qrCode(url),
    qrName: TEXTS[language].links.one.code,
    until: slip.until(formatDay(pageTexts({ language }), link.expiresAt, location.timeZone)),
    questions: phone === null ? null : slip.questions(formatPhone(phone)),
    isTest: link.test,
    languages: LANGUAGES.map((code) => ({
      code,
      name: TEXTS[code].language.name,
      href: `${path}/slip?patient=${code}`,
      isCurrent: code === language,
    })),
    path,
  };
  return { kind: 'page', template: 'links/slip', title: visit.t.links.slip.title, view };
}

/** Returns the pages to which the person may go from the link, in the order of their use. */
function actionsOf(visit: MemberVisit, { link, parts }: StaffLink, isActive: boolean) {
  const { member } = visit;
  const { one, cancel, extend, send } = visit.t.links;
  const path = visit.modePath(`/links/${link.id}`);
  const mayChange = isActive && mayDo(member, 'links.change');
  const seesPayment = parts.transaction !== null && mayDo(member, 'payments.view');
  const actions: readonly (readonly [isOffered: boolean, name: string, href: string])[] = [
    [isActive, one.slip, `${path}/slip`],
    [mayChange && visit.mailsPatients, send.title, `${path}/send`],
    [mayChange, one.change, `${path}/change`],
    [mayChange, extend.title, `${path}/extend`],
    [isActive && mayDo(member, 'links.cancel'), cancel.title, `${path}/cancel`],
    [!isActive && mayDo(member, 'links.create'), one.again, visit.modePath(`/links/new?from=${link.id}`)],
    [seesPayment, one.payment, visit.modePath(`/payments/${link.id}`)],
  ];
  const button = { class: 'button quiet-button' };
  return actions.flatMap(([isOffered, name, href]) => (isOffered ? [ui.link(href, name, button)] : []));
}

/** Shows what happened to the link. Refunds and disputes are for those who see payments. */
async function timelineOfLink(
  visit: MemberVisit,
  { link, location }: StaffLink,
  history: LinkHistory,
): Promise<ui.Block> {
  const { scope, member } = visit;
  const acts = await listActsOn(scope, link.practiceId, link.id);
  const open = history.attempts.find(({ closedAt }) => closedAt === null);
  const hidden = mayDo(member, 'payments.view')
    ? []
    : ['refund_requested', 'dispute_opened', 'dispute_won', 'dispute_lost'];
  // The outcome of an attempt says that it began.
  const shown = timelineOf(history, acts).filter(
    ({ what, at }) => !hidden.includes(what) && (what !== 'attempt_started' || at === open?.createdAt),
  );
  return timelineBlock(visit, shown, location.timeZone, { isProof: false });
}
