import { createHash } from 'node:crypto';
import { normalizeEmail } from '../base/email.ts';
import { ApiError } from '../base/errors.ts';
import type { Scope } from '../base/scope.ts';
import type { Mail, Mailer } from '../mail/mailer.ts';
import { getPractice } from './find.ts';
import { NOTIFICATION_KINDS, type NotificationKind, NotificationRecipient } from './recipient.entity.ts';

/** Most addresses of one kind. */
export const MAX_RECIPIENTS = 5;

/** Addresses by kind. An empty list stands for the administrator's address. */
export type Recipients = Readonly<Record<NotificationKind, readonly string[]>>;

/** Returns the recipients of all kinds, each list sorted. */
export async function listRecipients({ em }: Scope, practiceId: string): Promise<Recipients> {
  const rows = await em.find(NotificationRecipient, { practiceId }, { orderBy: { email: 'asc' } });
  const emailsOf = (kind: NotificationKind) => rows.filter((row) => row.kind === kind).map(({ email }) => email);
  return {
    disputes: emailsOf('disputes'),
    refunds: emailsOf('refunds'),
    payments: emailsOf('payments'),
    webhooks: emailsOf('webhooks'),
  };
}

/**
 * Replaces the recipients of all kinds, in the caller's transaction. Addresses are stored in lower case, once each.
 *
 * @throws ApiError `validation_error` with the kind whose addresses are invalid or too many
 */
export async function setRecipients(scope: Scope, practiceId: string, wanted: Recipients): Promise<Recipients> {
  const rows = NOTIFICATION_KINDS.flatMap((kind) => addressesOf(kind, wanted[kind]).map((email) => ({ kind, email })));
  // The lock of the practice's row lets concurrent changes run one by one.
  await getPractice(scope, practiceId, 'lock');
  await scope.em.nativeDelete(NotificationRecipient, { practiceId });
  await scope.em.insertMany(
    NotificationRecipient,
    rows.map((row) => ({ practiceId, ...row })),
  );
  return listRecipients(scope, practiceId);
}

/**
 * Sends a notification to all recipients of its kind, one mail each; to the administrator if there are none. If a mail
 * fails, the others are sent all the same.
 *
 * @throws MailFailed of the first mail that failed; the next try has the same Message-IDs
 */
export async function notify(
  scope: Scope,
  mailer: Mailer,
  practiceId: string,
  kind: NotificationKind,
  mail: Omit<Mail, 'to'>,
): Promise<void> {
  const { adminEmail } = await getPractice(scope, practiceId);
  const emails = (await listRecipients(scope, practiceId))[kind];
  const mails =
    emails.length === 0
      ? [{ ...mail, to: adminEmail }]
      : emails.map((to) => ({ ...mail, to, id: `${mail.id}.${digest(to)}` }));
  const failures: unknown[] = [];
  for (const one of mails) await mailer.send(one).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

function addressesOf(kind: NotificationKind, texts: readonly string[]): string[] {
  const emails = texts.map(normalizeEmail).filter((email) => email !== null);
  const unique = [...new Set(emails)];
  if (emails.length === texts.length && unique.length <= MAX_RECIPIENTS) return unique;
  const message = `Name at most ${MAX_RECIPIENTS} email addresses, each such as ada@example.com.`;
  throw new ApiError('validation_error', { message, param: kind });
}

/** Digits by which the mails of one notification differ. */
function digest(email: string): string {
  return createHash('sha256').update(email).digest('hex').slice(0, 8);
}
