import type { Books, InvoiceStatus, StoredEvent } from './books.ts';
import { centsOf, type PaymentLink } from './paylinks.ts';

/* From links and events to the ledger. Every entry has a key, so nothing is booked twice, in whatever order it comes. */

/** Books all stored events that are not booked yet: after each webhook, and when the program starts. */
export function bookEvents(books: Books): void {
  for (const event of books.eventsToBook()) {
    try {
      books.transaction(() => {
        bookEvent(books, event);
        books.markBooked(event.id);
      });
    } catch (error) {
      // A fault of ours with one event must not stop the others. It stays in the table and is tried again.
      console.error(`event ${event.id} was not booked:`, error);
    }
  }
}

function bookEvent(books: Books, event: StoredEvent): void {
  switch (event.type) {
    case 'payment_link.processing':
    case 'payment_link.paid':
    case 'payment_link.failed':
    case 'payment_link.refunded':
    case 'payment_link.expired':
    case 'payment_link.cancelled':
      bookLink(books, JSON.parse(event.body).data.paymentLink);
      return;
    case 'payment_link.disputed':
    case 'payment_link.dispute_closed':
      bookDisputes(books, JSON.parse(event.body).data.paymentLink);
      return;
    default:
    // A `ping`, or a type that came later than this program. There is nothing to book.
  }
}

/**
 * Books the state of a link: its payment, its refunds, and the status of its invoice. Webhooks and the reconciliation
 * share it. Returns the changes that were not in the books before.
 */
export function bookLink(books: Books, link: PaymentLink): string[] {
  const invoice = books.invoice(link.externalReference ?? '');
  // Staff and the practice's website create links, too. They are not ours.
  if (invoice === undefined) return [];
  const changes: string[] = [];
  const enter = (kind: string, key: string, amount_cents: number) => {
    if (books.enter({ key, invoice_id: invoice.id, kind, amount_cents })) changes.push(kind);
  };
  const status = statusOf(link);
  if (books.moveInvoice(invoice, status)) changes.push(status);
  if (status === 'paid') enter('payment', `payment:${link.id}`, -centsOf(link.transaction?.amount ?? link.amount));
  for (const { id, amount, status: refundStatus } of link.refunds) {
    if (refundStatus === 'succeeded') enter('refund', `refund:${id}`, centsOf(amount));
    // A refund can fail after it had succeeded. The practice has the money again.
    if (refundStatus === 'failed' && books.hasEntry(`refund:${id}`))
      enter('refund_failed', `refund_failed:${id}`, -centsOf(amount));
  }
  return changes;
}

/** A link is `paid` when the payment was submitted. Its transaction says if the money has arrived. */
function statusOf({ status, transaction }: PaymentLink): InvoiceStatus {
  if (status === 'active') return 'open';
  if (status !== 'paid') return status;
  switch (transaction?.status) {
    case 'succeeded':
    case 'refunded':
      return 'paid';
    case 'failed':
      return 'failed';
    default:
      // A pending bank debit, a status we do not know, or a test link, which has no transaction when it is read.
      return 'processing';
  }
}

/**
 * Books the disputes of a link from all its events so far. A dispute takes the money away until it is won. A closing that
 * comes before its opening waits in the table of events.
 */
function bookDisputes(books: Books, link: PaymentLink): void {
  const invoice = books.invoice(link.externalReference ?? '');
  if (invoice === undefined) return;
  let disputedCents: number | null = null;
  for (const { id, type, body } of books.disputeEvents(link.id)) {
    const { context } = JSON.parse(body).data;
    if (type === 'payment_link.disputed') {
      disputedCents = centsOf(context.disputeAmount);
      books.enter({ key: `dispute:${id}`, invoice_id: invoice.id, kind: 'dispute', amount_cents: disputedCents });
    } else if (disputedCents !== null && context.disputeOutcome === 'won') {
      const amount_cents = -disputedCents;
      books.enter({ key: `dispute_won:${id}`, invoice_id: invoice.id, kind: 'dispute_won', amount_cents });
    }
  }
}
