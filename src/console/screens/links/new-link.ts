import type { LinkInput } from '../../../payment-links/api/input.ts';
import { createLinkAsStaff } from '../../../payment-links/office/create-and-change.ts';
import { type StaffFormInput, staffLinkInput } from '../../../payment-links/office/input.ts';
import { findStaffLink } from '../../../payment-links/office/link.ts';
import { changedFields } from '../../../payment-links/state/changed-fields.ts';
import type { StaffField } from '../../../payment-links/state/fields.ts';
import { isId, newId } from '../../../platform/base/ids.ts';
import { Refused } from '../../model/refusals.ts';
import * as ui from '../../render/blocks.ts';
import { catchRefusals } from '../../routing/handlers.ts';
import { auditLinkView } from '../../routing/patient-views.ts';
import { type MemberVisit, type Reply, staffOf, viewerOf } from '../../routing/visit.ts';
import { type Places, readPlaces } from '../places.ts';
import {
  dayOptions,
  expiryAfter,
  faultLinks,
  fieldOf,
  inputOfLink,
  OPTIONAL_FIELDS,
  refuse,
  typedInput,
} from './fields.ts';

const USED_FORM =
  'This form has already created a link. To create another one, check the entries and send the form again.';

/** Days for which a new link may work. The default is that of the API. */
const DAYS = [7, 14, 30, 60, 90];
const DEFAULT_DAYS = '30';

/** Shows the form; with `from`, the entries of another link that the person sees. */
export async function showNewLink(visit: MemberVisit): Promise<Reply> {
  const from = await findStaffLink(visit.scope, viewerOf(visit), visit.query.get('from') ?? '');
  if (from === null) return formPage(visit);
  await auditLinkView(visit, from.link.id);
  return formPage(visit, undefined, inputOfLink(from), from.link.id);
}

/**
 * Creates a link. The form carries the id of its link, so that a form that is sent twice makes one link. If the person goes
 * back and changes the entries, the old form is refused, because another link is expected.
 */
export const createLink = catchRefusals(async (visit: MemberVisit) => {
  const { scope, fields } = visit;
  const input = typedInput(visit);
  const { active, formats } = await readPlaces(visit);
  const location = chosenLocation(active, input);
  const days = fields.get('days') ?? DEFAULT_DAYS;
  const expiresAt = expiryAfter(visit, days, DAYS, formats.timeZone, location?.timeZone);
  const checked = staffLinkInput({
    ...input,
    locationId: location?.id ?? '',
    expiresAt: expiresAt?.toISOString() ?? '',
  });
  const missing = [
    ...(location === null ? (['locationId'] as const) : []),
    ...(expiresAt === null ? (['expiresAt'] as const) : []),
  ].map((field) => ({ field, reason: 'invalid' as const }));
  if ('faults' in checked) throw new Refused('', [...checked.faults, ...missing]);
  if (missing.length > 0) throw new Refused('', missing);
  const id = fields.get('link') ?? '';
  const usedForm = new Refused(USED_FORM);
  if (!isId('paymentLink', id)) throw usedForm;
  const replaces = replacedId(visit);
  const outcome = await createLinkAsStaff(scope, staffOf(visit), id, checked.input, replaces).catch((error) =>
    refuse(error),
  );
  if (outcome !== 'created' && !(await isSame(visit, id, checked.input))) throw usedForm;
  return { kind: 'redirect', to: visit.modePath(`/links/${id}?done=created`) };
}, formPage);

/** Returns the link with whose entries the form began; null without one. */
function replacedId({ fields }: MemberVisit): string | null {
  const id = fields.get('replaces') ?? '';
  return isId('paymentLink', id) ? id : null;
}

/** Returns true if the form's link exists with the same entries: the form was sent twice. */
async function isSame(visit: MemberVisit, id: string, input: LinkInput): Promise<boolean> {
  const found = await findStaffLink(visit.scope, viewerOf(visit), id);
  if (found === null) return false;
  // The time of the expiry differs each time.
  const { expiresAt: _, ...sent } = input;
  return Object.keys(changedFields<typeof sent>(found.link, sent)).length === 0;
}

/** Returns the location of the form, or the only one that the person sees; null if the person has to choose. */
function chosenLocation(active: Places['active'], { locationId }: StaffFormInput): Places['active'][number] | null {
  const [first, ...others] = active;
  if (locationId === '') return others.length === 0 ? (first ?? null) : null;
  return active.find(({ id }) => id === locationId) ?? null;
}

/** Shows the form, with what was typed or with other entries. A form that has created a link gets the id of another one. */
async function formPage(
  visit: MemberVisit,
  error?: string,
  input = typedInput(visit),
  replaces = replacedId(visit),
): Promise<Reply> {
  const { scope, fields, faults } = visit;
  const { activeOptions, formats } = await readPlaces(visit);
  const sent = fields.get('link') ?? '';
  const keepsId = error !== USED_FORM && isId('paymentLink', sent);
  const field = (name: StaffField, options?: ui.Option[]) => fieldOf(visit, input, name, options);
  const isOpen = OPTIONAL_FIELDS.some((name) => input[name] !== '' || faults.some(({ field }) => field === name));
  const days = dayOptions(visit, DAYS, formats.timeZone);
  const hidden: Record<string, string> = { link: keepsId ? sent : newId('paymentLink', scope.clock.now()) };
  if (replaces !== null) hidden.replaces = replaces;
  return ui.page('New link', { error, faults: faultLinks(visit) }, [
    ui.lead('The patient sees the practice, the amount and what it is for.'),
    activeOptions.length === 0
      ? ui.text('There is no location in use that you see. Ask an administrator.', { class: 'alert stop' })
      : ui.form(visit.modePath('/links/new'), { button: 'Create the link', hidden }, [
          ui.mark('div', [field('firstName'), field('lastName')], 'pair'),
          field('amount'),
          field('description'),
          activeOptions.length > 1 && field('locationId', [['', ''], ...activeOptions]),
          ui.field('days', 'The link works for', fields.get('days') ?? DEFAULT_DAYS, {
            options: days,
            id: 'expiresAt',
          }),
          ui.details('More, if you need it', { open: isOpen }, [OPTIONAL_FIELDS.map((name) => field(name))]),
        ]),
  ]);
}
