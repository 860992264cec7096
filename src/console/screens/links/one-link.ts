import { formatPhone } from '../../../base/phone.ts';
import { formatAmount, formatDay, formatMoment } from '../../../pages/texts/formats.ts';
import { LANGUAGES } from '../../../pages/texts/language.ts';
import { listLinkActs, type StaffLink } from '../../../payment-links/staff/link.ts';
import { getPractice } from '../../../practices/find.ts';
import { mayDo } from '../../model/roles.ts';
import { emailsOf } from '../../people/users.ts';
import * as ui from '../../render/blocks.ts';
import { qrCode } from '../../render/qr-code.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { doneText } from '../../routing/visit.ts';
import { TEXTS, wordOf } from '../../texts/texts.ts';
import { statusMark } from './list.ts';
import { linksPath, pageTexts, textsOf } from './visit.ts';

/** Statuses in which the patient can use the address to pay. */
const PAYABLE: readonly string[] = ['waiting', 'under_way'];

export async function showLink(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { link, location, parts, status, url } = found;
  const t = textsOf(visit);
  const { timeZone } = location;
  const moment = (at: Date) => formatMoment(pageTexts(visit), at, timeZone);
  const isActive = link.status === 'active' && PAYABLE.includes(status);
  const { one } = t;
  const facts: readonly (readonly [string, string | null])[] = [
    [t.table.reference, link.externalReference],
    [t.fields.externalId, link.patientExternalId],
    [t.fields.email, link.patientEmail],
    [t.fields.phone, link.patientPhone === null ? null : formatPhone(link.patientPhone)],
    [t.table.location, location.name],
    [one.facts.created, moment(link.createdAt)],
    [one.facts.source, one.sources[link.source]],
    [one.facts.paid, link.paidAt === null ? null : moment(link.paidAt)],
    [one.facts.expires, isActive ? moment(link.expiresAt) : null],
  ];
  const state = statusMark(visit, status, parts.transaction?.status === 'refunded');
  const amount = ui.mark('strong', formatAmount(pageTexts(visit), link.amountCents), 'sum');
  const actions = actionsOf(visit, found, isActive);
  const acts = await actsView(visit, found);
  const blocks = [
    ui.text([state, ' ', amount], { class: 'summary' }),
    ui.lead(one.next[status]),
    isActive || link.status === 'paid'
      ? ui.part('/links/parts/address', { url, qr: isActive ? qrCode(url) : null })
      : null,
    actions.length > 0 ? ui.part('/links/parts/actions', { actions }) : null,
    ui.card(
      ui.facts([
        [t.fields.description, ui.own(link.description), 'lines'],
        ...facts.map(([name, value]) => (value === null ? null : ([name, ui.own(value)] as const))),
      ]),
    ),
    ui.section(one.history, [acts.length === 0 ? ui.text(one.noHistory) : ui.part('/links/parts/acts', { acts })], {
      class: 'card',
    }),
    ui.text(ui.link(linksPath(visit), one.back)),
  ];
  const title = one.title(`${link.patientFirstName} ${link.patientLastName}`);
  return ui.page(title, blocks, { done: doneText(visit, t.done) });
}

/** Shows a page to print for the patient. It has no name of the patient, so that a slip that lies about names nobody. */
export async function showSlip(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { link, location, status, url } = found;
  if (link.status !== 'active' || !PAYABLE.includes(status)) {
    return { kind: 'redirect', to: linksPath(visit, link.id) };
  }
  const language = LANGUAGES.find((name) => name === visit.query.get('patient')) ?? visit.language;
  const slip = TEXTS[language].links.slip;
  const practice = await getPractice(visit.scope, link.practiceId);
  const phone = location.phone ?? practice.phone;
  const path = linksPath(visit, link.id);
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
  return { kind: 'page', template: 'links/slip', title: textsOf(visit).slip.title, view };
}

/** Returns the pages to which the person may go from the link, in the order of their use. */
function actionsOf(visit: MemberVisit, { link, parts }: StaffLink, isActive: boolean) {
  const { member } = visit;
  const { one } = textsOf(visit);
  const path = linksPath(visit, link.id);
  const action = (isOffered: boolean, name: string, href: string) => (isOffered ? [{ name, href }] : []);
  const mayChange = mayDo(member, 'links.change');
  return [
    ...action(isActive, one.slip, `${path}/slip`),
    ...action(isActive && mayChange && visit.mailsPatients, one.send, `${path}/send`),
    ...action(isActive && mayChange, one.change, `${path}/change`),
    ...action(isActive && mayChange, one.extend, `${path}/extend`),
    ...action(isActive && mayDo(member, 'links.cancel'), one.cancel, `${path}/cancel`),
    ...action(!isActive && mayDo(member, 'links.create'), one.again, `${linksPath(visit, 'new')}?from=${link.id}`),
    ...action(
      parts.transaction !== null && mayDo(member, 'payments.view'),
      one.payment,
      modePath(member, modeOf(visit), `/payments/${link.id}`),
    ),
  ];
}

/** Returns what people did with the link. The reasons of cancellations are shown in words. */
async function actsView(visit: MemberVisit, { link, location }: StaffLink) {
  const { scope, language } = visit;
  const entries = await listLinkActs(scope, link);
  const emails = await emailsOf(
    scope,
    entries.map(({ actorId }) => actorId),
  );
  const { reasons } = textsOf(visit).cancel;
  return entries.map(({ actorId, action, after, createdAt }) => {
    const reason = after !== null && 'reason' in after ? after.reason : undefined;
    return {
      time: formatMoment(pageTexts(visit), createdAt, location.timeZone),
      isoTime: createdAt.toISOString(),
      actor: emails.get(actorId ?? '') ?? '–',
      action: wordOf(TEXTS[language].auditLog.actions, action),
      reason: Object.entries(reasons).find(([name]) => name === reason)?.[1] ?? '',
    };
  });
}
