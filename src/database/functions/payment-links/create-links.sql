-- Creates a batch of links in one transaction, each by create_link.
--
-- Arguments: arrays of create_link's arguments, one entry per link (p_api_key_ids to p_replies), and
--   p_remembered_since, p_now, p_daily_cap  for all links
--   p_lock_wait_ms  longest wait for one lock; after it the statement fails with lock_not_available
--   p_leaves_out    true: a link that would have to wait longer is left out; each link is a subtransaction then
-- Returns: one row per link, in their order, with an outcome of create_link, or
--   busy  left out: nothing is written, and no lock remains
-- Locks: those of create_link, link by link in order of API keys, so two statements cannot deadlock.
-- Callers: src/payment-links/create/create.ts
-- Why in the database: one round trip and one commit for up to 32 links (docs/decisions/0013-batches.md).
create or replace function create_links(
  p_api_key_ids text[], p_idempotency_keys text[], p_body_hashes bytea[], p_practice_ids text[], p_snapshots text[],
  p_links json[], p_replies text[], p_remembered_since timestamptz, p_now timestamptz, p_daily_cap integer,
  p_lock_wait_ms integer, p_leaves_out boolean
) returns setof written_link language plpgsql
-- Plan hint CREATE_PLANS.
set enable_seqscan = off
as $$
declare
  asked record;
  answer written_link;
  answers written_link[];
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  if not p_leaves_out then
    return query
      with asked as (
        select * from unnest(
          p_api_key_ids, p_idempotency_keys, p_body_hashes, p_practice_ids, p_snapshots, p_links, p_replies)
          with ordinality as r (api_key_id, idempotency_key, body_hash, practice_id, snapshot, link, reply, position)
        order by r.api_key_id collate "C", r.position
      )
      select c.outcome, c.stored_reply, c.snapshot
      from asked r, lateral create_link(r.api_key_id, r.idempotency_key, r.body_hash, p_remembered_since, p_now,
        p_daily_cap, r.practice_id, r.snapshot, r.link, r.reply) as c
      order by r.position;
    return;
  end if;
  for asked in
    select * from unnest(p_api_key_ids, p_idempotency_keys, p_body_hashes, p_practice_ids, p_snapshots, p_links, p_replies)
      with ordinality as r (api_key_id, idempotency_key, body_hash, practice_id, snapshot, link, reply, position)
    order by r.api_key_id collate "C", r.position
  loop
    begin
      answer := create_link(asked.api_key_id, asked.idempotency_key, asked.body_hash, p_remembered_since, p_now,
        p_daily_cap, asked.practice_id, asked.snapshot, asked.link, asked.reply);
    exception when lock_not_available then
      answer := ('busy', null, null);
    end;
    answers[asked.position] := answer;
  end loop;
  return query select * from unnest(answers);
end $$;
