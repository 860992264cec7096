import { defineEntity, p } from '@mikro-orm/postgresql';

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
    /** The person. */
    actorId: p.string(),
    resolvedAt: p.datetime(3),
  },
});

/** The end of the owed amount of a link by an act of a person. */
export class LinkResolution extends LinkResolutionSchema.class {}
LinkResolutionSchema.setClass(LinkResolution);
