-- Queues deliveries, and wakes up their endpoints in all workers when the caller's transaction commits. Inserts test events as well.
--
-- Arguments:
--   p_deliveries  JSON array of rows of webhook_deliveries, and of test_events, which have no endpoint_id
--   p_link_ids    queues only deliveries and test events of these links; null for all
--   p_created_at  time of creation of rows of an older release, which name none
--   p_shared_now  the present, by the clock that workers use; null for the database's clock
-- Returns: nothing. A delivery is due at this present at the latest, even if the clock of its process is ahead.
-- Locks: the foreign keys of the deliveries.
-- Callers: write_links, src/webhooks/events/publish.ts
-- Why in the database: write_links queues in the statement that changes the links.
create or replace function queue_deliveries(
  p_deliveries json, p_link_ids text[], p_created_at timestamptz, p_shared_now timestamptz
) returns void language plpgsql as $$
declare
  woken bigint;
begin
  with given as (
    select * from json_to_recordset(p_deliveries) as d (id text, practice_id text, endpoint_id text, location_id text,
      payment_link_id text, type text, test boolean, status text, payload text, delivery_run text, rank smallint,
      due_at timestamptz, created_at timestamptz)
    where p_link_ids is null or payment_link_id = any (p_link_ids)
  ), recorded as (
    insert into test_events (id, practice_id, location_id, type, payload, created_at)
    select id, practice_id, location_id, type, payload, coalesce(created_at, p_created_at) from given where endpoint_id is null
  ), queued as (
    insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
      delivery_run, rank, due_at, created_at)
    select id, practice_id, endpoint_id, payment_link_id, type, test, status, payload, delivery_run, rank,
      case when due_at is not null then least(due_at, coalesce(p_shared_now, statement_timestamp())) end,
      coalesce(created_at, p_created_at)
    from given where endpoint_id is not null
    returning endpoint_id, due_at
  )
  select count(pg_notify('webhooks_due', endpoint_id)) into woken from queued where due_at is not null;
end $$;
