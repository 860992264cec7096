-- What comes after payments: what administrators were told, what is forgotten, whom patients call.

-- What a practice's administrator was mailed about its payments, once each; the mail itself is a job.
create table payment_admin_mails (
  practice_id text not null,
  payment_link_id text not null,
  kind text not null,
  -- The dispute, refund or attempt that it is about, by our id or the processor's.
  subject_id text not null,
  queued_at timestamptz(3) not null,
  primary key (payment_link_id, kind, subject_id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
);

-- The record of the authorisation is cleared after two years; this finds what is old enough, and only what is left.
alter table payment_attempts alter column locale drop not null, alter column address drop not null;
create index payment_attempts_evidence on payment_attempts (created_at) where address is not null;

-- Only what was handled is ever deleted for its age.
drop index processor_notifications_age;
create index processor_notifications_handled on processor_notifications (received_at) where due_at is null;

-- Whom patients call, as E.164 writes it: the location's, else the practice's.
alter table practices add column phone text;
alter table locations add column phone text;

-- An attempt that is closed and still asked about was given up: nobody told yet what became of it.
alter table payment_attempts drop constraint payment_attempts_check2;
alter table payment_attempts add check (closed_at is not null or reconcile_at is not null);
