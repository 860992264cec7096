-- What comes after payments: what administrators were told.

-- What a practice's administrator was mailed about its payments, once each; the mail itself is a job.
create table payment_notices (
  practice_id text not null,
  payment_link_id text not null,
  kind text not null,
  -- The dispute, refund or attempt that it is about, by our id or the processor's.
  subject_id text not null,
  queued_at timestamptz(3) not null,
  primary key (payment_link_id, kind, subject_id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
);
