import { p } from '@mikro-orm/postgresql';

/** Returns the properties of a refund, dispute or bank reversal that come from its payment. By them, lists have the order of payments. */
export const paymentColumns = () => ({
  id: p.string().primary(),
  practiceId: p.string(),
  paymentLinkId: p.string(),
  transactionId: p.string(),
  test: p.boolean().strictNullable(),
  paidAt: p.datetime(3).strictNullable(),
  locationId: p.string().strictNullable(),
  paymentMethodType: p.string().strictNullable(),
});
