import { defineEntity, p } from '@mikro-orm/postgresql';

/** Kinds of notifications that a practice gets only if it names recipients of them. */
export const OPTIONAL_KINDS = ['each_payment', 'expired_links'] as const;

/** Kinds of notifications. Each may have its own recipients. */
export const NOTIFICATION_KINDS = ['disputes', 'refunds', 'payments', 'webhooks', ...OPTIONAL_KINDS] as const;

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

const NotificationRecipientSchema = defineEntity({
  name: 'NotificationRecipient',
  tableName: 'notification_recipients',
  properties: {
    practiceId: p.string().primary(),
    kind: p.string().primary().$type<NotificationKind>(),
    email: p.string().primary(),
  },
});

/** A mail address that gets one kind of notifications, instead of the administrator if the kind is not optional. */
export class NotificationRecipient extends NotificationRecipientSchema.class {}
NotificationRecipientSchema.setClass(NotificationRecipient);
