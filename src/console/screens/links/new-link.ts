import {
  expiryAfter,
  NOT_CHOSEN,
  readUsualEntries,
  type StaffFormInput,
  staffLinkInput,
} from '../../../payment-links/office/input.ts';
import { findStaffLink } from '../../../payment-links/office/link.ts';
import { queuePatientMail } from '../../../payment-links/office/mail-queue.ts';
import { createLinkAsStaff, readReplacement } from '../../../payment-links/office/staff-acts.ts';
import type { StaffField } from '../../../payment-links/state/fields.ts';
import { isId, newId } from '../../../platform/base/ids.ts';
import type { Location } from '../../../practices/location.entity.ts';
import * as ui from '../../../web/blocks.ts';
import { catchRefusals, explainFaults } from '../../routing/handlers.ts';
import { auditLinkView } from '../../routing/patient-views.ts';
import { findFault, type MemberVisit, type Reply, refuse, staffOf, viewerOf } from '../../routing/visit.ts';
import { readPracticeView } from '../formats.ts';
import {
  dayOptions,
  explainRefusal,
  languageField,
  linkField,
  makeInput,
  NO_ACTIVE_LOCATION,
  OPTIONAL_FIELDS,
  readLanguage,
  refuseLink,
  typedInput,
} from './fields.ts';

const USED_FORM =
  'This form has already created a link. To create another one, check the entries and send the form again.';

const RESOLVED =
  'Nothing was created: the earlier link was replaced or settled since you opened this form. Look at that link first.';

/** Days for which a new link may work. The API has the same default. */
const DAYS = [7, 14, 30, 60, 90];
const DEFAULT_DAYS = '30';

/** Fields behind a click, because few links need them. */
const FOLDED: readonly StaffField[] = [
  ...OPTIONAL_FIELDS.filter((name) => name !== 'phone' && name !== 'email'),
  'expiresAt',
];

/** The fields in the order of the form, in which faults are named. */
const FORM_ORDER: readonly StaffField[] = [
  ...(['firstName', 'lastName', 'phone', 'email', 'amount', 'description', 'locationId'] as const),
  ...FOLDED,
];

/** Shows the form; with `from`, the entries of another link that the person sees, and with `patient`, those about its patient. */
export async function showNewLink(visit: MemberVisit): Promise<Reply> {
  const { scope, query } = visit;
  const copiedId = query.get('from');
  const source = await findStaffLink(scope, viewerOf(visit), copiedId ?? query.get('patient') ?? '');
  if (source === null) return showForm(visit);
  await auditLinkView(visit, source.link.id);
  const input = makeInput(source);
  if (copiedId === undefined)
    return showForm(visit, undefined, { ...input, amount: '', description: '', externalReference: '' });
  const { resolution } = await readReplacement(scope, source.link);
  return showForm(visit, undefined, input, resolution === null ? source.link.id : null);
}

/**
 * Creates a link. The form carries the id of its link, so that a form that is sent twice makes one link. If the person goes
 * back and changes the entries, the old form is refused, because another link is expected.
 */
export const createLink = catchRefusals(
  async (visit: MemberVisit) => {
    const { scope, fields } = visit;
    const input = typedInput(visit);
    const { activeLocations, formats } = await readPracticeView(visit);
    const location = chosenLocation(activeLocations, input);
    const days = fields.get('days') ?? DEFAULT_DAYS;
    const expiresAt = expiryAfter(scope, days, DAYS, formats.timeZone, location?.timeZone);
    const choices = { locationId: location?.id ?? NOT_CHOSEN, expiresAt: expiresAt?.toISOString() ?? NOT_CHOSEN };
    const result = staffLinkInput({ ...input, ...choices }, FORM_ORDER);
    if ('faults' in result) return refuseLink(result.faults);
    const id = fields.get('link') ?? '';
    if (!isId('paymentLink', id)) return refuse(USED_FORM);
    const replaces = replacedId(visit);
    const outcome = await createLinkAsStaff(scope, staffOf(visit), id, result.input, replaces);
    if (outcome === 'exists') return refuse(USED_FORM);
    if (outcome === 'resolved') return refuse(RESOLVED);
    return { kind: 'redirect', to: visit.modePath(`/links/${id}?done=${await sendNew(visit, id)}`) };
  },
  showForm,
  explainRefusal,
);

/** Mails a new link to its patient, unless the person only creates it. A form that is sent twice sends one mail. Returns what was done. */
async function sendNew(
  visit: MemberVisit,
  id: string,
): Promise<'created' | 'created_sent' | 'created_unsent' | 'created_unaddressed'> {
  const { scope, fields, mailsPatients } = visit;
  if (!mailsPatients || fields.get('send') !== 'yes') return 'created';
  const outcome = await queuePatientMail(scope, staffOf(visit), id, readLanguage(fields.get('language')), 0);
  if (outcome === 'queued' || outcome === 'repeated') return 'created_sent';
  if (outcome === 'no_address') return 'created_unaddressed';
  return outcome === 'practice_limit' ? 'created_unsent' : 'created';
}

function replacedId({ fields }: MemberVisit): string | null {
  const id = fields.get('replaces') ?? '';
  return isId('paymentLink', id) ? id : null;
}

/** Returns the location of the form, or the only one that the person sees; null if the person has to choose. */
function chosenLocation(locations: readonly Location[], { locationId }: StaffFormInput): Location | null {
  const [first, ...others] = locations;
  if (locationId === '') return others.length === 0 ? (first ?? null) : null;
  return locations.find(({ id }) => id === locationId) ?? null;
}

/** Shows the form, with what was typed or with other entries. A form that has created a link gets the id of another one. */
async function showForm(
  visit: MemberVisit,
  error?: string,
  input = typedInput(visit),
  replaces = replacedId(visit),
): Promise<Reply> {
  const { scope, fields, mailsPatients: sends } = visit;
  const { activeLocationOptions: locations, formats } = await readPracticeView(visit);
  if (locations.length === 0) return ui.page('New link', {}, ui.text(NO_ACTIVE_LOCATION, { class: 'alert stop' }));
  const usual = await readUsualEntries(scope, staffOf(visit));
  const usualLocation = locations.find(([id]) => id === usual.locationId)?.[0] ?? '';
  const entries = { ...input, locationId: input.locationId || usualLocation };
  const field = (name: StaffField, rest?: ui.Field) => linkField(visit, entries, name, rest);
  // The focus is where the person goes on: at the search, behind a known patient, or at the alert.
  const isNew = input.lastName === '' && error === undefined;
  const oneLine = { rows: undefined, type: 'text', list: 'usual' };
  const purpose = { isHintAbove: false, ...(input.description.includes('\n') ? {} : oneLine) };
  const expiry = {
    options: dayOptions(visit, DAYS, formats.timeZone),
    id: 'expiresAt',
    fault: findFault(visit, 'expiresAt'),
  };
  const form = {
    button: sends ? 'Create and send' : 'Create the link',
    name: 'send',
    beside: sends && ui.element('button', { class: 'quiet' }, 'Create without sending'),
    // The server names all faults at once; a browser names the first.
    attributes: { novalidate: true },
    hidden: hiddenIds(visit, replaces, error === USED_FORM),
  };
  return ui.page('New link', explainFaults(visit, error), [
    replaces === null && patientSearch(visit, isNew),
    ui.form(visit.modePath('/links/new'), form, [
      ui.group('pair', field('firstName'), field('lastName')),
      ui.group('pair', field('phone'), field('email')),
      ui.group('pair', field('amount', { autofocus: !isNew && error === undefined }), field('description', purpose)),
      ui.element('datalist', { id: 'usual' }, ...usual.descriptions.map((value) => ui.element('option', { value }))),
      ui.group(
        'pair',
        locations.length > 1 && field('locationId', { options: [['', ''], ...locations] }),
        sends && languageField(visit),
      ),
      ui.details('More, if you need it', { open: FOLDED.some((name) => findFault(visit, name) !== undefined) }, [
        FOLDED.filter((name) => name !== 'expiresAt').map((name) => field(name)),
        ui.field('days', 'The link works for', fields.get('days') ?? DEFAULT_DAYS, expiry),
      ]),
    ]),
  ]);
}

function hiddenIds({ scope, fields }: MemberVisit, replaces: string | null, isUsed: boolean): Record<string, string> {
  const sentId = fields.get('link') ?? '';
  const link = !isUsed && isId('paymentLink', sentId) ? sentId : newId('paymentLink', scope.clock.now());
  return { link, ...(replaces !== null && !isUsed && { replaces }) };
}

function patientSearch(visit: MemberVisit, autofocus: boolean): ui.Block {
  const words = { method: 'get', button: 'Find', look: 'quiet', hidden: { to: 'new' }, className: 'find' } as const;
  const look = { id: 'patient', type: 'search', maxlength: 100, autofocus, ...ui.CODE };
  const field = ui.field('q', 'Patient who had a link: name, phone or chart number', '', look);
  return ui.form(visit.modePath('/search'), { ...words, attributes: { 'data-suggest': true } }, field);
}
