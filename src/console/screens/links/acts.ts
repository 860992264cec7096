import { formatAmount, formatDay } from '../../../pages/texts/formats.ts';
import { LANGUAGES } from '../../../pages/texts/language.ts';
import {
  CANCEL_REASONS,
  type CancelReason,
  cancelLinkAsStaff,
  changeLinkAsStaff,
} from '../../../payment-links/staff/acts.ts';
import { type StaffFormInput, staffLinkInput } from '../../../payment-links/staff/input.ts';
import type { StaffLink } from '../../../payment-links/staff/link.ts';
import { countPatientMails, queuePatientMail } from '../../../payment-links/staff/mail-queue.ts';
import type { LinkRefusal } from '../../model/refusals.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { isConfirmed, notFound } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import {
  dayOptions,
  faultSummary,
  fieldOf,
  inputOfLink,
  isRefused,
  NOT_REFUSED,
  type Refused,
  timeAfter,
  typed,
} from './fields.ts';
import { linkRefusalOf, linksPath, pageTexts, staffOf, textsOf } from './visit.ts';

/** Days for which a link can be extended, from today. */
const EXTENSION_DAYS = [7, 14, 30, 60, 90, 180];

/** Longest time from the creation of a link to its expiry. */
const MAX_EXPIRY_MS = 365 * 86_400_000;

/** Shows the form that changes a link. */
export async function showChange(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  return changePage(visit, found, inputOfLink(found), NOT_REFUSED);
}

/** Changes what the API lets change. The name of the patient stays. */
export async function change(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { link } = found;
  const kept = inputOfLink(found);
  const { amount, description, phone, email, externalReference } = typed(visit);
  const input = { ...kept, amount, description, phone, email, externalReference };
  const checked = staffLinkInput(input);
  if ('faults' in checked) return changePage(visit, found, input, checked);
  const { amountCents, description: text, externalReference: reference, patient } = checked.input;
  return done(
    visit,
    found,
    'changed',
    () =>
      changeLinkAsStaff(visit.scope, staffOf(visit), visit.processor, link.id, {
        ...{ amountCents, description: text, externalReference: reference },
        ...{ patientPhone: patient.phone, patientEmail: patient.email },
      }),
    (refused) => changePage(visit, found, input, refused),
  );
}

/** Shows the form that cancels a link. */
export async function showCancel(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  return cancelPage(visit, found, '');
}

/** Cancels a link after the person has chosen a reason and ticked the box. */
export async function cancel(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { scope, fields, processor } = visit;
  const reason: CancelReason | undefined = CANCEL_REASONS.find((name) => name === fields.get('reason'));
  const again = async (refusal: LinkRefusal) => cancelPage(visit, found, reason ?? '', refusal);
  if (reason === undefined) return again('no_reason');
  if (!isConfirmed(visit)) return again('not_confirmed');
  return done(
    visit,
    found,
    'cancelled',
    () => cancelLinkAsStaff(scope, staffOf(visit), processor, found.link.id, reason),
    ({ refusal = 'link_not_active' }) => again(refusal),
  );
}

/** Shows the form that extends the expiry. */
export async function showExtend(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  return extendPage(visit, found);
}

/** Extends the expiry to one of the days that the form offers. */
export async function extend(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { scope, fields, processor } = visit;
  const expiresAt = timeAfter(visit, fields.get('days'), EXTENSION_DAYS);
  if (expiresAt === null) return extendPage(visit, found, 'no_day');
  return done(
    visit,
    found,
    'extended',
    () => changeLinkAsStaff(scope, staffOf(visit), processor, found.link.id, { expiresAt }),
    ({ refusal = 'no_day' }) => extendPage(visit, found, refusal),
  );
}

/** Shows the form that mails a link. */
export async function showSend(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  return sendPage(visit, found, visit.mailsPatients ? undefined : 'no_sender');
}

/** Queues a mail to the patient. The form carries the number of mails so far, so that sending it twice sends one mail. */
export async function send(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { scope, fields, mailsPatients } = visit;
  if (!mailsPatients) return sendPage(visit, found, 'no_sender');
  const language = LANGUAGES.find((name) => name === fields.get('language')) ?? 'en';
  const { id } = found.link;
  const outcome = await queuePatientMail(scope, staffOf(visit), id, language, Number(fields.get('sent') ?? Number.NaN));
  switch (outcome) {
    case 'queued':
    case 'repeated':
      return { kind: 'redirect', to: `${linksPath(visit, id)}?done=sent` };
    case 'unknown':
      return notFound();
    case 'not_active':
      return sendPage(visit, found, 'link_not_active');
    case 'no_address':
    case 'link_limit':
    case 'practice_limit':
      return sendPage(visit, found, outcome);
    default:
      outcome satisfies never;
      throw new Error('a mail to a patient has an unknown outcome');
  }
}

/** Runs an act. Returns to the link, or shows the form again with the reason of the refusal. */
async function done(
  visit: MemberVisit,
  { link }: StaffLink,
  name: 'changed' | 'cancelled' | 'extended',
  act: () => Promise<unknown>,
  again: (refused: Refused) => Promise<Reply>,
): Promise<Reply> {
  try {
    await act();
  } catch (error) {
    const refused = linkRefusalOf(error);
    return again('refusal' in refused ? { faults: [], ...refused } : { faults: [{ ...refused, reason: 'invalid' }] });
  }
  return { kind: 'redirect', to: `${linksPath(visit, link.id)}?done=${name}` };
}

async function changePage(
  visit: MemberVisit,
  found: StaffLink,
  input: StaffFormInput,
  refused: Refused,
): Promise<Reply> {
  const { change: t } = textsOf(visit);
  const names = ['amount', 'description', 'email', 'phone', 'externalReference'] as const;
  const blocks = [
    faultSummary(visit, refused),
    headOf(visit, found),
    ui.lead(t.lead),
    found.status === 'under_way' ? ui.text(t.underWay, { class: 'alert' }) : null,
    ui.form({
      action: linksPath(visit, found.link.id, '/change'),
      blocks: names.map((name) => fieldOf(visit, input, refused, name)),
      button: t.button,
    }),
  ];
  return ui.page(t.title, blocks, { status: isRefused(refused) ? 422 : 200 });
}

function cancelPage(visit: MemberVisit, found: StaffLink, reason: string, refusal?: LinkRefusal): Reply {
  const { cancel: t } = textsOf(visit);
  const { text, ...act } = { ...t, title: undefined, label: t.confirm };
  const attributes = { required: true, ...describedBy(refusal) };
  return actPage(visit, found, t.title, refusal, [
    ui.lead(text),
    ui.act(linksPath(visit, found.link.id, '/cancel'), act, {
      blocks: [ui.select('reason', t.reason, reason, Object.entries(t.reasons), { all: '', attributes })],
    }),
  ]);
}

async function extendPage(visit: MemberVisit, found: StaffLink, refusal?: LinkRefusal): Promise<Reply> {
  const { link, location } = found;
  const { extend: t } = textsOf(visit);
  const now = visit.scope.clock.now().getTime();
  const latest = link.createdAt.getTime() + MAX_EXPIRY_MS;
  const days = EXTENSION_DAYS.filter((count) => {
    const at = now + count * 86_400_000;
    return at > link.expiresAt.getTime() && at <= latest;
  });
  const choices = dayOptions(visit, days, location.timeZone);
  const attributes = describedBy(refusal);
  return actPage(visit, found, t.title, refusal, [
    ui.lead(t.text(formatDay(pageTexts(visit), link.expiresAt, location.timeZone))),
    choices.length === 0
      ? ui.text(t.none, { class: 'alert' })
      : ui.form({
          action: linksPath(visit, link.id, '/extend'),
          blocks: [ui.select('days', t.label, '', choices, { attributes })],
          button: t.button,
        }),
  ]);
}

async function sendPage(visit: MemberVisit, found: StaffLink, refusal?: LinkRefusal): Promise<Reply> {
  const { link } = found;
  const { send: t } = textsOf(visit);
  const email = link.patientEmail;
  const languages = LANGUAGES.map((code): ui.Option => [code, TEXTS[code].language.name]);
  const sent = await countPatientMails(visit.scope, link.practiceId, link.id);
  return actPage(visit, found, t.title, refusal ?? (email === null ? 'no_address' : undefined), [
    visit.mailsPatients && email !== null
      ? ui.form({
          action: linksPath(visit, link.id, '/send'),
          blocks: [ui.text(ui.own(t.text(email))), ui.select('language', t.language, visit.language, languages)],
          hidden: { sent: `${sent}` },
          button: t.button,
        })
      : null,
    ui.text(t.noText, { class: 'hint' }),
  ]);
}

function actPage(
  visit: MemberVisit,
  found: StaffLink,
  title: string,
  refusal: LinkRefusal | undefined,
  blocks: readonly (ui.Block | null)[],
): Reply {
  const error = refusal === undefined ? undefined : textsOf(visit).refusals[refusal];
  const isPost = refusal !== undefined && visit.fields.size > 0;
  return ui.page(title, [headOf(visit, found), ...blocks], { status: isPost ? 422 : 200, error });
}

function describedBy(refusal: LinkRefusal | undefined) {
  return { 'aria-describedby': refusal === undefined ? undefined : 'form-error' };
}

/** The link in a line, so that nobody acts on another one by mistake. */
function headOf(visit: MemberVisit, { link }: StaffLink): ui.Block {
  const patient = ui.own(`${link.patientFirstName} ${link.patientLastName}`);
  const amount = ui.mark('strong', formatAmount(pageTexts(visit), link.amountCents));
  return ui.lead([ui.link(linksPath(visit, link.id), patient), ' · ', amount]);
}
