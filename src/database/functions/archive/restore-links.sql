-- Brings archived links back, with all rows that belong to them. Then they can change like any other.
--
-- Arguments:
--   p_ids  the links; those that are not archived stay as they are
-- Returns: the number of links that came back.
-- Locks, until commit: the archived links by id.
-- Callers: src/payment-links/link/lock.ts
-- Why in the database: no row leaves the database.
create or replace function restore_links(p_ids text[]) returns integer language plpgsql as $$
declare
  ids text[];
begin
  ids := array(select id from archive.payment_links where id = any (p_ids) order by id for update);
  return move_links(ids, 'archive', 'public');
end $$;
