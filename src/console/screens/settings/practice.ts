import { logoPath } from '../../../patient-pages/browser/assets.ts';
import { fresh } from '../../../platform/base/scope.ts';
import { changeRecipients } from '../../../practices/changes-by-people.ts';
import { parseBrandColor } from '../../../practices/colors.ts';
import { getPractice } from '../../../practices/find.ts';
import { decodeLogo, type LogoRefusal } from '../../../practices/logo.ts';
import { listRecipients, type Recipients } from '../../../practices/notifications.ts';
import { NOTIFICATION_KINDS, type NotificationKind, OPTIONAL_KINDS } from '../../../practices/recipient.entity.ts';
import { createLocation } from '../../../practices/service.ts';
import * as ui from '../../../web/blocks.ts';
import { claimForm, newFormId } from '../../model/sent-forms.ts';
import { catchRefusals, explainFaults } from '../../routing/handlers.ts';
import { doneText, findFault, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';
import { byPerson, savePracticeChange, tabs } from './changes.ts';
import * as locations from './locations.ts';

const DONE = {
  logo: 'The logo is saved.',
  logo_removed: 'The logo is removed.',
  'location.created': 'The location is added.',
  'location.changed': 'The change is saved.',
  'location.deactivated': 'The location is out of use.',
  'location.repeated': 'This form was sent before. Nothing was added a second time.',
};

const PRACTICE = {
  title: 'Practice',
  name: 'Name of the practice',
  phone: 'Phone for patients',
  phoneHelp: 'With + and country code, such as +12025550143. Leave it empty for none.',
  postalAddress: 'Postal address',
  postalAddressHelp: 'It appears on receipts. At most five lines. Leave it empty for none.',
};

const COLOR = {
  title: 'Color',
  text: 'The color of the buttons on your payment pages. The text on them is white.',
  color: 'Color',
  colorHelp: 'Six digits as in a style guide, such as #0b4f6c. Leave it empty for the standard color.',
  button: 'Save the color',
};

const LOGO = {
  title: 'Logo',
  text: 'Your logo appears at the top of payment pages and receipts, on white.',
  logo: 'Picture',
  logoHelp: 'PNG, JPEG or WebP of at most 1 MB. It is scaled to at most 480 × 160 pixels.',
  button: 'Use this logo',
};

const LOGO_REFUSALS = {
  not_an_image: 'This file is not a PNG, JPEG or WebP picture. Save the logo in one of these formats.',
  too_many_pixels: 'This picture has too many pixels. Save it with at most 3000 × 3000.',
  unreadable: 'This picture is damaged or cannot be read. Save it again and repeat.',
  busy: 'Several pictures are being prepared at the moment. Try again in a minute.',
} satisfies Record<LogoRefusal, string>;

const PRACTICE_FIELDS = ['name', 'phone', 'postalAddress'] as const;

const KEYS = {
  title: 'Live API keys',
  text: 'A live key gets names and contact details of patients, in answers or in webhooks.',
  button: 'Save',
  label: 'Only owners and administrators create them',
};

export async function showSettings(visit: MemberVisit, error?: string) {
  const scope = fresh(visit.scope);
  const practice = await getPractice(scope, visit.member.practiceId);
  const { brandColor: color, logoHash, logoWidth, logoHeight } = practice;
  const path = visit.path('/settings');
  const logo = { src: logoPath(logoHash ?? ''), width: logoWidth ?? 0, height: logoHeight ?? 0, alt: 'Your logo' };
  const { fields } = visit;
  const mailsDescription = fields.has('postalAddress') ? fields.has('mailsDescription') : practice.mailsDescription;
  const isForAdministrators = fields.has('administrators') || practice.readingKeysForAdministrators;
  const addition = { title: 'Add a location', button: 'Add the location', hidden: { form: newFormId() } };
  return ui.page('Settings', { ...explainFaults(visit, error), done: doneText(visit, DONE) }, [
    tabs(visit, 'general'),
    ui.lead('What patients see of your practice on payment pages and receipts.'),
    ui.form(path, { ...PRACTICE, button: 'Save' }, [
      ui.fields(PRACTICE, fields.has('postalAddress') ? typedTexts(fields, PRACTICE_FIELDS) : practice, {
        name: { required: true, maxlength: 200, autocomplete: 'off' },
        phone: { type: 'tel', maxlength: 32, autocomplete: 'off' },
        postalAddress: { rows: 4, maxlength: 600, autocomplete: 'off' },
      }),
      ui.check('mailsDescription', 'Emails to patients say what the payment is for', mailsDescription),
    ]),
    ui.form(`${path}/color`, COLOR, [
      color === null ? ui.text('Your pages have the standard color.', { class: 'quiet' }) : ui.text(colorSample(color)),
      ui.fields(COLOR, { color: fields.get('color') ?? color }, { color: { maxlength: 7, ...ui.CODE } }),
    ]),
    ui.form(`${path}/logo`, { ...LOGO, attributes: { enctype: 'multipart/form-data' } }, [
      logoHash === null
        ? ui.text('Your pages have no logo yet.', { class: 'quiet' })
        : ui.text({ tag: 'img', attributes: logo }, { class: 'logo' }),
      ui.fields(LOGO, {}, { logo: { type: 'file', required: true, accept: 'image/png,image/jpeg,image/webp' } }),
    ]),
    logoHash === null
      ? null
      : ui.form(`${path}/logo/remove`, { label: 'Yes, remove the logo from all pages', button: 'Remove the logo' }),
    ui.form(`${path}/keys`, KEYS, ui.check('administrators', KEYS.label, isForAdministrators)),
    await notificationsForm(visit),
    ui.heading('Locations'),
    ui.lead('Each payment link belongs to a location. Patients see its name and city.'),
    locations.locationTable(visit, await locations.listLocations(scope, visit.member.practiceId)),
    ui.form(`${path}/locations`, addition, locations.locationFields(locations.locationInput(visit))),
  ]);
}

function colorSample(fill: string): ui.Block {
  const size = { width: 96, height: 32 };
  const look = { class: 'color-sample', ...size, 'aria-hidden': 'true', focusable: 'false' };
  return ui.element('svg', look, ui.element('rect', { ...size, fill }));
}

export const savePractice = catchRefusals((visit: MemberVisit) => {
  const input = typedTexts(visit.fields, PRACTICE_FIELDS);
  return savePracticeChange(visit, '/settings?done=saved', {
    ...input,
    phone: input.phone || null,
    mailsDescription: visit.fields.has('mailsDescription'),
  });
}, showSettings);

export async function saveColor(visit: MemberVisit): Promise<Reply> {
  const input = (visit.fields.get('color') ?? '').trim();
  const result = input === '' ? null : parseBrandColor(input);
  if (result?.kind === 'malformed') {
    return showSettings(visit, 'Enter the color as # and six digits from 0 to 9 and a to f, such as #0b4f6c.');
  }
  if (result?.kind === 'too_light') {
    const error = `White text on ${input} is hard to read. The nearest color that works is ${result.nearest}.`;
    return showSettings(visit, error);
  }
  return savePracticeChange(visit, '/settings?done=saved', { brandColor: result?.color ?? null });
}

export async function saveKeyRule(visit: MemberVisit): Promise<Reply> {
  const changes = { readingKeysForAdministrators: visit.fields.get('administrators') === 'on' };
  return savePracticeChange(visit, '/settings?done=saved', changes);
}

export async function saveLogo(visit: MemberVisit): Promise<Reply> {
  if (visit.file === null) return showSettings(visit, 'Choose a picture first.');
  const logo = await decodeLogo(visit.file);
  if (typeof logo === 'string') return showSettings(visit, LOGO_REFUSALS[logo]);
  return savePracticeChange(visit, '/settings?done=logo', { logo });
}

export async function removeLogo(visit: MemberVisit): Promise<Reply> {
  return savePracticeChange(visit, '/settings?done=logo_removed', { logo: null });
}

export const addLocation = catchRefusals(async (visit: MemberVisit) => {
  const input = locations.parseLocation(locations.locationInput(visit));
  return locations.saveLocation(visit, 'location.created', null, async (scope) => {
    const { practiceId } = visit.member;
    const isFirst = await claimForm(scope, visit);
    return isFirst ? createLocation(scope, { practiceId, ...input }) : null;
  });
}, showSettings);

const NOTIFICATION_TEXTS = {
  disputes: { name: 'Disputes', help: 'A patient contests a payment at the bank, or the bank has decided.' },
  refunds: { name: 'Refunds', help: 'A refund failed, or was paid twice.' },
  payments: {
    name: 'Problems with payments',
    help: 'A bank returned a debit. Or a payment came late or twice, does not match its link, or its outcome is unknown.',
  },
  webhooks: { name: 'Webhooks', help: 'An endpoint fails or was disabled.' },
  each_payment: { name: 'Each payment', help: 'A patient has paid. One email for each payment.' },
  expired_links: {
    name: 'Expired links',
    help: 'Links that expired without a payment. One email for each day, the morning after.',
  },
} satisfies Record<NotificationKind, { name: string; help: string }>;

const NOTIFICATIONS = {
  title: 'Emails to your practice',
  text: 'Name up to five addresses for each kind, one per line. People who see only some locations get the emails of these.',
  button: 'Save the addresses',
  attributes: { id: 'notifications' },
};

async function notificationsForm(visit: MemberVisit): Promise<ui.Block> {
  const scope = fresh(visit.scope);
  const { adminEmail } = await getPractice(scope, visit.member.practiceId);
  const recipients = await listRecipients(scope, visit.member.practiceId);
  const fields = NOTIFICATION_KINDS.map((kind) => {
    const { name, help } = NOTIFICATION_TEXTS[kind];
    const isOptional = OPTIONAL_KINDS.some((one) => one === kind);
    const empty = isOptional ? 'Leave it empty for none.' : `Leave it empty to send these emails to ${adminEmail}.`;
    return ui.field(kind, name, visit.fields.get(kind) ?? recipients[kind].join('\n'), {
      rows: 2,
      maxlength: 1400,
      ...ui.CODE,
      fault: findFault(visit, kind),
      isHintAbove: true,
      hint: [`${help} `, ui.own(empty)],
    });
  });
  return ui.form(visit.path('/settings/notifications'), NOTIFICATIONS, fields);
}

export const saveNotifications = catchRefusals(async (visit: MemberVisit) => {
  const input = typedTexts(visit.fields, NOTIFICATION_KINDS);
  const recipients = Object.entries(input).map(([kind, text]) => [kind, parseAddresses(text)]);
  // Every kind has an entry.
  await changeRecipients(fresh(visit.scope), byPerson(visit), Object.fromEntries(recipients) as Recipients);
  return { kind: 'redirect', to: visit.path('/settings?done=saved') };
}, showSettings);

/** Splits a text at line breaks, commas and semicolons, as people type lists. */
function parseAddresses(text: string): string[] {
  return text.split(/[\r\n,;]+/).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}
