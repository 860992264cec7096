-- Creates a link once per idempotency key: counts it against the daily cap, inserts it and stores the reply.
--
-- Arguments:
--   p_api_key_id, p_idempotency_key, p_body_hash  the request
--   p_remembered_since   replies stored at this time or earlier are forgotten
--   p_now                the present
--   p_daily_cap          links per key and UTC day
--   p_practice_id        the practice of the key
--   p_snapshot           practice_snapshot that the link was drafted on; null if the caller has none: it only looks up the reply
--   p_link, p_reply      the row and the reply as JSON; null if the caller could not draft a link. The row may have the
--                        rows of audit_log that record the creation, as the array acts
-- Returns: an outcome:
--   replayed        the key was used for the same body; stored_reply is that reply
--   reused          the key was used for another body
--   in_flight       the first request with the key is still running
--   stale_snapshot  nothing was written: there is no draft, or snapshot (the present one) differs from the draft's
--   capped          nothing was written: the key has used up its links of the day
--   created         count, link, acts and reply are written
-- Locks: none without p_snapshot. Else first an advisory lock on the idempotency key, tried and never waited for. Then the row of the daily count and
--   the foreign keys of the link. All stay until commit. Each statement of the function sees what was committed before
--   it, so with the advisory lock no stored reply can be missed. Fails with serialization_failure if a reply was
--   stored without the lock.
-- Callers: create_links
-- Why in the database: one round trip instead of five per link (docs/decisions/0011-create-in-one-statement.md).
create or replace function create_link(
  p_api_key_id text, p_idempotency_key text, p_body_hash bytea, p_remembered_since timestamptz, p_now timestamptz,
  p_daily_cap integer, p_practice_id text, p_snapshot text, p_link json, p_reply text,
  out outcome text, out stored_reply text, out snapshot text
) language plpgsql as $$
declare
  is_in_flight boolean := false;
  stored record;
  link payment_links;
begin
  -- A lookup takes no lock. With it, a create that arrives at that moment would be in_flight.
  if p_snapshot is not null then
    is_in_flight := not pg_try_advisory_xact_lock(hashtextextended(p_api_key_id || ':' || p_idempotency_key, 0));
  end if;
  -- Plan hint REPLY_BY_PRIMARY_KEY: no condition on created_at, or a plan of the small table walks the index of ages.
  select r.body_hash, r.reply, r.created_at into stored from idempotent_replies r
    where r.api_key_id = p_api_key_id and r.idempotency_key = p_idempotency_key;
  -- A stored reply is final, even if another repetition of the request has the lock at this moment.
  if found and stored.created_at > p_remembered_since then
    outcome := case when stored.body_hash = p_body_hash then 'replayed' else 'reused' end;
    if outcome = 'replayed' then stored_reply := stored.reply; end if;
    return;
  end if;
  if is_in_flight then outcome := 'in_flight'; return; end if;
  snapshot := practice_snapshot(p_practice_id);
  if p_link is null or snapshot is distinct from p_snapshot then outcome := 'stale_snapshot'; return; end if;
  insert into daily_link_counts as c (api_key_id, practice_id, day, created_count)
    values (p_api_key_id, p_practice_id, (p_now at time zone 'UTC')::date, 1)
    on conflict (api_key_id, day) do update set created_count = c.created_count + 1 where c.created_count < p_daily_cap;
  if not found then outcome := 'capped'; return; end if;
  link := json_populate_record(null::payment_links, p_link);
  if not link.test then
    link.patient_id := match_patient(p_practice_id, link.patient_external_id, link.patient_phone);
  end if;
  insert into payment_links select link.*;
  insert into audit_log select r.* from json_populate_recordset(null::audit_log, p_link -> 'acts') as r;
  -- Only a forgotten reply may be replaced.
  insert into idempotent_replies as r (api_key_id, practice_id, idempotency_key, body_hash, reply, created_at)
    values (p_api_key_id, p_practice_id, p_idempotency_key, p_body_hash, p_reply, p_now)
    on conflict (api_key_id, idempotency_key) do update
      set body_hash = excluded.body_hash, reply = excluded.reply, created_at = excluded.created_at
      where r.created_at <= p_remembered_since;
  if not found then
    raise serialization_failure using message = 'a reply was stored without the lock', hint = 'try again';
  end if;
  outcome := 'created';
end $$;
