-- Moves links with all rows that belong to them between the tables of one schema and those of the other, in one statement.
-- Foreign keys are checked at its end. Each row is moved as it is when it is deleted, so no change of it is lost.
--
-- Arguments:
--   p_ids         the links, which the caller has locked
--   p_from, p_to  'public' and 'archive', or 'archive' and 'public'
-- Returns: the number of links.
-- Locks, until commit: all moved rows, and key-share locks of their locations and patients.
-- Callers: archive_chosen_links, restore_links
-- Why in the database: the columns come from the catalog, so that no column of a later release is left behind.
create or replace function move_links(p_ids text[], p_from text, p_to text) returns integer language plpgsql as $$
declare
  parts text;
  moved integer;
begin
  if cardinality(p_ids) = 0 then return 0; end if;
  -- Both schemas know the same columns (test/database/archive-tables.test.ts).
  select string_agg(format(
      'gone_%1$s as (delete from only %2$I.%1$I where %4$I = any ($1) returning *),
       came_%1$s as (insert into %3$I.%1$I (%5$s) select %5$s from gone_%1$s)',
      c.relname, p_from, p_to, case c.relname when 'payment_links' then 'id' else 'payment_link_id' end, o.columns), ', ')
    into parts
    from pg_class c, lateral (
      select string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ) as o
    where c.relnamespace = 'archive'::regnamespace and c.relkind = 'r';
  execute format('with %s select count(*) from gone_payment_links', parts) into moved using p_ids;
  return moved;
end $$;
