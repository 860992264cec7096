-- The record of a patient in a practice: by external id first, then by telephone; null when there is none.
create function match_patient(p_practice_id text, p_external_id text, p_phone text) returns text
language sql stable as $$
  select coalesce(
    (select id from patients where practice_id = p_practice_id and external_id = p_external_id order by id limit 1),
    (select id from patients where practice_id = p_practice_id and phone = p_phone order by id limit 1))
$$;

-- What must be known of a practice before a link can be made, as the text of a JSON object.
create function practice_snapshot(p_practice_id text) returns text language sql stable as $$
  select json_build_object('paymentsEnabled', payments_enabled, 'activeLocations', (
      select coalesce(json_agg(json_build_object('id', id, 'name', name) order by id), '[]')
      from locations where practice_id = p_practice_id and active))::text
    from practices where id = p_practice_id
$$;

-- Creates a link once per idempotency key, in one round trip. Its outcome is one of
--   replayed   the key was used for the same body: the stored reply
--   reused     the key was used for another body
--   in_flight  the first request with the key is still running
--   ground     nothing was written: the practice's ground is not what the link was made on
--   capped     nothing was written: the key's links of the day are used up
--   created    count, link and reply are written
-- The lock is tried, not waited for, and goes with the transaction. Each statement of the function sees what was committed
-- before it: with the lock held, a stored reply can't be missed.
create function create_link(
  p_api_key_id text, p_idempotency_key text, p_body_hash bytea, p_remembered_since timestamptz, p_now timestamptz,
  p_daily_cap integer, p_practice_id text, p_snapshot text, p_link json, p_reply text,
  out outcome text, out stored_reply text, out ground text
) language plpgsql as $$
declare
  locked boolean;
  stored record;
  link payment_links;
begin
  locked := pg_try_advisory_xact_lock(hashtextextended(p_api_key_id || ':' || p_idempotency_key, 0));
  -- By nothing but the primary key: a plan kept since the table was small must not walk the index of ages.
  select r.body_hash, r.reply, r.created_at into stored from idempotent_replies r
    where r.api_key_id = p_api_key_id and r.idempotency_key = p_idempotency_key;
  -- What is stored is final, also while another repetition of the request holds the lock for a moment.
  if found and stored.created_at > p_remembered_since then
    outcome := case when stored.body_hash = p_body_hash then 'replayed' else 'reused' end;
    if outcome = 'replayed' then stored_reply := stored.reply; end if;
    return;
  end if;
  if not locked then outcome := 'in_flight'; return; end if;
  ground := practice_snapshot(p_practice_id);
  if p_link is null or ground is distinct from p_snapshot then outcome := 'ground'; return; end if;
  insert into daily_link_counts as c (api_key_id, day, created_count)
    values (p_api_key_id, (p_now at time zone 'UTC')::date, 1)
    on conflict (api_key_id, day) do update set created_count = c.created_count + 1 where c.created_count < p_daily_cap;
  if not found then outcome := 'capped'; return; end if;
  link := json_populate_record(null::payment_links, p_link);
  if not link.test then
    link.patient_id := match_patient(p_practice_id, link.patient_external_id, link.patient_phone);
  end if;
  insert into payment_links select link.*;
  -- One that may be replaced is older than what is remembered.
  insert into idempotent_replies as r (api_key_id, idempotency_key, body_hash, reply, created_at)
    values (p_api_key_id, p_idempotency_key, p_body_hash, p_reply, p_now)
    on conflict (api_key_id, idempotency_key) do update
      set body_hash = excluded.body_hash, reply = excluded.reply, created_at = excluded.created_at
      where r.created_at <= p_remembered_since;
  if not found then
    raise serialization_failure using message = 'a reply was stored without the lock', hint = 'look again';
  end if;
  outcome := 'created';
end $$;
