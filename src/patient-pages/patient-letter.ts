import type { LinkPage } from '../payment-links/checkout/port.ts';
import { formatPhone } from '../platform/base/phone.ts';
import type { Mail } from '../practices/mail/mailer.ts';
import { nameInMail } from '../practices/mail/name-in-mail.ts';
import { type Content, element, meta, renderHtmlMail } from '../web/html.ts';
import type { Texts } from './texts/texts.ts';
import { formatLocation } from './view/document.ts';

/*
 * Mails to patients, as text and as HTML of the same content. Mail programs drop style sheets, and Outlook lays out by tables.
 * So every element has its look in its attributes. Nothing is loaded, and nothing says whether the mail was read.
 */

export interface Letter {
  subject: string;
  sender: Sender;
  heading: string;
  /** Stands above all else, such as that it is a test. */
  warning: string | null;
  /** The first one is the amount. */
  rows: readonly { label: string; value: string }[];
  button: { label: string; url: string } | null;
  notes: readonly string[];
}

/** The practice as patients know it. Its names are those for mails (`nameInMail`). */
export interface Sender {
  name: string;
  locationLine: string;
  /** Telephone number in E.164; null for none. */
  phone: string | null;
  color: string | null;
}

/** Returns the practice and location of a mail. Names have no addresses, of which mail programs would make links. */
export function senderOf({
  practice,
  location,
  phone,
}: { practice: Pick<LinkPage['practice'], 'name' | 'brandColor'> } & Pick<LinkPage, 'location' | 'phone'>): Sender {
  const letterLocation = { ...location, name: nameInMail(location.name), city: nameInMail(location.city) };
  return {
    name: nameInMail(practice.name),
    locationLine: formatLocation({ location: letterLocation }),
    phone,
    color: practice.brandColor,
  };
}

/** Returns whom to ask, in one line. */
export function reachOf({ name, locationLine, phone }: Sender): string {
  return [`${name}, ${locationLine}`, ...(phone === null ? [] : [formatPhone(phone)])].join(', ');
}

export function writeLetter(letter: Letter, t: Texts): Pick<Mail, 'subject' | 'text' | 'html'> {
  return { subject: letter.subject, text: textOf(letter), html: htmlOf(letter, t) };
}

function textOf({ sender, heading, warning, rows, button, notes }: Letter): string {
  const { name, locationLine, phone } = sender;
  const parts = [
    warning === null ? [] : [warning],
    [heading],
    rows.map(({ label, value }) => `${label}: ${value.replaceAll('\n', ', ')}`),
    button === null ? [] : [`${button.label}:`, button.url],
    notes,
    [name, locationLine, ...(phone === null ? [] : [formatPhone(phone)])],
  ];
  return `${parts.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')])).join('\n\n')}\n`;
}

/** Color of practices without one, as on the hosted page. White text on a practice's color is readable. */
const STANDARD_COLOR = '#0b4f6c';

const FONT = 'font-family:Arial,Helvetica,sans-serif';

/** Programs that know dark screens take these colors; others darken the light ones themselves. */
const DARK =
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
  '@media (prefers-color-scheme:dark){.page{background-color:#101416!important}.card{background-color:#1b2226!important}' +
  '.ink{color:#f2f4f5!important}.quiet{color:#b4bec4!important}.line{border-color:#3a454b!important}}';

const INK = `${FONT};font-size:16px;line-height:24px;color:#1b2226`;
const QUIET = `${FONT};font-size:14px;line-height:21px;color:#56646c`;

function htmlOf(letter: Letter, t: Texts): string {
  const { subject, sender, heading, warning, rows, button, notes } = letter;
  const { code: lang } = t.language;
  const color = sender.color ?? STANDARD_COLOR;
  const [amount, ...others] = rows;
  const blocks = [
    ...senderBlocks(sender),
    warning !== null && paragraph(warning, `${INK};font-weight:bold`, 'ink'),
    element('h1', { class: 'ink', style: `${INK};margin:24px 0 16px;font-size:20px;line-height:28px` }, heading),
    amount !== undefined && [
      element('p', { class: 'quiet', style: `${QUIET};margin:0` }, amount.label),
      element(
        'p',
        { class: 'ink', style: `${INK};margin:0 0 16px;font-size:30px;line-height:38px;font-weight:bold` },
        amount.value,
      ),
    ],
    others.length > 0 && table({ width: '100%', style: 'margin:0 0 16px' }, others.map(rowOf)),
    button !== null && buttonOf(button, color),
    ...notes.map((note) => paragraph(note, QUIET, 'quiet')),
  ];
  const card = element(
    'td',
    { class: 'card', bgcolor: '#ffffff', style: `padding:24px;background-color:#ffffff;border-top:6px solid ${color}` },
    blocks,
  );
  const page = element(
    'td',
    { class: 'page', bgcolor: '#eef1f3', align: 'center', style: 'padding:16px 8px;background-color:#eef1f3' },
    element(
      'div',
      { role: 'main', lang },
      table({ width: 600, style: 'width:100%;max-width:600px' }, [element('tr', {}, card)]),
    ),
  );
  const body = element(
    'body',
    { class: 'page', style: 'margin:0;padding:0;background-color:#eef1f3' },
    table({ width: '100%' }, [element('tr', {}, page)]),
  );
  return renderHtmlMail(element('html', { lang }, head(subject), body));
}

function head(subject: string): Content {
  return element(
    'head',
    {},
    { tag: 'meta', attributes: { charset: 'utf-8' } },
    meta('viewport', 'width=device-width, initial-scale=1'),
    meta('color-scheme', 'light dark'),
    meta('supported-color-schemes', 'light dark'),
    // iPhones would make links of dates and numbers.
    meta('format-detection', 'telephone=no, date=no, address=no, email=no, url=no'),
    element('title', {}, subject),
    element('style', {}, DARK),
  );
}

function senderBlocks({ name, locationLine, phone }: Sender): Content[] {
  const call =
    phone !== null &&
    element('a', { class: 'quiet', href: `tel:${phone}`, style: 'color:#56646c' }, formatPhone(phone));
  return [
    element('p', { class: 'ink', style: `${INK};margin:0;font-weight:bold` }, name),
    element('p', { class: 'quiet', style: `${QUIET};margin:0` }, locationLine, call && [{ tag: 'br' }, call]),
  ];
}

function rowOf({ label, value }: Letter['rows'][number]): Content {
  const look = `padding:8px 12px 8px 0;border-top:1px solid #d5dce0;vertical-align:top`;
  const lines = value.split('\n').flatMap((line, index) => (index === 0 ? [line] : [{ tag: 'br' }, line]));
  return element(
    'tr',
    {},
    element('td', { class: 'quiet line', style: `${QUIET};${look}` }, label),
    element('td', { class: 'ink line', style: `${INK};${look}` }, lines),
  );
}

/** Outlook takes the room around the words from the table, all others from the link, which is as large as the button. */
function buttonOf({ label, url }: NonNullable<Letter['button']>, color: string): Content {
  const look = `${FONT};display:inline-block;padding:14px 28px;font-size:17px;line-height:22px;font-weight:bold;color:#ffffff`;
  const link = element(
    'a',
    { href: url, style: `${look};text-decoration:none;border-radius:6px;mso-padding-alt:0` },
    label,
  );
  const box = { bgcolor: color, style: `background-color:${color};border-radius:6px;mso-padding-alt:14px 28px` };
  return table({ style: 'margin:0 0 24px' }, [element('tr', {}, element('td', box, link))]);
}

function paragraph(text: string, style: string, className: string): Content {
  return element('p', { class: className, style: `${style};margin:0 0 12px` }, text);
}

/** Returns a table that only lays out, for programs and screen readers. */
function table(attributes: Record<string, string | number>, rows: readonly Content[]): Content {
  return element('table', { role: 'presentation', border: 0, cellpadding: 0, cellspacing: 0, ...attributes }, rows);
}
