import { fresh } from '../../../base/scope.ts';
import { logoPath } from '../../../pages/browser/brand.ts';
import { brandColor } from '../../../practices/colors.ts';
import { getPractice } from '../../../practices/find.ts';
import { decodeLogo } from '../../../practices/logo-image.ts';
import { newFormId } from '../../model/sent-forms.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { doneText, isConfirmed } from '../../routing/visit.ts';
import { textsNamed } from '../filters.ts';
import { changePractice, tabs } from './acts.ts';
import { EMPTY_LOCATION, type LocationInput, listLocations, locationFields, locationTable } from './location-form.ts';

interface Refused {
  error: string;
  practice?: Record<'name' | 'phone' | 'postalAddress', string>;
  color?: string;
  location?: LocationInput;
}

export async function showSettings(visit: MemberVisit, refused?: Refused) {
  const { settings: t, save: button } = visit.t;
  const scope = fresh(visit.scope);
  const practice = await getPractice(scope, visit.member.practiceId);
  const { brandColor: color, logoHash, logoWidth, logoHeight } = practice;
  const path = visit.path('/settings');
  const logo = { src: logoPath(logoHash ?? ''), width: logoWidth ?? 0, height: logoHeight ?? 0, alt: t.logo.current };
  const done = refused === undefined ? doneText(visit, t.done) : undefined;
  return ui.page(t.title, { error: refused?.error, done }, [
    tabs(visit, 'general'),
    ui.lead(t.lead),
    ui.form(path, { ...t.practice, button }, [
      ui.fields(t.practice, refused?.practice ?? practice, {
        name: { required: true, maxlength: 200, autocomplete: 'off' },
        phone: { type: 'tel', maxlength: 32, autocomplete: 'off' },
        postalAddress: { rows: 4, maxlength: 600, autocomplete: 'off' },
      }),
    ]),
    ui.form(`${path}/color`, t.color, [
      ui.text(t.color.text),
      color === null ? ui.text(t.color.standard, { class: 'quiet-text' }) : ui.text(colorSample(color)),
      ui.fields(t.color, { color: refused?.color ?? color }, { color: { maxlength: 7, ...ui.CODE } }),
    ]),
    ui.form(`${path}/logo`, { ...t.logo, attributes: { enctype: 'multipart/form-data' } }, [
      ui.text(t.logo.text),
      logoHash === null
        ? ui.text(t.logo.none, { class: 'quiet-text' })
        : ui.text({ tag: 'img', attributes: logo }, { class: 'logo' }),
      ui.fields(t.logo, {}, { logo: { type: 'file', required: true, accept: 'image/png,image/jpeg,image/webp' } }),
    ]),
    logoHash === null ? null : ui.act(`${path}/logo/remove`, t.logo.remove),
    ui.form(`${path}/keys`, { ...t.keys, button }, [
      ui.text(t.keys.text),
      ui.check('administrators', t.keys.label, practice.readingKeysForAdministrators),
    ]),
    ui.heading(t.locations.title, 'locations'),
    ui.lead(t.locations.lead),
    locationTable(visit, await listLocations(scope, visit.member.practiceId)),
    ui.form(`${path}/locations`, { ...t.locations.add, hidden: { form: newFormId() } }, [
      locationFields(visit, refused?.location ?? EMPTY_LOCATION),
    ]),
  ]);
}

function colorSample(fill: string): ui.Block {
  const size = { width: 96, height: 32 };
  const look = { class: 'color-sample', ...size, 'aria-hidden': 'true', focusable: 'false' };
  return ui.element('svg', look, ui.element('rect', { ...size, fill }));
}

export async function savePractice(visit: MemberVisit): Promise<Reply> {
  const input = textsNamed(visit.fields, ['name', 'phone', 'postalAddress']);
  const changes = { ...input, phone: input.phone.trim() || null };
  return changePractice(visit, '/settings?done=practice', changes, (error) =>
    showSettings(visit, { error, practice: input }),
  );
}

export async function saveColor(visit: MemberVisit): Promise<Reply> {
  const input = (visit.fields.get('color') ?? '').trim();
  const { color: t } = visit.t.settings;
  const result = input === '' ? null : brandColor(input);
  if (result?.kind === 'malformed') return showSettings(visit, { error: t.malformed, color: input });
  if (result?.kind === 'too_light') {
    return showSettings(visit, { error: t.tooLight(input, result.nearest), color: input });
  }
  const color = result?.color ?? null;
  return changePractice(visit, '/settings?done=color', { brandColor: color });
}

export async function saveKeyRule(visit: MemberVisit): Promise<Reply> {
  const changes = { readingKeysForAdministrators: visit.fields.get('administrators') === 'on' };
  return changePractice(visit, '/settings?done=keys', changes);
}

/** Decodes the picture outside any transaction, and saves it. */
export async function saveLogo(visit: MemberVisit): Promise<Reply> {
  const { logo: t } = visit.t.settings;
  if (visit.file === null) return showSettings(visit, { error: t.missing });
  const decoded = await decodeLogo(visit.file);
  if (decoded.kind === 'refused') return showSettings(visit, { error: t.refusals[decoded.reason] });
  return changePractice(visit, '/settings?done=logo', { logo: decoded.image });
}

export async function removeLogo(visit: MemberVisit): Promise<Reply> {
  if (!isConfirmed(visit)) return showSettings(visit, { error: visit.t.settings.logo.remove.notConfirmed });
  return changePractice(visit, '/settings?done=logo_removed', { logo: null });
}
