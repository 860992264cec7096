import type { EventType } from '../../contract/operations-type.ts';
import type { MovementKind } from '../../payment-links/billing/movements.ts';
import type { PaymentState } from '../../payment-links/billing/payments.ts';
import type { RefundSettledReason } from '../../payment-links/model/after-payment.entity.ts';
import type { SettledReason } from '../../payment-links/model/payment-link.entity.ts';
import type { StaffStatus } from '../../payment-links/model/staff-status.ts';
import type { RefundStatus } from '../../payment-links/model/transitions.ts';
import type { CancelReason } from '../../payment-links/office/staff-acts.ts';
import type { StaffField } from '../../payment-links/state/fields.ts';
import type { DeliveryStatus } from '../../webhooks/model/transitions.ts';
import type { Role } from '../model/roles.ts';

/* Words that several screens share. All others stand in the screen that shows them. */

export const ROLE_TEXTS = {
  owner: { name: 'Owner', help: 'Everything, and appoints other owners.' },
  administrator: { name: 'Administrator', help: 'Everything, but cannot change owners.' },
  billing: { name: 'Billing', help: 'Creates, cancels, refunds, and exports.' },
  front_desk: { name: 'Front desk', help: 'Creates and cancels links, and sees their status.' },
  developer: {
    name: 'Developer',
    help: 'Keys and webhooks. The pages show no patients, but live keys and endpoints read the names of all of them.',
  },
  viewer: { name: 'Viewer', help: 'Sees links and payments, and changes nothing.' },
} satisfies Record<Role, { name: string; help: string }>;

export const LINK_STATUSES = {
  waiting: 'Waiting',
  under_way: 'Under way',
  paid: 'Paid',
  refunded: 'Refunded',
  returned: 'Returned',
  expired: 'Expired',
  cancelled: 'Canceled',
} satisfies Record<StaffStatus | 'refunded', string>;

export const LINK_FIELD_LABELS = {
  firstName: 'First name',
  lastName: 'Last name',
  amount: 'Amount in dollars',
  description: 'What it is for',
  locationId: 'Location',
  email: 'Email address',
  phone: 'Phone',
  externalId: 'Chart number',
  externalReference: 'Reference',
  expiresAt: 'Expiry',
} satisfies Record<StaffField, string>;

export const SETTLED_TEXTS: Readonly<Record<SettledReason, string>> = {
  paid_at_desk: 'Paid at the desk',
  written_off: 'Written off',
  wrong: 'The link was wrong',
};

export const CANCEL_REASON_TEXTS: Readonly<Record<CancelReason, string>> = {
  ...SETTLED_TEXTS,
  other: 'Another reason',
};

export const REFUND_SETTLED_TEXTS: Readonly<Record<RefundSettledReason, string>> = {
  paid_another_way: 'The patient got the money another way',
  not_due: 'No refund is due',
};

export const PAYMENT_STATES = {
  paid: 'Paid',
  processing: 'Processing',
  partly_refunded: 'Partly refunded',
  refunded: 'Refunded',
  disputed: 'Disputed',
  dispute_lost: 'Dispute lost',
  returned: 'Returned',
} satisfies Record<PaymentState, string>;

export const MOVEMENTS: Record<MovementKind, string> = {
  payment: 'Payment',
  fee: 'Fee',
  refund: 'Refund',
  bank_reversal: 'Debit taken back',
  lost_dispute: 'Dispute lost',
};

export const PAYMENT_METHODS = { card: 'Card', us_bank_account: 'Bank debit' };

export const REFUND_STATUSES = {
  pending: 'On its way',
  succeeded: 'Refunded',
  failed: 'Failed',
} satisfies Record<RefundStatus, string>;

export const DELIVERY_STATUSES = {
  pending: 'Pending',
  retrying: 'Retrying',
  delivered: 'Delivered',
  exhausted: 'Failed',
  skipped: 'Skipped',
} satisfies Record<DeliveryStatus, string>;

export const EVENT_NAMES = {
  'payment_link.processing': 'Bank debit submitted',
  'payment_link.paid': 'Paid',
  'payment_link.failed': 'Bank debit failed',
  'payment_link.refunded': 'Refunded',
  'payment_link.disputed': 'Disputed',
  'payment_link.dispute_closed': 'Dispute closed',
  'payment_link.expired': 'Expired',
  'payment_link.cancelled': 'Canceled',
  ping: 'Test ping',
} satisfies Record<EventType, string>;

export const KEY_STATES = { active: 'Active', expired: 'Expired', revoked: 'Revoked' };

/** Names of acts in the audit log, which timelines show, too. */
export const ACTS = {
  'link.created': 'Created a payment link',
  'link.changed': 'Changed a payment link',
  'link.extended': 'Extended a payment link',
  'link.cancelled': 'Canceled a payment link',
  'link.replaced': 'Created another link in its place',
  'link.settled': 'Settled a payment link elsewhere',
  'link.unsettled': 'Let a payment link be owed again',
  'link.sent': 'Emailed a payment link',
  'receipt.sent': 'Emailed a receipt',
  'link.simulated': 'Simulated an event of a test link',
  'link.viewed': 'Viewed a payment link',
  'links.listed': 'Viewed a list of payment links',
  'search.listed': 'Searched for patients or payments',
  'payments.listed': 'Viewed a list of payments',
  'payment.viewed': 'Viewed a payment',
  'payment.refunded': 'Refunded a payment',
  'refund.settled': 'Settled a refund that failed',
  'dispute.answered': 'Sent the answer to a dispute',
  'dispute.unanswered': 'Had not sent the answer to a dispute',
  'payments.exported': 'Exported payments',
  'owed.exported': 'Exported owed amounts',
  'member.invited': 'Invited a person',
  'member.joined': 'Accepted an invitation',
  'member.changed': 'Changed a role',
  'member.locked': 'Locked a person out',
  'member.unlocked': 'Unlocked a person',
  'member.removed': 'Removed a person',
  'invitation.withdrawn': 'Withdrew an invitation',
  'practice.created': 'Created the practice',
  'practice.changed': 'Changed the practice',
  'location.created': 'Added a location',
  'location.changed': 'Changed a location',
  'location.deactivated': 'Took a location out of use',
  'settings.changed': 'Changed the settings',
  'patient.erased': 'Erased the data of a patient',
  'data.repaired': 'Repaired stored data',
  'logo.changed': 'Changed the logo',
  'notifications.changed': 'Changed who gets notifications',
  'onboarding.opened': 'Opened the onboarding at the processor',
  'key.created': 'Created an API key',
  'key.renamed': 'Named an API key',
  'key.viewed': 'Saw a test key',
  'key.revoked': 'Revoked an API key',
  'endpoint.created': 'Added a webhook endpoint',
  'endpoint.changed': 'Changed a webhook endpoint',
  'endpoint.enabled': 'Enabled a webhook endpoint',
  'endpoint.disabled': 'Disabled a webhook endpoint',
  'endpoint.deleted': 'Deleted a webhook endpoint',
  'endpoint.secret_rotated': 'Replaced a webhook secret',
  'endpoint.secret_viewed': 'Saw a webhook secret',
  'endpoint.tested': 'Sent a test event',
  'endpoint.replayed': 'Replayed events',
  'delivery.redelivered': 'Sent a webhook again',
  'delivery.retried': 'Sent a webhook at once',
  'deliveries.redelivered': 'Sent failed webhooks again',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'session.ended_everywhere': 'Ended all sessions',
  'person.renamed': 'Changed their own name',
  'passkey.added': 'Added a passkey',
  'passkey.removed': 'Removed a passkey',
};

export const DEVELOPERS_LEAD =
  'Programs of your practice use the API with a key, and receive events at webhook endpoints.';

export const SENT_BEFORE =
  'This form was sent before, and nothing was created a second time. If you did not copy the key, revoke it and create another.';

/** Returns the word for a value. Values without one, such as those of 2.0.0, stand for themselves. */
export function wordOf(words: Readonly<Record<string, string>>, value: string): string {
  // Every object has properties such as `constructor`, which people may type.
  return (Object.hasOwn(words, value) ? words[value] : undefined) ?? value.replaceAll('_', ' ');
}
