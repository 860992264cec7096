import { formatAmount, formatDay } from '../../../pages/texts/formats.ts';
import { LANGUAGES } from '../../../pages/texts/language.ts';
import {
  CANCEL_REASONS,
  type CancelReason,
  cancelLinkAsStaff,
  changeLinkAsStaff,
} from '../../../payment-links/staff/acts.ts';
import { staffLinkInput } from '../../../payment-links/staff/input.ts';
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
  refusedBy,
  timeAfter,
  typed,
} from './fields.ts';
import { linksPath, pageTexts, staffOf, textsOf } from './visit.ts';

/** Days for which a link can be extended, from today. */
const EXTENSION_DAYS = [7, 14, 30, 60, 90, 180];

/** Longest time from the creation of a link to its expiry. */
const MAX_EXPIRY_MS = 365 * 86_400_000;

/** Changes what the API lets change. The name of the patient stays. */
export async function change(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { amount, description, phone, email, externalReference } = typed(visit);
  const input = { ...inputOfLink(found), amount, description, phone, email, externalReference };
  const checked = staffLinkInput(input);
  if ('faults' in checked) return showChange(visit, found, input, checked);
  const { patient } = checked.input;
  const changes = {
    amountCents: checked.input.amountCents,
    description: checked.input.description,
    externalReference: checked.input.externalReference,
    patientPhone: patient.phone,
    patientEmail: patient.email,
  };
  return done(
    visit,
    found,
    'changed',
    () => changeLinkAsStaff(visit.scope, staffOf(visit), visit.processor, found.link.id, changes),
    (refused) => showChange(visit, found, input, refused),
  );
}

export async function cancel(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { scope, fields, processor } = visit;
  const reason: CancelReason | undefined = CANCEL_REASONS.find((name) => name === fields.get('reason'));
  const again = (refusal: LinkRefusal) => showCancel(visit, found, reason, refusal);
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

export async function extend(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { scope, fields, processor } = visit;
  const expiresAt = timeAfter(visit, fields.get('days'), EXTENSION_DAYS);
  if (expiresAt === null) return showExtend(visit, found, 'no_day');
  return done(
    visit,
    found,
    'extended',
    () => changeLinkAsStaff(scope, staffOf(visit), processor, found.link.id, { expiresAt }),
    ({ refusal = 'no_day' }) => showExtend(visit, found, refusal),
  );
}

/** Queues a mail to the patient. The form carries the number of mails so far, so that sending it twice sends one mail. */
export async function send(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { scope, fields, mailsPatients } = visit;
  if (!mailsPatients) return showSend(visit, found);
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
      return showSend(visit, found, 'link_not_active');
    case 'no_address':
    case 'link_limit':
    case 'practice_limit':
      return showSend(visit, found, outcome);
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
    return again(refusedBy(error));
  }
  return { kind: 'redirect', to: `${linksPath(visit, link.id)}?done=${name}` };
}

export async function showChange(
  visit: MemberVisit,
  found: StaffLink,
  input = inputOfLink(found),
  refused = NOT_REFUSED,
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

export async function showCancel(
  visit: MemberVisit,
  found: StaffLink,
  reason = '',
  refusal?: LinkRefusal,
): Promise<Reply> {
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

export async function showExtend(visit: MemberVisit, found: StaffLink, refusal?: LinkRefusal): Promise<Reply> {
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

export async function showSend(visit: MemberVisit, found: StaffLink, refused?: LinkRefusal): Promise<Reply> {
  const { link } = found;
  const { send: t } = textsOf(visit);
  const email = link.patientEmail;
  const languages = LANGUAGES.map((code): ui.Option => [code, TEXTS[code].language.name]);
  const sent = await countPatientMails(visit.scope, link.practiceId, link.id);
  const refusal = visit.mailsPatients ? (refused ?? (email === null ? 'no_address' : undefined)) : 'no_sender';
  return actPage(visit, found, t.title, refusal, [
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
