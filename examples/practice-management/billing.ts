import { randomUUID } from 'node:crypto';
import type { Books, Invoice } from './books.ts';
import { type Paylinks, PaylinksError, type PaymentLink } from './paylinks.ts';

export interface Bill {
  /** Required in a practice with several locations. */
  locationId?: string;
  patientId: string;
  firstName: string;
  lastName: string;
  description: string;
  amountCents: number;
}

/** The service remembers an idempotency key for 24 hours. We rely on it for an hour less. */
const KEY_LIFETIME_MS = 23 * 60 * 60 * 1_000;

/**
 * Bills a patient. The invoice is stored before the request is sent, and its number is the idempotency key. If this process
 * ends before the answer is stored, `resumeBilling` repeats the request and gets the same link.
 */
export function bill(books: Books, paylinks: Paylinks, input: Bill): Promise<Invoice> {
  const id = `invoice-${randomUUID()}`;
  books.addInvoice({
    id,
    location_id: input.locationId ?? null,
    patient_id: input.patientId,
    first_name: input.firstName,
    last_name: input.lastName,
    description: input.description,
    amount_cents: input.amountCents,
    created_at: new Date().toISOString(),
  });
  return requestLink(books, paylinks, invoiceOf(books, id));
}

/** Requests the links of all invoices that have none. Call it when the program starts. */
export async function resumeBilling(books: Books, paylinks: Paylinks): Promise<void> {
  for (const invoice of books.invoicesWithoutLink()) {
    try {
      await requestLink(books, paylinks, invoice);
    } catch (error) {
      // One invoice must not block the others. The next call tries it again.
      console.error(`no link for ${invoice.id}:`, error instanceof Error ? error.message : error);
    }
  }
}

async function requestLink(books: Books, paylinks: Paylinks, invoice: Invoice): Promise<Invoice> {
  const { id } = invoice;
  try {
    const link = (await findForgotten(paylinks, invoice)) ?? (await paylinks.createLink(newLink(invoice), id));
    books.storeLink(id, link);
  } catch (error) {
    // The content of the invoice is at fault, so repeating cannot help. The staff corrects it with a new invoice.
    if (error instanceof PaylinksError && error.code === 'validation_error') books.storeRefusal(id, error.message);
    throw error;
  }
  return invoiceOf(books, id);
}

/** Finds the link of an invoice whose key the service may have forgotten, by our own reference. */
async function findForgotten(paylinks: Paylinks, invoice: Invoice): Promise<PaymentLink | undefined> {
  if (Date.now() - Date.parse(invoice.created_at) < KEY_LIFETIME_MS) return undefined;
  for await (const link of paylinks.links({ externalReference: invoice.id })) return link;
  return undefined;
}

/** Every attempt must send the same body, so it is made from the stored invoice alone. */
function newLink(invoice: Invoice) {
  return {
    amount: invoice.amount_cents / 100,
    description: invoice.description,
    externalReference: invoice.id,
    locationId: invoice.location_id ?? undefined,
    patient: { firstName: invoice.first_name, lastName: invoice.last_name, externalId: invoice.patient_id },
  };
}

function invoiceOf(books: Books, id: string): Invoice {
  const invoice = books.invoice(id);
  if (invoice === undefined) throw new Error(`there is no invoice ${id}`);
  return invoice;
}
