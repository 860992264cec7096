create table link_resolutions (
  practice_id text not null,
  payment_link_id text not null,
  reason text not null check (reason in ('replaced', 'paid_at_desk', 'written_off', 'wrong')),
  successor_link_id text,
  actor_id text not null,
  resolved_at timestamptz(3) not null,
  primary key (practice_id, payment_link_id),
  unique (practice_id, successor_link_id),
  check ((successor_link_id is not null) = (reason = 'replaced')),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id),
  foreign key (practice_id, successor_link_id) references payment_links (practice_id, id)
);
