import { DatabaseSync } from 'node:sqlite';

/* The tables of the practice. A unique key in each makes every write safe to repeat. */

const SCHEMA = `
  create table if not exists invoices (
    id text primary key,
    location_id text,
    patient_id text not null,
    first_name text not null,
    last_name text not null,
    description text not null,
    amount_cents integer not null,
    created_at text not null,
    status text not null default 'open',
    link_id text,
    link_url text,
    refusal text
  );
  create table if not exists ledger (
    key text primary key,
    invoice_id text not null references invoices (id),
    kind text not null,
    amount_cents integer not null,
    booked_at text not null
  );
  create table if not exists events (
    id text primary key,
    type text not null,
    created_at text not null,
    link_id text,
    body text not null,
    booked integer not null default 0
  );
  create index if not exists events_of_link on events (link_id);`;

/** A type and not an interface, because rows of the database are converted to it. */
export type Invoice = {
  id: string;
  /** Null in a practice that has one location. */
  location_id: string | null;
  patient_id: string;
  first_name: string;
  last_name: string;
  description: string;
  amount_cents: number;
  created_at: string;
  /** `open`, `processing`, `paid`, `failed`, `expired` or `cancelled`. */
  status: InvoiceStatus;
  link_id: string | null;
  link_url: string | null;
  /** Reason why the API refused the invoice, for the staff. */
  refusal: string | null;
};

export type InvoiceStatus = 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'cancelled';

/** An entry of a patient's ledger. Positive amounts are owed by the patient, negative ones are paid. */
export type Entry = { key: string; invoice_id: string; kind: string; amount_cents: number };

export type StoredEvent = { id: string; type: string; created_at: string; link_id: string | null; body: string };

/** A status moves to one of a higher rank only. So an event that comes late changes nothing. */
const RANK: Record<InvoiceStatus, number> = { open: 0, processing: 1, paid: 2, failed: 2, expired: 2, cancelled: 2 };

export class Books {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    // Every commit reaches the disk before it is reported.
    this.#database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${SCHEMA}`);
  }

  close(): void {
    this.#database.close();
  }

  /** Does all of the work or nothing of it. */
  transaction<Result>(work: () => Result): Result {
    this.#database.exec('begin immediate');
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }

  addInvoice(invoice: Omit<Invoice, 'status' | 'link_id' | 'link_url' | 'refusal'>): void {
    this.transaction(() => {
      const { id, location_id, patient_id, first_name, last_name, description, amount_cents, created_at } = invoice;
      this.#run(
        `insert into invoices (id, location_id, patient_id, first_name, last_name, description, amount_cents, created_at)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[id, location_id, patient_id, first_name, last_name, description, amount_cents, created_at],
      );
      this.enter({ key: `charge:${id}`, invoice_id: id, kind: 'charge', amount_cents });
    });
  }

  invoice(id: string): Invoice | undefined {
    return this.#rows<Invoice>('select * from invoices where id = ?', id)[0];
  }

  /** Invoices whose link was requested, as far as we know, without an answer. */
  invoicesWithoutLink(): Invoice[] {
    return this.#rows<Invoice>('select * from invoices where link_id is null and refusal is null');
  }

  storeLink(invoiceId: string, link: { id: string; url: string }): void {
    this.#run('update invoices set link_id = ?, link_url = ? where id = ?', link.id, link.url, invoiceId);
  }

  storeRefusal(invoiceId: string, refusal: string): void {
    this.#run('update invoices set refusal = ? where id = ?', refusal, invoiceId);
  }

  /** Returns the time of the oldest invoice that waits for its payment, or null. */
  oldestUnpaid(): string | null {
    const unpaid = `select min(created_at) as oldest from invoices where status in ('open', 'processing')`;
    return this.#rows<{ oldest: string | null }>(unpaid)[0]?.oldest ?? null;
  }

  /** Returns true if the status has changed. */
  moveInvoice({ id, status }: Invoice, to: InvoiceStatus): boolean {
    if (RANK[to] <= RANK[status]) return false;
    this.#run('update invoices set status = ? where id = ?', to, id);
    return true;
  }

  /** Adds an entry to the ledger. Returns false if the key is in the ledger already. */
  enter({ key, invoice_id, kind, amount_cents }: Entry): boolean {
    return this.#run(
      `insert into ledger (key, invoice_id, kind, amount_cents, booked_at) values (?, ?, ?, ?, ?)
       on conflict do nothing`,
      ...[key, invoice_id, kind, amount_cents, new Date().toISOString()],
    );
  }

  hasEntry(key: string): boolean {
    return this.#rows('select 1 from ledger where key = ?', key).length > 0;
  }

  entriesOf(patientId: string): Entry[] {
    return this.#rows<Entry>(
      `select key, invoice_id, kind, ledger.amount_cents from ledger join invoices on invoices.id = invoice_id
       where patient_id = ? order by ledger.rowid`,
      patientId,
    );
  }

  /** Stores an event. Does nothing if it came before. */
  storeEvent({ id, type, created_at, link_id, body }: StoredEvent): void {
    this.#run(
      'insert into events (id, type, created_at, link_id, body) values (?, ?, ?, ?, ?) on conflict do nothing',
      ...[id, type, created_at, link_id, body],
    );
  }

  eventsToBook(): StoredEvent[] {
    return this.#rows<StoredEvent>('select * from events where booked = 0 order by rowid');
  }

  markBooked(eventId: string): void {
    this.#run('update events set booked = 1 where id = ?', eventId);
  }

  /** Events about disputes of a link in the order in which they happened. An opening precedes a closing. */
  disputeEvents(linkId: string): StoredEvent[] {
    return this.#rows<StoredEvent>(
      `select * from events where link_id = ? and type in ('payment_link.disputed', 'payment_link.dispute_closed')
       order by created_at, type = 'payment_link.dispute_closed'`,
      linkId,
    );
  }

  /** Returns true if a row was changed. */
  #run(statement: string, ...values: (string | number | null)[]): boolean {
    return this.#database.prepare(statement).run(...values).changes > 0;
  }

  /** The caller names the shape of the rows, which is that of the columns it selects. */
  #rows<Row>(statement: string, ...values: string[]): Row[] {
    return this.#database.prepare(statement).all(...values) as Row[];
  }
}
