import { resumeBilling } from './billing.ts';
import { bookEvents, bookLink } from './booking.ts';
import type { Books } from './books.ts';
import type { Paylinks } from './paylinks.ts';

/** A link whose state was not in the books: its webhook has not come. */
export interface Missed {
  linkId: string;
  invoiceId: string;
  changes: string[];
}

/** A bank debit takes 3 to 5 business days, so a payment is looked at for longer than that. */
const LOOK_BACK_MS = 10 * 24 * 60 * 60 * 1_000;

/** Compares the books with the API at the end of the day, books the differences, and returns them. */
export async function reconcile(books: Books, paylinks: Paylinks): Promise<Missed[]> {
  await resumeBilling(books, paylinks);
  bookEvents(books);
  const missed: Missed[] = [];
  for (const filters of windows(books)) {
    for await (const link of paylinks.links(filters)) {
      const changes = books.transaction(() => bookLink(books, link));
      if (changes.length > 0) missed.push({ linkId: link.id, invoiceId: `${link.externalReference}`, changes });
    }
  }
  return missed;
}

/** Recent payments with their refunds, and all links since the oldest invoice that waits for its payment. */
function windows(books: Books): Record<string, string>[] {
  const recent = { status: 'paid', paidAfter: new Date(Date.now() - LOOK_BACK_MS).toISOString() };
  const oldest = books.oldestUnpaid();
  if (oldest === null) return [recent];
  // A fixed end, so that links of this moment do not move the pages while we read. A minute of leeway is for clocks.
  const createdAfter = new Date(Date.parse(oldest) - 60_000).toISOString();
  return [recent, { createdAfter, createdBefore: new Date().toISOString() }];
}
