-- Removes the constraints of bound_whole_deliveries, if they are there. Without that, a conversion that was not completed
-- would stop deliveries at its bound.
--
-- Arguments: none.
-- Returns: nothing.
-- Locks: deliveries and attempts in access exclusive mode, if there is something to remove; fails after a short wait.
-- Callers: bound_whole_deliveries, src/webhooks/partitions/convert.ts
-- Why in the database: part of the conversion.
create or replace function unbound_whole_deliveries() returns void language plpgsql
set lock_timeout = '200ms' as $$
begin
  if not exists (select from pg_constraint where conname = 'before_partitions'
    and conrelid in ('webhook_deliveries'::regclass, 'webhook_attempts'::regclass)) then return; end if;
  alter table webhook_deliveries drop constraint if exists before_partitions;
  alter table webhook_attempts drop constraint if exists before_partitions;
end $$;
