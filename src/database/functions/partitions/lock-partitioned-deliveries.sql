-- Locks deliveries and attempts against all others, and endpoints against writers, to exchange partitions. Tries ten times.
-- Each try waits only briefly, because all new statements wait behind it. Between two tries they go on.
--
-- Arguments:
--   p_name  locks this partition as well, and the default partition
-- Returns: nothing.
-- Locks, in this order: webhook_deliveries, webhook_attempts and the partitions in access exclusive mode, webhook_endpoints in
--   share row exclusive mode. Fails if others keep them.
-- Callers: replace_delivery_partition, drop_delivery_partition
-- Why in the database: part of functions that exchange partitions.
create or replace function lock_partitioned_deliveries(p_name text) returns void language plpgsql
set lock_timeout = '200ms' as $$
begin
  for try in 1..10 loop
    begin
      lock table only webhook_deliveries, only webhook_attempts in access exclusive mode;
      execute format('lock table %I, %I, webhook_deliveries_default, webhook_attempts_default in access exclusive mode',
        'webhook_deliveries_' || p_name, 'webhook_attempts_' || p_name);
      lock table webhook_endpoints in share row exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      if try = 10 then raise; end if;
    end;
    perform pg_sleep(1);
  end loop;
end $$;
