-- Selects the next candidates for the archive: links closed before a time. archivable_links decides which of them are final.
--
-- Arguments:
--   p_after   looks at links after this id, in order of ids and so of creation; '' for all
--   p_until   looks at links before this id
--   p_before  the links were closed before this time
--   p_limit   most links to select. It looks at 20 times as many, so that a call takes little time where there are few candidates.
-- Returns: the ids of the links, in order, and the last id that was looked at; null if no link is left.
-- Locks: none.
-- Callers: archive_links, src/payment-links/archive-links.ts
-- Why in the database: part of archive_links. A failed batch selects its links once more, one by one.
create or replace function archive_candidates(
  p_after text, p_until text, p_before timestamptz, p_limit integer, out ids text[], out last_id text
) language plpgsql as $$
begin
  select max(n.id) into last_id from (
    select l.id from only payment_links l where l.id > p_after and l.id < p_until order by l.id limit 20 * p_limit
  ) as n;
  ids := array(
    select l.id from only payment_links l where l.id > p_after and l.id <= last_id and l.closed_at < p_before
    order by l.id limit p_limit
  );
  if cardinality(ids) = p_limit then last_id := ids[p_limit]; end if;
end $$;
