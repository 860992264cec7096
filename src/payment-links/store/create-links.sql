-- Creates links in one transaction. A link with an idempotency key is counted against the daily cap, and its reply is stored.
--
-- Arguments:
--   p_creates  JSON array of objects, one per link:
--     practice_id  the practice
--     terms        practice_terms on which the link was made; null if the caller knows none: it only looks up the reply
--     link, audit  the row, and the rows of audit_log that record the creation; null if the terms refuse the link
--     api_key_id, idempotency_key, body_hash, reply  the request and the reply to store; null for a link without a key
--     remembered_since  replies stored at this time or earlier are forgotten
--     daily_cap    links per key and UTC day
--   p_now           the present
--   p_lock_wait_ms  longest wait for one lock; after it the statement fails with lock_not_available. Null: as the session
-- Returns: one row per link, in their order, with an outcome:
--   written    count, link, audit entries and reply are written
--   replayed   the key was used for the same body; reply is that reply
--   reused     the key was used for another body
--   in_flight  the first request with the key is still running
--   stale      nothing was written: there is no link, or terms (the present ones) differ from the link's
--   capped     nothing was written: the key has used up its links of the day
--   taken      nothing was written: a link without a key has the id of another one
-- Locks: link by link in order of API keys, so two statements cannot deadlock. None for a lookup. Else first an advisory
--   lock on the idempotency key, tried and never waited for. Then the row of the daily count and the foreign keys of the link. All stay
--   until commit. Each statement of the function sees what was committed before it, so with the advisory lock no stored reply
--   can be missed. Fails with serialization_failure if a reply was stored without the lock.
-- Callers: src/payment-links/store/postgres.ts
-- Why in the database: one round trip and one commit for up to 32 links (docs/decisions/0011-create-in-one-statement.md).
create or replace function create_links(p_creates json, p_now timestamptz, p_lock_wait_ms integer)
returns table (outcome text, reply text, terms text) language plpgsql
-- Plan hint CREATE_PLANS.
set enable_seqscan = off
as $$
declare
  asked record;
  stored record;
  link payment_links;
  present text;
  is_in_flight boolean;
  -- One entry per link.
  outcomes text[] := array_fill(null::text, array[json_array_length(p_creates)]);
  replies text[] := outcomes;
  present_terms text[] := outcomes;
  -- Entries of the links that were written. One statement records them all.
  entries json[] := '{}';
begin
  perform set_config('lock_timeout', coalesce(p_lock_wait_ms::text, current_setting('lock_timeout')), true);
  for asked in
    select * from rows from (json_to_recordset(p_creates) as (
      practice_id text, terms text, link json, audit json, api_key_id text, idempotency_key text, body_hash bytea, reply text,
      remembered_since timestamptz, daily_cap integer
    )) with ordinality as r (
      practice_id, terms, link, audit, api_key_id, idempotency_key, body_hash, reply, remembered_since, daily_cap, place)
    order by r.api_key_id collate "C", r.place
  loop
    is_in_flight := false;
    if asked.api_key_id is not null then
      -- A lookup takes no lock. With it, a create that arrives at that moment would be in_flight.
      if asked.terms is not null then
        is_in_flight :=
          not pg_try_advisory_xact_lock(hashtextextended(asked.api_key_id || ':' || asked.idempotency_key, 0));
      end if;
      -- Plan hint REPLY_BY_PRIMARY_KEY: no condition on created_at, or a plan of the small table walks the index of ages.
      select r.body_hash, r.reply, r.created_at into stored from idempotent_replies r
        where r.api_key_id = asked.api_key_id and r.idempotency_key = asked.idempotency_key;
      -- A stored reply is final, even if another repetition of the request has the lock at this moment.
      if found and stored.created_at > asked.remembered_since then
        outcomes[asked.place] := case when stored.body_hash = asked.body_hash then 'replayed' else 'reused' end;
        if stored.body_hash = asked.body_hash then replies[asked.place] := stored.reply; end if;
        continue;
      end if;
    end if;
    if is_in_flight then outcomes[asked.place] := 'in_flight'; continue; end if;
    present := practice_terms(asked.practice_id);
    if asked.link is null or present is distinct from asked.terms then
      outcomes[asked.place] := 'stale';
      present_terms[asked.place] := present;
      continue;
    end if;
    if asked.api_key_id is not null then
      insert into daily_link_counts as c (api_key_id, practice_id, day, created_count)
        values (asked.api_key_id, asked.practice_id, (p_now at time zone 'UTC')::date, 1)
        on conflict (api_key_id, day) do update set created_count = c.created_count + 1
          where c.created_count < asked.daily_cap;
      if not found then outcomes[asked.place] := 'capped'; continue; end if;
    end if;
    link := json_populate_record(null::payment_links, asked.link);
    if not link.test then
      link.patient_id := match_patient(asked.practice_id, link.patient_external_id, link.patient_phone);
    end if;
    insert into payment_links select link.* on conflict (id) do nothing;
    if not found then
      -- Ids of links with a key are random. The counted link is made again, with another one.
      if asked.api_key_id is not null then
        raise serialization_failure using message = 'a link has this id', hint = 'try again';
      end if;
      outcomes[asked.place] := 'taken';
      continue;
    end if;
    entries := entries || asked.audit;
    if asked.api_key_id is not null then
      -- Only a forgotten reply may be replaced.
      insert into idempotent_replies as r (api_key_id, practice_id, idempotency_key, body_hash, reply, created_at)
        values (asked.api_key_id, asked.practice_id, asked.idempotency_key, asked.body_hash, asked.reply, p_now)
        on conflict (api_key_id, idempotency_key) do update
          set body_hash = excluded.body_hash, reply = excluded.reply, created_at = excluded.created_at
          where r.created_at <= asked.remembered_since;
      if not found then
        raise serialization_failure using message = 'a reply was stored without the lock', hint = 'try again';
      end if;
    end if;
    outcomes[asked.place] := 'written';
  end loop;
  insert into audit_log select r.* from unnest(entries) as e (acts), json_populate_recordset(null::audit_log, e.acts) as r;
  return query select * from unnest(outcomes, replies, present_terms);
end $$;
