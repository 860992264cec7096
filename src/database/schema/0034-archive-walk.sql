-- Progress of the job that archives links (docs/decisions/0052-archive.md), and an index that its statements need.

-- The walk of the job over the unarchived links: one row while ARCHIVE_AFTER_DAYS is set, none otherwise.
create table archive_walk (
  -- Admits one row.
  is_only boolean primary key default true check (is_only),
  -- The ARCHIVE_AFTER_DAYS of the walk. Another number begins another walk.
  after_days integer not null,
  started_at timestamptz(3) not null,
  -- The last link that was looked at, in order of ids; '' for none. Null at the end of the walk.
  last_id text default ''
);

-- Bank reversals of a link. Without it, each batch of the job reads all of them.
create index bank_reversals_link on archive.bank_reversals (payment_link_id);
create index bank_reversals_link on bank_reversals (payment_link_id);
