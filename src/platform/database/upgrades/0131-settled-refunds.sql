create table refund_resolutions (
  practice_id text not null,
  payment_link_id text not null,
  refund_id text not null references refunds (id),
  reason text not null check (reason in ('paid_another_way', 'not_due')),
  actor_id text not null,
  resolved_at timestamptz(3) not null,
  primary key (practice_id, refund_id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
);
create index refunds_failed on refunds (practice_id) where status = 'failed';
