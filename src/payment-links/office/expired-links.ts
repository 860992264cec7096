import type { Scope } from '../../platform/base/scope.ts';
import { addDays, dayIn, startOfDay } from '../../platform/base/time/zoned-time.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { chooseTimeZone, listLocations } from '../../practices/find.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../practices/mail/mail-queue.ts';
import type { Notify } from '../../practices/notifications.ts';
import { formatDollars } from './admin-mail.ts';

/* The mail about the links of a practice that expired on a day: one a day, for practices that named recipients of it. */

export const EXPIRED_LINKS_TASK = 'send_expired_links_mail';

/** Payload of the job: a practice, and a day of its time zone. */
export interface ExpiredLinksMail {
  practiceId: string;
  day: string;
}

/** Hour of the day, in the practice's time zone, from which the mail about the day before is sent. */
const SENT_FROM_HOUR = 7;

const HOUR_MS = 60 * 60_000;

const LISTED = 100;

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

interface ExpiredLink {
  id: string;
  amountCents: number;
  locationId: string;
}

/** Sends the mail to each recipient, without links that a person replaced or settled; errors as for `Notify`. Without a link, none is sent. */
export async function sendExpiredLinksMail(
  scope: Scope,
  notify: Notify,
  { practiceId, day }: ExpiredLinksMail,
): Promise<void> {
  const locations = await listLocations(scope, practiceId);
  const timeZone = chooseTimeZone(locations);
  const links = await sql<ExpiredLink>(
    scope.em,
    `select id, amount_cents as "amountCents", location_id as "locationId" from payment_links l
     where practice_id = $1 and not test and closed_at >= $2 and closed_at < $3 and status = 'expired'
       and not exists (select from link_resolutions r where r.practice_id = $1 and r.payment_link_id = l.id)
     order by closed_at, id`,
    [practiceId, startOfDay(day, timeZone), startOfDay(addDays(day, 1), timeZone)],
  );
  const names = new Map(locations.map(({ id, name }) => [id, name]));
  const mailFor = (seen: readonly string[] | null) => {
    const shown = links.filter(({ locationId }) => seen === null || seen.includes(locationId));
    if (shown.length === 0) return null;
    const sum = formatDollars(shown.reduce((cents, { amountCents }) => cents + amountCents, 0));
    const page = `${scope.consoleUrl}/console/${practiceId}/live/links`;
    const rows = shown.slice(0, LISTED).map(({ id, amountCents, locationId }) => {
      return `${formatDollars(amountCents)}, ${names.get(locationId)}: ${page}/${id}`;
    });
    return {
      id: `${practiceId}.expired_links.${day}`,
      subject: `Payment links that expired on ${day}: ${shown.length}`,
      text: [
        `Payment links that expired on ${day} without a payment: ${shown.length}`,
        `Amount: ${sum}`,
        '',
        ...rows,
        ...(shown.length > LISTED ? [`The list ends here. The others: ${page}?status=expired`] : []),
        '',
        'What to do: call these patients, and send a new link in place of the expired one.',
        '',
      ].join('\n'),
    };
  };
  await notify(scope, practiceId, 'expired_links', mailFor);
}
