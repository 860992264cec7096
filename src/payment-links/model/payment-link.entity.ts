import { defineEntity, p } from '@mikro-orm/postgresql';
import type { LinkStatus } from './transitions.ts';

export type LinkSource = 'api' | 'staff' | 'website';

/** Actor that closed a link other than by paying it. */
export type ClosedBy = 'api' | 'staff' | 'system' | 'simulated';

const PaymentLinkSchema = defineEntity({
  name: 'PaymentLink',
  tableName: 'payment_links',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    locationId: p.string(),
    test: p.boolean(),
    /** Secret part of the hosted page's address, unrelated to the id; never logged. */
    token: p.string(),
    /** Stored status. It stays `active` while an overdue link awaits its expiry; `statusAt` returns the visible one. */
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
    /** Time at which the link stopped being active, and the actor; no actor if the patient paid. */
    closedAt: p.datetime(3).strictNullable(),
    closedBy: p.string().$type<ClosedBy>().strictNullable(),
    /** The open attempt. With it, the link neither expires nor accepts another attempt. */
    openAttemptId: p.string().strictNullable(),
    createdAt: p.datetime(3),
    /** Raised by every change of the link, its attempts, transaction, refunds, disputes or reversals. A write compares it. */
    version: p.integer(),
  },
});

/** A payment link: one patient, one amount, one hosted page. */
export class PaymentLink extends PaymentLinkSchema.class {}
PaymentLinkSchema.setClass(PaymentLink);

const PageOpeningsSchema = defineEntity({
  name: 'PageOpenings',
  tableName: 'page_openings',
  properties: {
    paymentLinkId: p.string().primary(),
    practiceId: p.string(),
    firstOpenedAt: p.datetime(3),
    lastOpenedAt: p.datetime(3),
    openCount: p.integer(),
  },
});

/** Openings of the hosted page of one link, at least one. They are no state of the link. Links without openings have no row. */
export class PageOpenings extends PageOpeningsSchema.class {}
PageOpeningsSchema.setClass(PageOpenings);

/** Reasons for which an owed amount is settled elsewhere. Free text could name a patient. */
export const SETTLED_REASONS = ['paid_at_desk', 'written_off', 'wrong'] as const;

export type SettledReason = (typeof SETTLED_REASONS)[number];

const LinkResolutionSchema = defineEntity({
  name: 'LinkResolution',
  tableName: 'link_resolutions',
  properties: {
    practiceId: p.string().primary(),
    paymentLinkId: p.string().primary(),
    reason: p.string().$type<SettledReason | 'replaced'>(),
    /** The link in its place; null for all reasons but `replaced`. */
    successorLinkId: p.string().strictNullable(),
    actorId: p.string(),
    resolvedAt: p.datetime(3),
  },
});

/** The end of the owed amount of a link by an act of a person. */
export class LinkResolution extends LinkResolutionSchema.class {}
LinkResolutionSchema.setClass(LinkResolution);
