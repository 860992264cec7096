-- The archive: closed links with their payments, in tables like those of the same names (docs/decisions/0052-archive.md).
-- They stay empty and apart until an operator sets ARCHIVE_AFTER_DAYS. Then a worker makes them children of those tables, so
-- that each statement on a table also finds the archived rows.
--
-- A later migration changes both tables of a pair, whether the archive is attached or not. What it adds, it adds to the archive
-- first: PostgreSQL then merges a child's column or check with its parent's. What it takes away, it takes from the present
-- table first: a child loses nothing that its parent has. No order fits a new name or type, because the parent changes its
-- child, and a table apart stays as it is. An index needs a statement for each table.
create schema archive;

create table archive.payment_links (
  like payment_links including all,
  foreign key (practice_id, location_id) references locations (practice_id, id),
  foreign key (practice_id, patient_id) references patients (practice_id, id),
  constraint payment_links_archived check (status <> 'active' and open_attempt_id is null)
);

create table archive.payment_attempts (
  like payment_attempts including all,
  foreign key (practice_id, payment_link_id) references archive.payment_links (practice_id, id)
);

create table archive.transactions (
  like transactions including all,
  foreign key (practice_id, payment_link_id) references archive.payment_links (practice_id, id),
  foreign key (practice_id, payment_link_id, attempt_id)
    references archive.payment_attempts (practice_id, payment_link_id, id)
);

create table archive.bank_reversals (
  like bank_reversals including all,
  foreign key (practice_id, payment_link_id, transaction_id)
    references archive.transactions (practice_id, payment_link_id, id)
);

create table archive.refunds (
  like refunds including all,
  foreign key (practice_id, payment_link_id, transaction_id)
    references archive.transactions (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id, bank_reversal_id)
    references archive.bank_reversals (practice_id, payment_link_id, id)
);

create table archive.disputes (
  like disputes including all,
  foreign key (practice_id, payment_link_id, transaction_id)
    references archive.transactions (practice_id, payment_link_id, id)
);

create table archive.payment_admin_mails (
  like payment_admin_mails including all,
  foreign key (practice_id, payment_link_id) references archive.payment_links (practice_id, id)
);
