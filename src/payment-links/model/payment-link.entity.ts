import { defineEntity, p } from '@mikro-orm/postgresql';
import type { LinkStatus } from './transitions.ts';

/** Where a link came from. */
export type LinkSource = 'api' | 'staff' | 'website';

/** Who ended a link, other than by paying. */
export type ClosedBy = 'api' | 'staff' | 'system' | 'simulated';

const PaymentLinkSchema = defineEntity({
  name: 'PaymentLink',
  tableName: 'payment_links',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    locationId: p.string(),
    test: p.boolean(),
    /** The secret part of the page's address, unrelated to the id; never logged. */
    token: p.string(),
    /** As stored; an overdue link that nobody touched yet is still `active` here. Ask `statusAt`. */
    status: p.string().$type<LinkStatus>(),
    source: p.string().$type<LinkSource>(),
    amountCents: p.integer(),
    currency: p.string(),
    description: p.text(),
    externalReference: p.text().strictNullable(),
    metadata: p.json<Record<string, string>>().columnType('json').strictNullable(),
    /** The patient's record; live links only. */
    patientId: p.string().strictNullable(),
    patientFirstName: p.string(),
    patientLastName: p.string(),
    /** E.164. */
    patientPhone: p.string().strictNullable(),
    patientEmail: p.string().strictNullable(),
    patientExternalId: p.string().strictNullable(),
    expiresAt: p.datetime(3),
    paidAt: p.datetime(3).strictNullable(),
    /** When it stopped being active, and who saw to it; null for the patient. */
    closedAt: p.datetime(3).strictNullable(),
    closedBy: p.string().$type<ClosedBy>().strictNullable(),
    /** The attempt to pay that is under way: the link neither expires nor takes another meanwhile. */
    openAttemptId: p.string().strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** A payment link: one patient, one amount, one page. */
export class PaymentLink extends PaymentLinkSchema.class {}
PaymentLinkSchema.setClass(PaymentLink);

/**
 * The status a caller sees: an active link is expired from its `expiresAt` on, whoever looks first, unless a payment is
 * under way.
 */
export function statusAt(
  { status, openAttemptId, expiresAt }: Pick<PaymentLink, 'status' | 'openAttemptId' | 'expiresAt'>,
  now: Date,
): LinkStatus {
  return status === 'active' && openAttemptId === null && expiresAt <= now ? 'expired' : status;
}
