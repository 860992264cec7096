-- Openings of the hosted page of each link, without address and device. They are no state: a link's version does not count them. In a
-- row of their own they write no index of `payment_links`. The free space lets further openings write no index either.
create table page_openings (
  payment_link_id text primary key,
  practice_id text not null,
  first_opened_at timestamptz(3) not null,
  last_opened_at timestamptz(3) not null,
  open_count integer not null check (open_count > 0),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
) with (fillfactor = 80);
