-- Counts the deliveries in the default partition. It is for events whose week has no partition, and should be empty.
--
-- Arguments:
--   p_most  most deliveries to count
-- Returns: practices with their numbers of deliveries there; nothing if deliveries are not partitioned.
-- Locks: none.
-- Callers: src/webhooks/invariants.ts, src/metrics/database-metrics.ts
-- Why in the database: the table exists only while deliveries are partitioned.
create or replace function deliveries_outside_partitions(p_most integer)
returns table (practice_id text, deliveries bigint) language plpgsql stable as $$
begin
  if to_regclass('webhook_deliveries_default') is null then return; end if;
  return query
    select d.practice_id, count(*)
    from (select f.practice_id from webhook_deliveries_default f limit p_most) as d group by d.practice_id;
end $$;
