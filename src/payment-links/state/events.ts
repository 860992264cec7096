import type {
  EventOf,
  PaymentLinkEventType,
  PaymentLink as PaymentLinkResource,
} from '../../contract/operations-type.ts';
import type { ClosedBy, PaymentLink } from '../model/payment-link.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';

type Contexts = { [Type in PaymentLinkEventType]: EventOf<Type>['data']['context'] };

/** Type and context of an event of a link. The compiler refuses a context of another type. */
export type LinkEvent<Type extends PaymentLinkEventType = PaymentLinkEventType> = {
  [Each in Type]: { type: Each; context: Contexts[Each] };
}[Type];

/** Returns the event as endpoints receive it, with the link in the state of the event. */
export function makeContent<Type extends PaymentLinkEventType>(
  { type, context }: LinkEvent<Type>,
  paymentLink: PaymentLinkResource,
): { [Each in Type]: { type: Each; data: { paymentLink: PaymentLinkResource; context: Contexts[Each] } } }[Type] {
  return { type, data: { paymentLink, context } };
}

interface EventState {
  link: Pick<PaymentLink, 'id' | 'status' | 'closedBy'>;
  transaction: Pick<Transaction, 'status' | 'failureReason'> | null;
}

/**
 * Returns the event of a link's state: of its payment, expiry or cancellation. `STATE_EVENT_TYPE` is the same rule in SQL;
 * `test/payment-links/rules-in-sql.property.test.ts` compares both.
 * @throws Error for an active link, and for rows that contradict each other
 */
export function stateEvent({ link, transaction }: EventState): LinkEvent {
  const { status, closedBy } = link;
  switch (status) {
    case 'paid':
      return paymentEvent(link, transaction);
    case 'expired':
      if (closedBy !== 'system' && closedBy !== 'simulated') throw contradiction(link);
      return { type: 'payment_link.expired', context: { triggeredBy: closedBy } };
    case 'cancelled':
      if (closedBy !== 'api' && closedBy !== 'staff') throw contradiction(link);
      return { type: 'payment_link.cancelled', context: { triggeredBy: closedBy } };
    case 'active':
      throw contradiction(link);
    default:
      status satisfies never;
      throw contradiction(link);
  }
}

/** SQL expression for the event type of a link `l`, which is not active. `t` is its transaction, if it is paid. */
export const STATE_EVENT_TYPE = `'payment_link.' || case when t.status = 'pending' then 'processing'
  when t.status = 'failed' then 'failed' else l.status end`;

function paymentEvent(link: EventState['link'], transaction: EventState['transaction']): LinkEvent {
  if (transaction === null) throw contradiction(link);
  const simulated = simulatedContext(link.closedBy);
  const { status, failureReason } = transaction;
  switch (status) {
    case 'pending':
      return { type: 'payment_link.processing', context: simulated };
    case 'failed':
      if (failureReason === null) throw contradiction(link);
      return { type: 'payment_link.failed', context: { failureReason, ...simulated } };
    case 'succeeded':
    case 'refunded':
      return { type: 'payment_link.paid', context: simulated };
    default:
      status satisfies never;
      throw contradiction(link);
  }
}

/** Returns the part of the context that marks events of a link with a simulated payment; null for other links. */
export function simulatedContext(closedBy: ClosedBy | null): { triggeredBy: 'simulated' } | null {
  return closedBy === 'simulated' ? { triggeredBy: 'simulated' } : null;
}

function contradiction({ id, status, closedBy }: EventState['link']): Error {
  return new Error(`link ${id} has no event of its state: status ${status}, closed by ${closedBy}`);
}
