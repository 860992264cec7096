-- Records a change of a delivery, while the survivors of its partition are copied.
--
-- Arguments: none; it is a trigger of one partition of webhook_deliveries.
-- Returns: null, which an "after" trigger ignores.
-- Locks: none; appending waits for no lock.
-- Callers: watch_delivery_partition
-- Why in the database: no statement that changes a delivery can forget it (docs/decisions/0049-partitions.md).
create or replace function note_delivery_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into delivery_partition_changes (id) values (new.id);
  else
    insert into delivery_partition_changes (id, practice_id, test, created_at, endpoint_id, type, status)
      values (old.id, old.practice_id, old.test, old.created_at, old.endpoint_id, old.type, old.status);
  end if;
  return null;
end $$;
