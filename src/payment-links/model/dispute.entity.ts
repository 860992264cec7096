import { defineEntity, p } from '@mikro-orm/postgresql';
import { paymentColumns } from './of-payment.ts';
import type { DisputeStatus } from './transitions.ts';

const DisputeSchema = defineEntity({
  name: 'Dispute',
  tableName: 'disputes',
  properties: {
    ...paymentColumns(),
    status: p.string().$type<DisputeStatus>(),
    amountCents: p.integer(),
    /** Machine-readable snake_case. */
    reason: p.string(),
    evidenceDueBy: p.datetime(3).strictNullable(),
    /** Null for a simulated dispute of a test link. */
    processorReference: p.string().strictNullable(),
    createdAt: p.datetime(3),
    closedAt: p.datetime(3).strictNullable(),
    /** The time at which a person said that the practice has sent its answer; null while it has not. */
    answeredAt: p.datetime(3).strictNullable(),
  },
});

/** A dispute that the patient's bank opened; one payment may have several. */
export class Dispute extends DisputeSchema.class {}
DisputeSchema.setClass(Dispute);
