import { formatAmount, formatDay } from '../../../patient-pages/texts/formats.ts';
import { TEXTS } from '../../../patient-pages/texts/texts.ts';
import { makeDocument } from '../../../patient-pages/view/document.ts';
import { makePage } from '../../../payment-links/checkout/page.ts';
import { readPage } from '../../../payment-links/checkout/read-page.ts';
import type { StaffLink } from '../../../payment-links/office/link.ts';
import { formatPhone } from '../../../platform/base/phone.ts';
import { getPractice } from '../../../practices/find.ts';
import { LANGUAGES, type Language } from '../../../web/language.ts';
import * as ui from '../../render/blocks.ts';
import { qrPicture } from '../../render/qr-code.ts';
import type { MemberVisit, Reply } from '../../routing/visit.ts';
import { isPayable } from './fields.ts';

interface SlipWords {
  heading: string;
  amount: string;
  description: string;
  how: string;
  code: string;
  until: (day: string) => string;
  questions: (phone: string) => string;
  test: string;
}

/** Words of the slip, which patients read. The receipt has those of the patient's page. */
const SLIP: Readonly<Record<Language, SlipWords>> = {
  en: {
    heading: 'Pay online',
    amount: 'Amount',
    description: 'For',
    how: 'Scan the code, or open this address:',
    code: 'QR code with the address of the payment page',
    until: (day) => `The page works until ${day}.`,
    questions: (phone) => `Questions? Call ${phone}.`,
    test: 'Test. No money moves.',
  },
  es: {
    heading: 'Pague en línea',
    amount: 'Monto',
    description: 'Concepto',
    how: 'Escanee el código o abra esta dirección:',
    code: 'Código QR con la dirección de la página de pago',
    until: (day) => `La página funciona hasta el ${day}.`,
    questions: (phone) => `¿Preguntas? Llame al ${phone}.`,
    test: 'Prueba. No se mueve dinero.',
  },
};

/** Shows a page to print for the patient: a slip with the address, and the receipt once the link is paid. */
export async function slipPage(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const path = visit.modePath(`/links/${found.link.id}`);
  const language = LANGUAGES.find((name) => name === visit.query.get('patient')) ?? 'en';
  const isSlip = isPayable(found);
  const sheet = isSlip ? await slipBlocks(visit, found, language) : await receiptBlocks(visit, found, language);
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
async function slipBlocks(visit: MemberVisit, { link, location, url }: StaffLink, language: Language) {
  const slip = SLIP[language];
  const texts = TEXTS[language];
  const practice = await getPractice(visit.scope, link.practiceId);
  const phone = location.phone ?? practice.phone;
  return [
    ui.text(ui.own(practice.name), { class: 'slip-practice' }),
    ui.text(ui.own(`${location.name}, ${location.city}`)),
    ui.heading(slip.heading),
    link.test && ui.text(ui.mark('strong', slip.test), { class: 'alert' }),
    ui.facts('facts', [
      [slip.amount, formatAmount(texts, link.amountCents), 'sum'],
      [slip.description, ui.own(link.description), 'lines'],
    ]),
    ui.text(slip.how),
    qrPicture(url, slip.code),
    ui.text(url, { class: 'slip-address' }),
    ui.text([
      slip.until(formatDay(texts, link.expiresAt, location.timeZone)),
      phone !== null && ` ${slip.questions(formatPhone(phone))}`,
    ]),
  ];
}

/** Returns the document of the patient's page, with the name of the patient; null for a link that is not paid. */
async function receiptBlocks({ scope, processor }: MemberVisit, { link }: StaffLink, language: Language) {
  const data = await readPage(scope, link.token);
  const page = data === null ? null : await makePage(scope, processor, data);
  const texts = TEXTS[language];
  const document = page && makeDocument(page, texts, `${link.patientFirstName} ${link.patientLastName}`);
  if (page === null || document === null) return null;
  return [
    ui.text(ui.own(page.practice.name), { class: 'slip-practice' }),
    ui.heading(document.heading),
    link.test && ui.text(ui.mark('strong', texts.receipt.testNote), { class: 'alert' }),
    ui.facts(
      'facts',
      document.rows.map(({ label, value, isLong }) => [label, ui.own(value), isLong ? 'lines' : undefined]),
    ),
    ui.text(texts.help.reference(page.linkId), { class: 'hint' }),
  ];
}
