import { documentParts } from '../../../patient-pages/render/link.ts';
import { formatAmount, formatDay } from '../../../patient-pages/texts/formats.ts';
import { TEXTS, type Texts } from '../../../patient-pages/texts/texts.ts';
import { makeDocument } from '../../../patient-pages/view/document.ts';
import { makePage, readPage } from '../../../payment-links/checkout/page.ts';
import { isPayable, type StaffLink } from '../../../payment-links/office/link.ts';
import { formatPhone } from '../../../platform/base/phone.ts';
import { getPractice } from '../../../practices/find.ts';
import * as ui from '../../../web/blocks.ts';
import { LANGUAGES } from '../../../web/language.ts';
import { qrPicture } from '../../../web/qr-code.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';

/** Shows a page to print for the patient: a slip with the address, and the receipt once the link is paid. */
export async function slipPage(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const path = visit.modePath(`/links/${found.link.id}`);
  const language = LANGUAGES.find((name) => name === visit.query.get('patient')) ?? 'en';
  const isSlip = isPayable(found);
  const sheet = await (isSlip ? slipBlocks : receiptBlocks)(visit, found, TEXTS[language]);
  if (sheet === null) return { kind: 'redirect', to: path };
  const languages = LANGUAGES.map((code) =>
    ui.link(`${path}/slip?patient=${code}`, TEXTS[code].language.name, {
      lang: code,
      'aria-current': code === language && 'true',
    }),
  );
  const hint = ui.element('span', { class: 'hint', 'data-print-hint': true }, 'Print this page with your browser.');
  return ui.page(isSlip ? 'Slip for the patient' : 'Receipt for the patient', {}, [
    ui.mark(
      'div',
      [
        ui.text([ui.printButton('Print'), ' ', hint], { class: 'buttons' }),
        ui.nav('Language of the page to print', languages),
        ui.text(ui.link(path, 'Back')),
      ],
      'screen-only',
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
