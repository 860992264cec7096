import { createHash } from 'node:crypto';
import { normalizeEmail } from '../platform/base/email.ts';
import { ApiError } from '../platform/base/errors.ts';
import type { Scope } from '../platform/base/scope.ts';
import { getPractice } from './find.ts';
import type { Mail, Mailer } from './mail/mailer.ts';
import {
  NOTIFICATION_KINDS,
  type NotificationKind,
  NotificationRecipient,
  OPTIONAL_KINDS,
} from './recipient.entity.ts';

const MAX_RECIPIENTS = 5;

/** Addresses by kind. An empty list stands for the administrator's address, or for nobody if the kind is optional. */
export type Recipients = Readonly<Record<NotificationKind, readonly string[]>>;

/** Returns the recipients of all kinds, each list sorted. */
export async function listRecipients({ em }: Scope, practiceId: string): Promise<Recipients> {
  const rows = await em.find(NotificationRecipient, { practiceId }, { orderBy: { email: 'asc' } });
  const lists = NOTIFICATION_KINDS.map((kind) => [kind, rows.flatMap((row) => (row.kind === kind ? [row.email] : []))]);
  // Every kind has an entry.
  return Object.fromEntries(lists) as Recipients;
}

/**
 * Replaces the recipients of all kinds, in the caller's transaction. Addresses are stored in lower case, once each.
 * @throws ApiError `validation_error` with the kind whose addresses are invalid or too many
 */
export async function setRecipients(scope: Scope, practiceId: string, recipients: Recipients): Promise<Recipients> {
  const rows = NOTIFICATION_KINDS.flatMap((kind) =>
    parseAddresses(kind, recipients[kind]).map((email) => ({ practiceId, kind, email })),
  );
  // The lock of the practice's row lets concurrent changes run one by one.
  await getPractice(scope, practiceId, 'lock');
  await scope.em.nativeDelete(NotificationRecipient, { practiceId });
  await scope.em.insertMany(NotificationRecipient, rows);
  return listRecipients(scope, practiceId);
}

/** Locations to which people of a practice are limited, by their mail addresses. All others see the whole practice. */
type ReadLimits = (scope: Scope, practiceId: string) => Promise<ReadonlyMap<string, readonly string[]>>;

/** The notification for a recipient who sees these locations (null: all); null if the recipient sees nothing of it. */
type MailFor = (locationIds: readonly string[] | null) => Omit<Mail, 'to'> | null;

/**
 * Sends a notification to all recipients of its kind, one mail each. If nobody of them may see it, it goes to the administrator, unless
 * its kind is optional. If a mail fails, the others are sent all the same.
 * @throws MailFailed of the first mail that failed; the next try has the same Message-IDs
 */
export type Notify = (scope: Scope, practiceId: string, kind: NotificationKind, mailFor: MailFor) => Promise<void>;

export function createNotify(mailer: Mailer, readLimits: ReadLimits): Notify {
  return async (scope, practiceId, kind, mailFor) => {
    const emails = (await listRecipients(scope, practiceId))[kind];
    const limits = await readLimits(scope, practiceId);
    const mails = emails.flatMap((to) => {
      const mail = mailFor(limits.get(to) ?? null);
      return mail === null ? [] : [{ ...mail, to, id: `${mail.id}.${digest(to)}` }];
    });
    const fallback = mails.length > 0 || OPTIONAL_KINDS.some((one) => one === kind) ? null : mailFor(null);
    if (fallback !== null) mails.push({ ...fallback, to: (await getPractice(scope, practiceId)).adminEmail });
    const failures: unknown[] = [];
    for (const one of mails) await mailer.send(one).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
}

function parseAddresses(kind: NotificationKind, texts: readonly string[]): string[] {
  const emails = texts.map(normalizeEmail).filter((email) => email !== null);
  const addresses = [...new Set(emails)];
  if (emails.length === texts.length && addresses.length <= MAX_RECIPIENTS) return addresses;
  const message = `Name at most ${MAX_RECIPIENTS} email addresses, each such as ada@example.com.`;
  throw new ApiError('validation_error', { message, param: kind });
}

function digest(email: string): string {
  return createHash('sha256').update(email).digest('hex').slice(0, 8);
}
