"""The ledger: the state of each payment link as the webhooks reported it."""

import sqlite3

SCHEMA = """
create table if not exists events (
  id text primary key,
  type text not null,
  received_at text not null default current_timestamp
);
create table if not exists links (
  id text primary key,
  external_reference text,
  created_at text not null,
  status text not null,
  transaction_status text,
  amount_cents integer not null,
  refunded_cents integer not null,
  changed_at text not null,
  progress integer not null
);
"""

# Progress of a payment. Of two events of the same moment the one with more progress is the later one.
PROGRESS = {None: 0, "pending": 1, "failed": 2, "succeeded": 2, "refunded": 3}


class Ledger:
    def __init__(self, file):
        # Each statement outside `with` is a transaction of its own. A writer waits up to five seconds for another one.
        self._database = sqlite3.connect(file, timeout=5)
        self._database.row_factory = sqlite3.Row
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = full")
        self._database.executescript(SCHEMA)

    def close(self):
        self._database.close()

    def book(self, event):
        """Books an event, once. The event and its effect are one transaction, so neither exists without the other."""
        with self._database:
            stored = self._database.execute(
                "insert into events (id, type) values (?, ?) on conflict do nothing", (event["id"], event["type"])
            )
            # Types that are not about a link are ignored: `ping`, and those that came later than this program.
            link = event["data"].get("paymentLink")
            if stored.rowcount == 1 and link is not None:
                self._store(link, event["createdAt"])

    def adopt(self, link, read_at):
        """Takes a link over as the API returned it."""
        with self._database:
            self._store(link, read_at)

    def _store(self, link, changed_at):
        """Stores a link as it was at a time. An older state never overwrites a newer one."""
        state = state_of(link)
        self._database.execute(
            """
            insert into links (id, external_reference, created_at, status, transaction_status, amount_cents,
              refunded_cents, changed_at, progress)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (id) do update set status = excluded.status, transaction_status = excluded.transaction_status,
              amount_cents = excluded.amount_cents, refunded_cents = excluded.refunded_cents,
              changed_at = excluded.changed_at, progress = excluded.progress
            where (excluded.changed_at, excluded.progress, excluded.refunded_cents)
              > (links.changed_at, links.progress, links.refunded_cents)
            """,
            (
                link["id"],
                link["externalReference"],
                link["createdAt"],
                state["status"],
                state["transaction_status"],
                state["amount_cents"],
                state["refunded_cents"],
                changed_at,
                PROGRESS.get(state["transaction_status"], 0),
            ),
        )

    def link(self, link_id):
        """Returns the state of a link, or None."""
        row = self._database.execute("select * from links where id = ?", (link_id,)).fetchone()
        return None if row is None else dict(row)

    def oldest_pending(self):
        """Returns the creation time of the oldest link whose payment is on its way, or None."""
        pending = "select min(created_at) from links where transaction_status = 'pending'"
        return self._database.execute(pending).fetchone()[0]


def state_of(link):
    """Returns the properties of a link that the ledger and the nightly comparison share. Amounts are whole cents."""
    transaction = link["transaction"]
    refunded = sum(cents(refund["amount"]) for refund in link["refunds"] if refund["status"] == "succeeded")
    return {
        "status": link["status"],
        "transaction_status": None if transaction is None else transaction["status"],
        "amount_cents": cents(link["amount"]),
        "refunded_cents": refunded,
    }


def cents(dollars):
    return round(dollars * 100)
