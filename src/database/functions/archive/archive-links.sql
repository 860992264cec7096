-- Moves a batch of links to the archive, with all rows that belong to them. Kept counts and totals include the archive, so they
-- do not change: paylinks.archives_links switches their triggers off.
--
-- Arguments:
--   p_after   looks at links after this id, in order of ids and so of creation; '' for all
--   p_until   looks at links before this id
--   p_before  nothing of an archived link is newer
--   p_limit   most links to move
-- Returns: the number of archived links, and the last id that was looked at; null if no link is left.
-- Locks: those of archive_chosen_links.
-- Callers: src/payment-links/archive-links.ts
-- Why in the database: set-based; no row leaves the database.
create or replace function archive_links(
  p_after text, p_until text, p_before timestamptz, p_limit integer, out archived integer, out last_id text
) language plpgsql as $$
declare
  ids text[];
begin
  select c.ids, c.last_id into ids, last_id from archive_candidates(p_after, p_until, p_before, p_limit) as c;
  archived := archive_chosen_links(ids, p_before);
end $$;
