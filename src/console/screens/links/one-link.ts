import { documentParts } from '../../../patient-pages/render/link.ts';
import { formatAmount, formatDay } from '../../../patient-pages/texts/formats.ts';
import { TEXTS, type Texts } from '../../../patient-pages/texts/texts.ts';
import { makeDocument } from '../../../patient-pages/view/document.ts';
import { listShortHistory } from '../../../payment-links/billing/timeline.ts';
import { makePage, readPage } from '../../../payment-links/checkout/page.ts';
import { findStaffLink, isPayable, readRecords, type StaffLink } from '../../../payment-links/office/link.ts';
import { formatPhone } from '../../../platform/base/phone.ts';
import { getPractice } from '../../../practices/find.ts';
import * as ui from '../../../web/blocks.ts';
import { LANGUAGES } from '../../../web/language.ts';
import { qrPicture } from '../../../web/qr-code.ts';
import { mayDo } from '../../model/roles.ts';
import { withRecord } from '../../routing/handlers.ts';
import { doneText, type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import { createFormats } from '../formats.ts';
import { listLinkFacts, readLanguage } from './fields.ts';
import { statusMark } from './list.ts';
import { situationBlocks, timelineBlock } from './situation.ts';

const DONE = {
  created: 'The link is ready for the patient.',
  created_sent: 'The link is ready, and the email is on its way.',
  created_unsent:
    'The link is ready. It was not emailed: your practice has sent all emails that it may send in 24 hours.',
  created_unaddressed:
    'The link is ready. It was not emailed: it has no email address. Add one with “Change”, or give the patient the address below.',
  cancelled: 'The link is canceled.',
  sent: 'The email is on its way.',
};

const SOURCES = { api: 'Software of the practice', staff: 'Staff', website: 'Website' };

const withLink = withRecord(findLinkOfPath, linkPage);

export const showLink = withLink();

export const showSlip = withLink(slipPage);

/** Returns the link of the path. A link that the person does not see is unknown. */
export function findLinkOfPath(visit: MemberVisit): Promise<StaffLink | null> {
  return findStaffLink(visit.scope, viewerOf(visit), visit.params.linkId ?? '');
}

async function linkPage(visit: MemberVisit, staffLink: StaffLink): Promise<Reply> {
  const { link, location, transaction, url } = staffLink;
  const formats = createFormats(location.timeZone);
  const { moment, money } = formats;
  const isActive = isPayable(staffLink);
  const amount = ui.mark('strong', money(link.amountCents), 'sum');
  const history = { link, transaction, ...(await readRecords(visit.scope, link)) };
  const title = `Link for ${link.patientFirstName} ${link.patientLastName}`;
  // A reload after the payment must not say again that the link is ready.
  return ui.page(title, { done: link.status === 'paid' ? undefined : doneText(visit, DONE) }, [
    ui.text([statusMark(staffLink), ' ', amount], { class: 'summary' }),
    await situationBlocks(visit, staffLink, history),
    (isActive || link.status === 'paid') && addressCard(url, isActive),
    ui.facts('card facts', [
      ...listLinkFacts(staffLink),
      ['Location', ui.own(location.name)],
      ['Created', moment(link.createdAt)],
      ['Created by', SOURCES[link.source]],
      ['Paid', link.paidAt && moment(link.paidAt)],
      ['Works until', isActive && moment(link.expiresAt)],
    ]),
    await timelineBlock(visit, listShortHistory(history, mayDo(visit.member, 'payments.view')), formats, false),
    ui.text(ui.link(visit.modePath('/links'), 'Back')),
  ]);
}

function addressCard(url: string, hasCode: boolean): ui.Block {
  return ui.card(null, [
    ui.field('address', 'Address for the patient', url, { class: 'address', readonly: true }),
    ui.copyButton('address', 'Copy the address'),
    hasCode && [
      qrPicture(url, 'QR code with the address of the payment page'),
      ui.text('The patient can scan it with a phone.', { class: 'hint' }),
    ],
  ]);
}

/** Shows a page to print for the patient: a slip with the address, and the receipt once the link is paid. */
export async function slipPage(visit: MemberVisit, staffLink: StaffLink): Promise<Reply> {
  const path = visit.modePath(`/links/${staffLink.link.id}`);
  const language = readLanguage(visit.query.get('patient'));
  const isSlip = isPayable(staffLink);
  const sheet = await (isSlip ? slipBlocks : receiptBlocks)(visit, staffLink, TEXTS[language]);
  if (sheet === null) return { kind: 'redirect', to: path };
  const languages = LANGUAGES.map((code) =>
    ui.link(`${path}/slip?patient=${code}`, TEXTS[code].language.name, {
      lang: code,
      'aria-current': code === language && 'true',
    }),
  );
  const hint = ui.element('span', { class: 'hint', 'data-print-hint': true }, 'Print this page with your browser.');
  return ui.page(isSlip ? 'Slip for the patient' : 'Receipt for the patient', {}, [
    ui.group(
      'screen-only',
      ui.text([ui.printButton('Print'), ' ', hint], { class: 'buttons' }),
      ui.nav('Language of the page to print', languages),
      ui.text(ui.link(path, 'Back')),
    ),
    ui.section(null, sheet, { class: 'slip', lang: language }),
  ]);
}

/** Returns the slip. It has no name of the patient, so that a slip that lies about names nobody. */
async function slipBlocks(visit: MemberVisit, { link, location, url }: StaffLink, t: Texts) {
  const practice = await getPractice(visit.scope, link.practiceId);
  const phone = location.phone ?? practice.phone;
  return [
    ui.text(ui.own(practice.name), { class: 'slip-practice' }),
    ui.text(ui.own(`${location.name}, ${location.city}`)),
    ui.heading(t.slip.heading),
    link.test && ui.text(ui.mark('strong', t.linkMail.test), { class: 'alert' }),
    ui.facts('facts', [
      [t.summary.amount, formatAmount(t, link.amountCents), 'sum'],
      [t.fields.description, ui.own(link.description), 'lines'],
    ]),
    ui.text(t.slip.how),
    qrPicture(url, t.slip.code),
    ui.text(url, { class: 'slip-address' }),
    ui.text([
      t.slip.until(formatDay(t, link.expiresAt, location.timeZone)),
      phone !== null && ` ${t.slip.questions(formatPhone(phone))}`,
    ]),
  ];
}

/** Returns the document of the patient's page, with the name of the patient; null for a link that is not paid. */
async function receiptBlocks({ scope, processor }: MemberVisit, { link }: StaffLink, t: Texts) {
  const data = await readPage(scope, link.token);
  const page = data && (await makePage(scope, processor, data));
  const document = page && makeDocument(page, t, `${link.patientFirstName} ${link.patientLastName}`);
  return (
    document && [
      ui.text(ui.own(page.practice.name), { class: 'slip-practice' }),
      ui.heading(document.heading),
      documentParts(t, page, document),
      ui.text(t.help.reference(page.linkId), { class: 'hint' }),
    ]
  );
}
