import { fresh } from '../../../base/scope.ts';
import { logoPath } from '../../../pages/browser/brand.ts';
import { brandColor } from '../../../practices/colors.ts';
import { getPractice } from '../../../practices/find.ts';
import { setLogo } from '../../../practices/logo.ts';
import { decodeLogo } from '../../../practices/logo-image.ts';
import { updatePractice } from '../../../practices/service.ts';
import { newFormId } from '../../model/sent-forms.ts';
import * as ui from '../../render/blocks.ts';
import { type MemberVisit, practicePath, type Reply } from '../../routing/route.ts';
import { doneText, isConfirmed } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { textsNamed } from '../filters.ts';
import { changePractice, refusalText, tabs } from './acts.ts';
import { EMPTY_LOCATION, type LocationInput, listLocations, locationFields, locationTable } from './location-form.ts';

interface Refused {
  error: string;
  practice?: PracticeInput;
  color?: string;
  location?: LocationInput;
}

type PracticeInput = Record<'name' | 'phone' | 'postalAddress', string>;

export async function showSettings(visit: MemberVisit, refused?: Refused) {
  const { language, member } = visit;
  const scope = fresh(visit.scope);
  const practice = await getPractice(scope, member.practiceId);
  const { brandColor: color, logoHash, logoWidth, logoHeight } = practice;
  const { settings: t } = TEXTS[language];
  const path = practicePath(member, '/settings');
  const words = refused?.practice ?? practice;
  const blocks = [
    tabs('general'),
    ui.lead(t.lead),
    ui.form({
      action: path,
      title: t.practice.title,
      blocks: [
        ui.field('name', t.practice.name, words.name, {
          attributes: { required: true, maxlength: 200, autocomplete: 'off' },
        }),
        ui.field('phone', t.practice.phone, words.phone ?? '', {
          attributes: { type: 'tel', maxlength: 32, autocomplete: 'off' },
          hint: t.practice.phoneHelp,
        }),
        ui.field('postalAddress', t.practice.address, words.postalAddress ?? '', {
          rows: 4,
          attributes: { maxlength: 600, autocomplete: 'off' },
          hint: t.practice.addressHelp,
        }),
      ],
      button: t.practice.button,
    }),
    ui.form({
      action: `${path}/color`,
      title: t.color.title,
      blocks: [
        ui.text(t.color.text),
        color === null
          ? ui.text(t.color.standard, { class: 'quiet-text' })
          : ui.part('/settings/color-sample', { color }),
        ui.field('color', t.color.label, refused?.color ?? color ?? '', {
          attributes: { maxlength: 7, ...ui.CODE },
          hint: t.color.help,
        }),
      ],
      button: t.color.button,
    }),
    ui.form({
      action: `${path}/logo`,
      title: t.logo.title,
      attributes: { enctype: 'multipart/form-data' },
      blocks: [
        ui.text(t.logo.text),
        logoHash === null
          ? ui.text(t.logo.none, { class: 'quiet-text' })
          : ui.part('/settings/logo', { path: logoPath(logoHash), width: logoWidth, height: logoHeight }),
        ui.field('logo', t.logo.label, undefined, {
          attributes: { type: 'file', required: true, accept: 'image/png,image/jpeg,image/webp' },
          hint: t.logo.help,
        }),
      ],
      button: t.logo.button,
    }),
    logoHash === null ? null : ui.act(`${path}/logo/remove`, t.logo.remove),
    ui.form({
      action: `${path}/keys`,
      title: t.keys.title,
      blocks: [ui.text(t.keys.text), ui.check('administrators', t.keys.label, practice.readingKeysForAdministrators)],
      button: t.keys.button,
    }),
    ui.heading(t.locations.title, 'locations'),
    ui.lead(t.locations.lead),
    locationTable(await listLocations(scope, member.practiceId), language, path),
    ui.form({
      action: `${path}/locations`,
      title: t.locations.add.title,
      hidden: { form: newFormId() },
      blocks: locationFields(refused?.location ?? EMPTY_LOCATION, language),
      button: t.locations.add.button,
    }),
  ] as const;
  return ui.page(t.title, blocks, {
    error: refused?.error,
    done: refused === undefined ? doneText(visit, t.done) : undefined,
  });
}

export async function savePractice(visit: MemberVisit): Promise<Reply> {
  const input = textsNamed(visit.fields, ['name', 'phone', 'postalAddress']);
  const changes = { ...input, phone: input.phone.trim() || null };
  try {
    await changePractice(visit, 'settings.changed', (scope, id) => updatePractice(scope, id, changes));
  } catch (error) {
    return showSettings(visit, { error: refusalText(visit, error), practice: input });
  }
  return done(visit, 'practice');
}

export async function saveColor(visit: MemberVisit): Promise<Reply> {
  const input = (visit.fields.get('color') ?? '').trim();
  const t = TEXTS[visit.language].settings.color;
  const result = input === '' ? null : brandColor(input);
  if (result?.kind === 'malformed') return showSettings(visit, { error: t.malformed, color: input });
  if (result?.kind === 'too_light') {
    return showSettings(visit, { error: t.tooLight(input, result.nearest), color: input });
  }
  const color = result?.color ?? null;
  await changePractice(visit, 'settings.changed', (scope, id) => updatePractice(scope, id, { brandColor: color }));
  return done(visit, 'color');
}

export async function saveKeyRule(visit: MemberVisit): Promise<Reply> {
  const readingKeysForAdministrators = visit.fields.get('administrators') === 'on';
  await changePractice(visit, 'settings.changed', (scope, id) =>
    updatePractice(scope, id, { readingKeysForAdministrators }),
  );
  return done(visit, 'keys');
}

/** Decodes the picture outside any transaction, and saves it. */
export async function saveLogo(visit: MemberVisit): Promise<Reply> {
  const t = TEXTS[visit.language].settings.logo;
  if (visit.file === null) return showSettings(visit, { error: t.missing });
  const decoded = await decodeLogo(visit.file);
  if (decoded.kind === 'refused') return showSettings(visit, { error: t.refusals[decoded.reason] });
  await changePractice(visit, 'logo.changed', (scope, id) => setLogo(scope, id, decoded.image));
  return done(visit, 'logo');
}

export async function removeLogo(visit: MemberVisit): Promise<Reply> {
  const { notConfirmed } = TEXTS[visit.language].settings.logo.remove;
  if (!isConfirmed(visit)) return showSettings(visit, { error: notConfirmed });
  await changePractice(visit, 'logo.changed', (scope, id) => setLogo(scope, id, null));
  return done(visit, 'logo_removed');
}

function done({ member }: MemberVisit, what: string): Reply {
  return { kind: 'redirect', to: practicePath(member, `/settings?done=${what}`) };
}
