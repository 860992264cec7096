-- The end of a failed refund by an act of a person, who gave the amount back another way. Like that of an owed amount, it is no state.
create table refund_resolutions (
  practice_id text not null,
  payment_link_id text not null,
  refund_id text not null references refunds (id),
  reason text not null check (reason in ('paid_another_way', 'not_due')),
  -- The person.
  actor_id text not null,
  resolved_at timestamptz(3) not null,
  primary key (practice_id, refund_id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
);
-- Failed refunds, which are few. No other refund is written to it.
create index refunds_failed on refunds (practice_id) where status = 'failed';
comment on index refunds_failed is 'console: needs attention';
comment on index refunds_practice is 'console: reconciliation';
