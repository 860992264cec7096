-- Moves those of the given links to the archive that are final, with all rows that belong to them. Kept counts and totals include the
-- archive, so they do not change: paylinks.archives_links switches their triggers off.
--
-- Arguments:
--   p_ids     the links
--   p_before  nothing of an archived link is newer
-- Returns: the number of archived links.
-- Locks, until commit: the links by id; links with a locked row are left out. Any other lock is waited for briefly, because
--   late changes of all links of the batch wait as long.
-- Callers: archive_links, src/payment-links/archive-links.ts
-- Why in the database: set-based; no row leaves the database.
create or replace function archive_chosen_links(p_ids text[], p_before timestamptz) returns integer language plpgsql
set lock_timeout = '200ms' as $$
declare
  ids text[] := archivable_links(p_ids, p_before);
  archived integer;
begin
  ids := array(select id from only payment_links where id = any (ids) order by id for update skip locked);
  -- A statement of its own, so that it sees what was committed before the links were locked.
  ids := archivable_links(ids, p_before);
  -- Not a setting of the function: only superusers may create a function with one that the server does not know.
  perform set_config('paylinks.archives_links', 'on', true);
  archived := move_links(ids, 'public', 'archive');
  perform set_config('paylinks.archives_links', '', true);
  return archived;
end $$;
