-- Test events for readers without an endpoint (docs/decisions/0040-test-events.md). Only practices with a recent reader get rows.
create table test_events (
  id text primary key,
  practice_id text not null references practices (id),
  -- Null for pings of keys that are not pinned.
  location_id text,
  type text not null,
  -- The exact bytes of the body. text, because jsonb would reorder them.
  payload text not null,
  -- The transaction that made the event. With a snapshot it says which events a reader has not seen.
  made_by xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null,
  foreign key (practice_id, location_id) references locations (practice_id, id)
);
-- The order of reading.
create index test_events_order on test_events (practice_id, made_by, id);

-- Practices whose test events are recorded, with the time of their last known request, at most ten minutes old.
create table test_event_readers (
  practice_id text primary key references practices (id),
  read_at timestamptz(3) not null
);
