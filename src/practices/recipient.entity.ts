import { defineEntity, p } from '@mikro-orm/postgresql';

/** Kinds of notifications. Each may have its own recipients. */
export const NOTIFICATION_KINDS = ['disputes', 'refunds', 'payments', 'webhooks'] as const;

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

/** A mail address that gets one kind of notifications instead of the administrator. */
export class NotificationRecipient extends NotificationRecipientSchema.class {}
NotificationRecipientSchema.setClass(NotificationRecipient);
