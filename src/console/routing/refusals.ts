import { NOTIFICATION_KINDS, type NotificationKind } from '../../practices/recipient.entity.ts';

/** Sentences for fields of settings that a service refuses, by their names. */
export const FIELD_REFUSALS = {
  name: 'Enter a name of at most 200 characters, without invisible marks of direction.',
  phone: 'Enter a phone number such as (202) 555-0143, or leave it empty.',
  postalAddress: 'Enter up to five lines of 100 characters, without invisible marks of direction.',
  city: 'Enter a city, without invisible marks of direction.',
  state: 'Enter the letters of a US state, such as IL.',
  timeZone: 'Choose a time zone.',
  statementDescriptorSuffix:
    'Enter at most 10 characters with at least one letter. Accents and these characters do not work: < > \\ \' " *',
};

/** Sentences for error codes of the API. */
export const DEVELOPER_REFUSALS = {
  endpoint_disabled: 'The endpoint is disabled. Enable it first.',
  webhooks_unavailable: 'Secrets cannot be read or stored at the moment. Try again later, or ask the operator.',
  limit_reached: 'Ten endpoints is the limit. Delete one first.',
};

/** Kinds of notifications: their names, and what they are about. */
export const NOTIFICATION_TEXTS = {
  disputes: { name: 'Disputes', help: 'A patient contests a payment at the bank, or the bank has decided.' },
  refunds: { name: 'Refunds', help: 'A refund failed, or was paid twice.' },
  payments: {
    name: 'Problems with payments',
    help: 'A bank returned a debit. Or a payment came late or twice, does not match its link, or its outcome is unknown.',
  },
  webhooks: { name: 'Webhooks', help: 'An endpoint fails or was disabled.' },
  each_payment: { name: 'Each payment', help: 'A patient has paid. One email for each payment.' },
  expired_links: {
    name: 'Expired links',
    help: 'Links that expired without a payment. One email for each day, the morning after.',
  },
} satisfies Record<NotificationKind, { name: string; help: string }>;

/** Sentences for addresses of a kind that are refused. */
export const NOTIFICATION_REFUSALS: Readonly<Record<string, string>> = Object.fromEntries(
  NOTIFICATION_KINDS.map((kind) => [
    kind,
    `${NOTIFICATION_TEXTS[kind].name}: enter at most five email addresses, one per line, such as ada@example.com.`,
  ]),
);
