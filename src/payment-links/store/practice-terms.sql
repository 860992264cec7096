-- Returns the terms on which a link is made: whether the practice takes payments, and its active locations.
--
-- Arguments:
--   p_practice_id  the practice
-- Returns: the text of a JSON object, equal for equal contents; null for an unknown practice.
-- Locks: none.
-- Callers: create_links
-- Why in the database: create_links compares it with the terms of the link in the same transaction.
create or replace function practice_terms(p_practice_id text) returns text language sql stable as $$
  select json_build_object('paymentsEnabled', payments_enabled, 'activeLocations', (
      select coalesce(json_agg(json_build_object('id', id, 'name', name) order by id), '[]')
      from locations where practice_id = p_practice_id and active))::text
    from practices where id = p_practice_id
$$;
