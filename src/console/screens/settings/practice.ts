import { fresh } from '../../../base/scope.ts';
import { logoPath } from '../../../pages/browser/brand.ts';
import { brandColor } from '../../../practices/colors.ts';
import { getPractice } from '../../../practices/find.ts';
import { setLogo } from '../../../practices/logo.ts';
import { decodeLogo } from '../../../practices/logo-image.ts';
import type { Practice } from '../../../practices/practice.entity.ts';
import { updatePractice } from '../../../practices/service.ts';
import { newFormId } from '../../model/sent-forms.ts';
import { type MemberVisit, practicePath, type Reply } from '../../routing/route.ts';
import { doneText, isConfirmed } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { changePractice, refusalText } from './acts.ts';
import { EMPTY_LOCATION, type LocationInput, listLocations, locationForm } from './location-form.ts';

/** A form that was refused: the sentence, and what the person typed. */
interface Refused {
  error: string;
  practice?: PracticeInput;
  color?: string;
  location?: LocationInput;
}

interface PracticeInput {
  name: string;
  phone: string;
  postalAddress: string;
}

/** Shows the settings, with the input of a refused form. */
export async function showSettings(visit: MemberVisit, refused?: Refused) {
  const { language, member } = visit;
  const scope = fresh(visit.scope);
  const practice = await getPractice(scope, member.practiceId);
  const { brandColor: color, logoHash, logoWidth, logoHeight } = practice;
  const view = {
    practice: refused?.practice ?? inputOf(practice),
    color: { input: refused?.color ?? color ?? '', current: color },
    logo: logoHash === null ? null : { path: logoPath(logoHash), width: logoWidth, height: logoHeight },
    readingKeysForAdministrators: practice.readingKeysForAdministrators,
    locations: await listLocations(scope, member.practiceId, language),
    form: locationForm(refused?.location ?? EMPTY_LOCATION, language),
    formId: newFormId(),
    error: refused?.error,
    done: refused === undefined ? doneText(visit, TEXTS[language].settings.done) : undefined,
  };
  const status = refused === undefined ? 200 : 422;
  return { kind: 'page' as const, status, template: 'settings/settings', title: TEXTS[language].settings.title, view };
}

/** Saves name, telephone and postal address. */
export async function savePractice(visit: MemberVisit): Promise<Reply> {
  const { fields } = visit;
  const [name, phone, postalAddress] = ['name', 'phone', 'postalAddress'].map((field) => fields.get(field) ?? '');
  const input = { name: name ?? '', phone: phone ?? '', postalAddress: postalAddress ?? '' };
  const changes = { ...input, phone: input.phone.trim() === '' ? null : input.phone.trim() };
  try {
    await changePractice(visit, 'settings.changed', (scope, id) => updatePractice(scope, id, changes));
  } catch (error) {
    return showSettings(visit, { error: refusalText(visit, error), practice: input });
  }
  return done(visit, 'practice');
}

/** Saves the colour, or the standard one for an empty field. */
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

/** Saves who makes live keys that read payment links. */
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

/** Removes the logo, if the person ticked the box. */
export async function removeLogo(visit: MemberVisit): Promise<Reply> {
  const { notConfirmed } = TEXTS[visit.language].settings.logo.remove;
  if (!isConfirmed(visit)) return showSettings(visit, { error: notConfirmed });
  await changePractice(visit, 'logo.changed', (scope, id) => setLogo(scope, id, null));
  return done(visit, 'logo_removed');
}

function done({ member }: MemberVisit, what: string): Reply {
  return { kind: 'redirect', to: practicePath(member, `/settings?done=${what}`) };
}

function inputOf({ name, phone, postalAddress }: Practice): PracticeInput {
  return { name, phone: phone ?? '', postalAddress: postalAddress ?? '' };
}
