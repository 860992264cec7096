-- Partitions of deliveries and their attempts, by id (docs/decisions/0049-partitions.md). Without rows, both tables are whole.
create table delivery_partitions (
  -- Name of the pair: webhook_deliveries_<name> and webhook_attempts_<name>.
  name text primary key check (name ~ '^[a-z0-9_]{1,30}$'),
  -- First id of the partition; null for the beginning of time.
  from_id text,
  -- First id after the partition.
  to_id text not null unique,
  -- Time at which the partition was replaced by its survivors; null before.
  replaced_at timestamptz(3)
);

-- Changes of deliveries since the survivors of their partition were copied. A trigger of that partition records them.
create table delivery_partition_changes (
  number bigint generated always as identity primary key,
  id text not null,
  -- The delivery before the change, as far as lists count it; null if it was new.
  practice_id text,
  test boolean,
  created_at timestamptz,
  endpoint_id text,
  type text,
  status text
);
