import type { Scope } from '../../platform/base/scope.ts';
import { addDays, dayIn, momentIn, startOfDay } from '../../platform/base/time/zoned-time.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { chooseTimeZone, listLocations } from '../../practices/find.ts';
import { Location } from '../../practices/location.entity.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../practices/mail/mail-queue.ts';
import type { Notify } from '../../practices/notifications.ts';
import type { NotificationKind } from '../../practices/recipient.entity.ts';
import { sumCents } from '../decide/refundable.ts';
import { Dispute, Refund } from '../model/after-payment.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import type { PaymentMail, PaymentMailKind } from '../state/state.ts';

/* Mails to administrators lie on servers of others. They contain no patient's data, no description, and no text that staff typed. */

/** Sends an admin mail to those who get notifications of its kind in the link's practice, and see its location; errors as for `Notify`. */
export async function sendPaymentMail(scope: Scope, notify: Notify, mail: PaymentMail): Promise<void> {
  const { kind, paymentLinkId, subjectId } = mail;
  const link = await scope.em.findOne(PaymentLink, { id: paymentLinkId });
  if (link === null) return;
  const { practiceId, locationId } = link;
  const { to, subject, what, todo, page } = MAILS[kind];
  const facts = [
    ['Payment link', paymentLinkId],
    ['Amount', formatDollars(mail.amountCents)],
    ...(await readFacts(scope, mail, link)),
    ['In the console', `${scope.consoleUrl}/console/${practiceId}/live/${page ?? 'payments'}/${paymentLinkId}`],
  ].map(([label, value]) => `${label}: ${value}`);
  const texts = {
    id: `${paymentLinkId}.${kind}.${subjectId}`,
    subject: `Payment link ${paymentLinkId}: ${subject}`,
    text: [...facts, '', what, ...(todo === undefined ? [] : ['', `What to do: ${todo}`]), ''].join('\n'),
  };
  const mailFor = (ids: readonly string[] | null) => (ids === null || ids.includes(locationId) ? texts : null);
  await notify(scope, practiceId, to, mailFor);
}

/** Returns the facts beyond the amount: what the bank says of a dispute, at the times of the link's location, and the processor's reference. */
async function readFacts({ em }: Scope, { kind, subjectId: id }: PaymentMail, link: PaymentLink): Promise<Fact[]> {
  if (kind === 'payment_received' || kind === 'debit_returned') return [];
  const dispute = await em.findOne(Dispute, { id });
  const record = dispute ?? (await em.findOne(Refund, { id })) ?? (await em.findOne(PaymentAttempt, { id }));
  const reference = record === null ? id : record.processorReference;
  const facts: Fact[] = reference === null ? [] : [['Reference at the payment processor', reference]];
  if (dispute === null) return facts;
  const { reason, status, evidenceDueBy } = dispute;
  const { timeZone } = await em.findOneOrFail(Location, { id: link.locationId, practiceId: link.practiceId });
  const due = evidenceDueBy === null ? 'not reported' : momentIn('en-US', evidenceDueBy, timeZone);
  return [
    ['Reason given by the bank', reason.replaceAll('_', ' ')],
    kind === 'dispute_opened' ? ['Evidence due by', due] : ['Outcome', status],
    ...facts,
  ];
}

type Fact = [label: string, value: string];

function formatDollars(cents: number): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100);
}

interface Words {
  to: NotificationKind;
  /** End of the subject. */
  subject: string;
  what: string;
  /** The next step, if there is one. */
  todo?: string;
  /** Page of the console. Without it, the page of the payment; links without a payment have none. */
  page?: 'links';
}

const MAILS: Readonly<Record<PaymentMailKind, Words>> = {
  payment_received: {
    to: 'each_payment',
    subject: 'paid',
    what: 'The payment has succeeded.',
  },
  debit_returned: {
    to: 'payments',
    subject: 'a bank debit was returned',
    what: 'The bank of the payer returned this debit. The money is not coming, and the patient owes the amount again.',
    todo: 'open the page of the console, call the patient, and send a new link in place of this one.',
  },
  dispute_opened: {
    to: 'disputes',
    subject: 'a dispute was opened',
    what: 'The bank of the payer disputes this payment. The processor withholds the amount until the bank has decided.',
    todo:
      'send evidence, or accept the dispute, in your account at the payment processor before the date above. Without ' +
      'an answer the dispute is lost. Do not refund the payment as well: the money could be given back twice.',
  },
  dispute_closed: {
    to: 'disputes',
    subject: 'a dispute was closed',
    what: 'The bank has decided. Won: the amount is yours again. Lost: it went back to the payer.',
    todo: 'nothing, if it was won. If it was lost, decide whether the balance is still owed.',
  },
  refund_failed: {
    to: 'refunds',
    subject: 'a refund failed',
    what: 'The money of this refund did not arrive. It is back in your account at the payment processor.',
    todo:
      'see in that account why it failed (often the card or bank account was closed), then refund once more, or give ' +
      'the money back another way.',
  },
  paid_late: {
    to: 'payments',
    subject: 'paid after it was closed',
    what: 'A payment came in after the link, or this attempt to pay it, had been closed. The link now counts as paid.',
    todo: 'if the balance was settled another way, refund this payment.',
  },
  paid_twice: {
    to: 'payments',
    subject: 'paid twice',
    what: 'A second payment came in for a link that was already paid. The second payment is not shown with the link.',
    todo: 'find the second payment by the reference above in your account at the payment processor, and refund it there.',
  },
  payment_refused: {
    to: 'payments',
    page: 'links',
    subject: 'a payment does not match the link',
    what: 'The amount or the currency of a payment does not match the link. The payment is not shown with the link.',
    todo: 'find it by the reference above in your account at the payment processor, and refund it there.',
  },
  payment_abandoned: {
    to: 'payments',
    page: 'links',
    subject: 'the outcome of a payment is unknown',
    what:
      'Your account at the payment processor was disconnected from this service while a payment was in progress. This ' +
      'service does not know whether money was taken. The link can be canceled and can expire, but it cannot be paid.',
    todo:
      'check in that account whether the payment succeeded, and refund it there if it should not stand. When the ' +
      'account is connected again, the link shows the outcome of the payment within an hour.',
  },
  contradiction: {
    to: 'payments',
    subject: 'the payment processor contradicts itself',
    what: 'The payment processor now reports another outcome of this payment than before. The link is unchanged.',
    todo:
      'compare the payment in your account at the payment processor with the link. Report to the operator of this ' +
      'service which of them is right.',
  },
  refunded_too_much: {
    to: 'refunds',
    subject: 'more was refunded than was paid',
    what: 'A refund at the payment processor is higher than the rest of the payment. It is not shown with the link.',
    todo: 'compare the refunds of this payment in your account at the payment processor with those of the link.',
  },
  returned_after_refund: {
    to: 'refunds',
    subject: 'a bank took refunded money back',
    what: 'A bank took back a debit that had been refunded already, so the money was given back twice.',
    todo: 'contest the return in your account at the payment processor, or ask the payer to send the money again.',
  },
};

export const EXPIRED_LINKS_TASK = 'send_expired_links_mail';

/** Payload of the job that mails the links of a practice that expired on a day of its time zone. */
interface ExpiredLinksMail {
  practiceId: string;
  day: string;
}

/** Hour of the day, in the practice's time zone, from which the mail about the day before is sent. */
const SENT_FROM_HOUR = 7;

const HOUR_MS = 60 * 60_000;

const MAX_LISTED_LINKS = 100;

/** Queues the mails about the day before that are due, once a practice and day, whether links expired or not. */
export async function queueExpiredLinksMails(scope: Scope): Promise<void> {
  const practices = await sql<{ id: string }>(
    scope.em,
    `select id from practices where id in (select practice_id from notification_recipients where kind = 'expired_links')`,
  );
  for (const { id } of practices) {
    const sentFor = new Date(scope.clock.now().getTime() - SENT_FROM_HOUR * HOUR_MS);
    const day = addDays(dayIn(sentFor, chooseTimeZone(await listLocations(scope, id))), -1);
    await sql(
      scope.em,
      `with due as (
         update practices set expired_links_mailed_on = $2
         where id = $1 and (expired_links_mailed_on is null or expired_links_mailed_on < $2) returning id
       )
       select graphile_worker.add_job('${EXPIRED_LINKS_TASK}', json_build_object('practiceId', id, 'day', $2::text),
         ${MAIL_JOB}, max_attempts := $3::integer) from due`,
      [id, day, MAIL_TRIES],
    );
  }
}

/** Sends the mail to each recipient, without links that a person replaced or settled; errors as for `Notify`. Without a link, none is sent. */
export async function sendExpiredLinksMail(
  scope: Scope,
  notify: Notify,
  { practiceId, day }: ExpiredLinksMail,
): Promise<void> {
  const locations = await listLocations(scope, practiceId);
  const timeZone = chooseTimeZone(locations);
  const links = await sql<Pick<PaymentLink, 'id' | 'amountCents' | 'locationId'>>(
    scope.em,
    `select id, amount_cents as "amountCents", location_id as "locationId" from payment_links l
     where practice_id = $1 and not test and closed_at >= $2 and closed_at < $3 and status = 'expired'
       and not exists (select from link_resolutions r where r.practice_id = $1 and r.payment_link_id = l.id)
     order by closed_at, id`,
    [practiceId, startOfDay(day, timeZone), startOfDay(addDays(day, 1), timeZone)],
  );
  const names = new Map(locations.map(({ id, name }) => [id, name]));
  const mailFor = (locationIds: readonly string[] | null) => {
    const seenLinks = links.filter(({ locationId }) => locationIds === null || locationIds.includes(locationId));
    if (seenLinks.length === 0) return null;
    const page = `${scope.consoleUrl}/console/${practiceId}/live/links`;
    const rows = seenLinks.slice(0, MAX_LISTED_LINKS).map(({ id, amountCents, locationId }) => {
      return `${formatDollars(amountCents)}, ${names.get(locationId)}: ${page}/${id}`;
    });
    return {
      id: `${practiceId}.expired_links.${day}`,
      subject: `Payment links that expired on ${day}: ${seenLinks.length}`,
      text: [
        `Payment links that expired on ${day} without a payment: ${seenLinks.length}`,
        `Amount: ${formatDollars(sumCents(seenLinks))}`,
        '',
        ...rows,
        ...(seenLinks.length > MAX_LISTED_LINKS ? [`The list ends here. The others: ${page}?status=expired`] : []),
        '',
        'What to do: call these patients, and send a new link in place of the expired one.',
        '',
      ].join('\n'),
    };
  };
  await notify(scope, practiceId, 'expired_links', mailFor);
}
