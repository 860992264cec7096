import { formatPhone } from '../platform/base/phone.ts';
import type { Mail } from '../practices/mail/mailer.ts';
import { type Attributes, type Content, element, mark, meta, renderHtmlMail } from '../web/html.ts';
import type { Texts } from './texts/texts.ts';

/*
 * Mails to patients, as text and as HTML of the same content. Mail programs drop style sheets, and Outlook lays out by tables.
 * Nothing is loaded, and nothing says whether the mail was read.
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

export function writeLetter(letter: Letter, t: Texts): Pick<Mail, 'subject' | 'text' | 'html'> {
  return { subject: letter.subject, text: writeText(letter), html: writeHtml(letter, t.language.code) };
}

function writeText({ sender, heading, warning, rows, button, notes }: Letter): string {
  const { name, locationLine, phone } = sender;
  const parts = [
    [warning],
    [heading],
    rows.map(({ label, value }) => `${label}: ${value.replaceAll('\n', ', ')}`),
    button === null ? [] : [`${button.label}:`, button.url],
    notes,
    [name, locationLine, phone && formatPhone(phone)],
  ];
  const paragraphs = parts.map((lines) => lines.filter((line) => line !== null).join('\n'));
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
}

/** Color of practices without one, as on the hosted page. White text on a practice's color is readable. */
const STANDARD_COLOR = '#0b4f6c';

const PAGE_COLOR = '#eef1f3';

const FONT = 'font-family:Arial,Helvetica,sans-serif';

const LOOKS = {
  ink: `${FONT};font-size:16px;line-height:24px;color:#1b2226`,
  quiet: `${FONT};font-size:14px;line-height:21px;color:#56646c`,
};

/** Programs that know dark screens take these colors; others darken the light ones themselves. */
const DARK =
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
  '@media (prefers-color-scheme:dark){.page{background-color:#101416!important}.card{background-color:#1b2226!important}' +
  '.ink{color:#f2f4f5!important}.quiet{color:#b4bec4!important}.line{border-color:#3a454b!important}}';

const BREAK: Content = { tag: 'br' };

function writeHtml({ subject, sender, heading, warning, rows, button, notes }: Letter, lang: string): string {
  const { name, locationLine, phone } = sender;
  const color = sender.color ?? STANDARD_COLOR;
  const [amount, ...others] = rows;
  const call = phone && styled('a', 'quiet', '', formatPhone(phone), { href: `tel:${phone}` });
  const blocks = [
    styled('p', 'ink', 'margin:0;font-weight:bold', name),
    styled('p', 'quiet', 'margin:0', [locationLine, call && [BREAK, call]]),
    warning !== null && styled('p', 'ink', 'margin:0 0 12px;font-weight:bold', warning),
    styled('h1', 'ink', 'margin:24px 0 16px;font-size:20px;line-height:28px', heading),
    amount !== undefined && [
      styled('p', 'quiet', 'margin:0', amount.label),
      styled('p', 'ink', 'margin:0 0 16px;font-size:30px;line-height:38px;font-weight:bold', amount.value),
    ],
    others.length > 0 && table({ width: '100%', style: 'margin:0 0 16px' }, others.map(tableRow)),
    button !== null && buttonLink(button, color),
    ...notes.map((note) => styled('p', 'quiet', 'margin:0 0 12px', note)),
  ];
  const card = { class: 'card', style: `padding:24px;border-top:6px solid ${color}` };
  const page = { class: 'page', align: 'center', style: 'padding:16px 8px' };
  const main = box({ width: 600, style: 'width:100%;max-width:600px' }, '#ffffff', card, blocks);
  const body = box({ width: '100%' }, PAGE_COLOR, page, element('div', { role: 'main', lang }, main));
  const look = { class: 'page', style: `margin:0;padding:0;background-color:${PAGE_COLOR}` };
  return renderHtmlMail(element('html', { lang }, head(subject), element('body', look, body)));
}

function head(subject: string): Content {
  return mark('head', [
    { tag: 'meta', attributes: { charset: 'utf-8' } },
    meta('viewport', 'width=device-width, initial-scale=1'),
    meta('color-scheme', 'light dark'),
    meta('supported-color-schemes', 'light dark'),
    // iPhones would make links of dates and numbers.
    meta('format-detection', 'telephone=no, date=no, address=no, email=no, url=no'),
    mark('title', subject),
    mark('style', DARK),
  ]);
}

/** Returns an element in one of the two looks of words. */
function styled(
  tag: string,
  look: keyof typeof LOOKS,
  style: string,
  content: Content,
  more: Attributes = {},
): Content {
  return element(tag, { class: look, style: `${LOOKS[look]};${style}`, ...more }, content);
}

function tableRow({ label, value }: Letter['rows'][number]): Content {
  const look = 'padding:8px 12px 8px 0;border-top:1px solid #d5dce0;vertical-align:top';
  const lines = value.split('\n').flatMap((line, index) => (index === 0 ? [line] : [BREAK, line]));
  return mark('tr', [
    styled('td', 'quiet', look, label, { class: 'quiet line' }),
    styled('td', 'ink', look, lines, { class: 'ink line' }),
  ]);
}

/** Outlook takes the room around the words from the table, all others from the link, which is as large as the button. */
function buttonLink({ label, url }: NonNullable<Letter['button']>, color: string): Content {
  const look =
    `${FONT};display:inline-block;padding:14px 28px;font-size:17px;line-height:22px;font-weight:bold;color:#ffffff;` +
    'text-decoration:none;border-radius:6px;mso-padding-alt:0';
  const frame = { style: 'border-radius:6px;mso-padding-alt:14px 28px' };
  return box({ style: 'margin:0 0 24px' }, color, frame, element('a', { href: url, style: look }, label));
}

/** Returns a table with one colored field. Outlook takes the color from the attribute. */
function box(attributes: Attributes, color: string, frame: Attributes, content: Content): Content {
  const field = { ...frame, bgcolor: color, style: `background-color:${color};${frame.style}` };
  return table(attributes, mark('tr', element('td', field, content)));
}

/** Returns a table that only lays out, for programs and screen readers. */
function table(attributes: Attributes, rows: Content): Content {
  return element('table', { role: 'presentation', border: 0, cellpadding: 0, cellspacing: 0, ...attributes }, rows);
}
