-- A database as release 1.0.0 left it. Built by test/database/release/make.ts; never edited.


SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA graphile_worker;

CREATE SCHEMA sandbox;

CREATE TYPE graphile_worker.job_spec AS (
	identifier text,
	payload json,
	queue_name text,
	run_at timestamp with time zone,
	max_attempts smallint,
	job_key text,
	priority smallint,
	flags text[]
);

CREATE TYPE public.admission AS (
	verdict text,
	api_key_id text,
	practice_id text,
	test boolean,
	scopes text[],
	location_id text,
	key_limit integer,
	remaining integer,
	reset_seconds integer
);

CREATE TYPE public.written_link AS (
	outcome text,
	stored_reply text,
	snapshot text
);

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE graphile_worker._private_jobs (
    id bigint NOT NULL,
    job_queue_id integer,
    task_id integer NOT NULL,
    payload json DEFAULT '{}'::json NOT NULL,
    priority smallint DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    max_attempts smallint DEFAULT 25 NOT NULL,
    last_error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    key text,
    locked_at timestamp with time zone,
    locked_by text,
    revision integer DEFAULT 0 NOT NULL,
    flags jsonb,
    is_available boolean GENERATED ALWAYS AS (((locked_at IS NULL) AND (attempts < max_attempts))) STORED NOT NULL,
    CONSTRAINT jobs_key_check CHECK (((length(key) > 0) AND (length(key) <= 512))),
    CONSTRAINT jobs_max_attempts_check CHECK ((max_attempts >= 1))
);

CREATE FUNCTION graphile_worker.add_job(identifier text, payload json DEFAULT NULL::json, queue_name text DEFAULT NULL::text, run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_attempts integer DEFAULT NULL::integer, job_key text DEFAULT NULL::text, priority integer DEFAULT NULL::integer, flags text[] DEFAULT NULL::text[], job_key_mode text DEFAULT 'replace'::text) RETURNS graphile_worker._private_jobs
    LANGUAGE plpgsql
    AS $$
declare
  v_job "graphile_worker"._private_jobs;
begin
  if (job_key is null or job_key_mode is null or job_key_mode in ('replace', 'preserve_run_at')) then
    select * into v_job
    from "graphile_worker".add_jobs(
      ARRAY[(
        identifier,
        payload,
        queue_name,
        run_at,
        max_attempts::smallint,
        job_key,
        priority::smallint,
        flags
      )::"graphile_worker".job_spec],
      (job_key_mode = 'preserve_run_at')
    )
    limit 1;
    return v_job;
  elsif job_key_mode = 'unsafe_dedupe' then
    -- Ensure all the tasks exist (insert only missing identifiers so identity is not consumed)
    insert into "graphile_worker"._private_tasks as tasks (identifier)
    select add_job.identifier
    where not exists (
      select 1
      from "graphile_worker"._private_tasks as existing
      where existing.identifier = add_job.identifier
    )
    on conflict do nothing;
    -- Ensure all the queues exist
    if add_job.queue_name is not null then
      insert into "graphile_worker"._private_job_queues as job_queues (queue_name)
      select add_job.queue_name
      where not exists (
        select 1
        from "graphile_worker"._private_job_queues as existing
        where existing.queue_name = add_job.queue_name
      )
      on conflict do nothing;
    end if;
    -- Insert job, but if one already exists then do nothing, even if the
    -- existing job has already started (and thus represents an out-of-date
    -- world state). This is dangerous because it means that whatever state
    -- change triggered this add_job may not be acted upon (since it happened
    -- after the existing job started executing, but no further job is being
    -- scheduled), but it is useful in very rare circumstances for
    -- de-duplication. If in doubt, DO NOT USE THIS.
    insert into "graphile_worker"._private_jobs as jobs (
      job_queue_id,
      task_id,
      payload,
      run_at,
      max_attempts,
      key,
      priority,
      flags
    )
      select
        job_queues.id,
        tasks.id,
        coalesce(add_job.payload, '{}'::json),
        coalesce(add_job.run_at, now()),
        coalesce(add_job.max_attempts::smallint, 25::smallint),
        add_job.job_key,
        coalesce(add_job.priority::smallint, 0::smallint),
        (
          select jsonb_object_agg(flag, true)
          from unnest(add_job.flags) as item(flag)
        )
      from "graphile_worker"._private_tasks as tasks
      left join "graphile_worker"._private_job_queues as job_queues
      on job_queues.queue_name = add_job.queue_name
      where tasks.identifier = add_job.identifier
    on conflict (key)
      -- Bump the updated_at so that there's something to return
      do update set
        revision = jobs.revision + 1,
        updated_at = now()
      returning *
      into v_job;
    if v_job.revision = 0 then
      perform pg_notify('jobs:insert', '{"r":' || random()::text || ',"count":1}');
    end if;
    return v_job;
  else
    raise exception 'Invalid job_key_mode value, expected ''replace'', ''preserve_run_at'' or ''unsafe_dedupe''.' using errcode = 'GWBKM';
  end if;
end;
$$;

CREATE FUNCTION graphile_worker.add_jobs(specs graphile_worker.job_spec[], job_key_preserve_run_at boolean DEFAULT false) RETURNS SETOF graphile_worker._private_jobs
    LANGUAGE plpgsql
    AS $$
begin
  -- Ensure all the tasks exist (insert only missing identifiers so identity is not consumed)
  insert into "graphile_worker"._private_tasks as tasks (identifier)
  select distinct spec.identifier
  from unnest(specs) spec
  where not exists (
    select 1
    from "graphile_worker"._private_tasks as existing
    where existing.identifier = spec.identifier
  )
  on conflict do nothing;
  -- Ensure all the queues exist
  insert into "graphile_worker"._private_job_queues as job_queues (queue_name)
  select distinct spec.queue_name
  from unnest(specs) spec
  where spec.queue_name is not null
  and not exists (
    select 1
    from "graphile_worker"._private_job_queues as existing
    where existing.queue_name = spec.queue_name
  )
  on conflict do nothing;
  -- Ensure any locked jobs have their key cleared - in the case of locked
  -- existing job create a new job instead as it must have already started
  -- executing (i.e. it's world state is out of date, and the fact add_job
  -- has been called again implies there's new information that needs to be
  -- acted upon).
  update "graphile_worker"._private_jobs as jobs
  set
    key = null,
    attempts = jobs.max_attempts,
    updated_at = now()
  from unnest(specs) spec
  where spec.job_key is not null
  and jobs.key = spec.job_key
  and is_available is not true;

  -- WARNING: this count is not 100% accurate; 'on conflict' clause will cause it to be an overestimate
  perform pg_notify('jobs:insert', '{"r":' || random()::text || ',"count":' || array_length(specs, 1)::text || '}');

  -- TODO: is there a risk that a conflict could occur depending on the
  -- isolation level?
  return query insert into "graphile_worker"._private_jobs as jobs (
    job_queue_id,
    task_id,
    payload,
    run_at,
    max_attempts,
    key,
    priority,
    flags
  )
    select
      job_queues.id,
      tasks.id,
      coalesce(spec.payload, '{}'::json),
      coalesce(spec.run_at, now()),
      coalesce(spec.max_attempts, 25),
      spec.job_key,
      coalesce(spec.priority, 0),
      (
        select jsonb_object_agg(flag, true)
        from unnest(spec.flags) as item(flag)
      )
    from unnest(specs) spec
    inner join "graphile_worker"._private_tasks as tasks
    on tasks.identifier = spec.identifier
    left join "graphile_worker"._private_job_queues as job_queues
    on job_queues.queue_name = spec.queue_name
  on conflict (key) do update set
    job_queue_id = excluded.job_queue_id,
    task_id = excluded.task_id,
    payload =
      case
      when json_typeof(jobs.payload) = 'array' and json_typeof(excluded.payload) = 'array' then
        (jobs.payload::jsonb || excluded.payload::jsonb)::json
      else
        excluded.payload
      end,
    max_attempts = excluded.max_attempts,
    run_at = (case
      when job_key_preserve_run_at is true and jobs.attempts = 0 then jobs.run_at
      else excluded.run_at
    end),
    priority = excluded.priority,
    revision = jobs.revision + 1,
    flags = excluded.flags,
    -- always reset error/retry state
    attempts = 0,
    last_error = null,
    updated_at = now()
  where jobs.locked_at is null
  returning *;
end;
$$;

CREATE FUNCTION graphile_worker.complete_jobs(job_ids bigint[]) RETURNS SETOF graphile_worker._private_jobs
    LANGUAGE sql
    AS $$
  delete from "graphile_worker"._private_jobs as jobs
    where id = any(job_ids)
    and (
      locked_at is null
    or
      locked_at < now() - interval '4 hours'
    )
    returning *;
$$;

CREATE FUNCTION graphile_worker.force_unlock_workers(worker_ids text[]) RETURNS void
    LANGUAGE sql
    AS $$
update "graphile_worker"._private_jobs as jobs
set locked_at = null, locked_by = null
where locked_by = any(worker_ids);
update "graphile_worker"._private_job_queues as job_queues
set locked_at = null, locked_by = null
where locked_by = any(worker_ids);
$$;

CREATE FUNCTION graphile_worker.permanently_fail_jobs(job_ids bigint[], error_message text DEFAULT NULL::text) RETURNS SETOF graphile_worker._private_jobs
    LANGUAGE sql
    AS $$
  update "graphile_worker"._private_jobs as jobs
    set
      last_error = coalesce(error_message, 'Manually marked as failed'),
      attempts = max_attempts,
      updated_at = now()
    where id = any(job_ids)
    and (
      locked_at is null
    or
      locked_at < NOW() - interval '4 hours'
    )
    returning *;
$$;

CREATE FUNCTION graphile_worker.remove_job(job_key text) RETURNS graphile_worker._private_jobs
    LANGUAGE plpgsql STRICT
    AS $$
declare
  v_job "graphile_worker"._private_jobs;
begin
  -- Delete job if not locked
  delete from "graphile_worker"._private_jobs as jobs
    where key = job_key
    and (
      locked_at is null
    or
      locked_at < NOW() - interval '4 hours'
    )
  returning * into v_job;
  if not (v_job is null) then
    perform pg_notify('jobs:insert', '{"r":' || random()::text || ',"count":-1}');
    return v_job;
  end if;
  -- Otherwise prevent job from retrying, and clear the key
  update "graphile_worker"._private_jobs as jobs
  set
    key = null,
    attempts = jobs.max_attempts,
    updated_at = now()
  where key = job_key
  returning * into v_job;
  return v_job;
end;
$$;

CREATE FUNCTION graphile_worker.reschedule_jobs(job_ids bigint[], run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, priority integer DEFAULT NULL::integer, attempts integer DEFAULT NULL::integer, max_attempts integer DEFAULT NULL::integer) RETURNS SETOF graphile_worker._private_jobs
    LANGUAGE sql
    AS $$
  update "graphile_worker"._private_jobs as jobs
    set
      run_at = coalesce(reschedule_jobs.run_at, jobs.run_at),
      priority = coalesce(reschedule_jobs.priority::smallint, jobs.priority),
      attempts = coalesce(reschedule_jobs.attempts::smallint, jobs.attempts),
      max_attempts = coalesce(reschedule_jobs.max_attempts::smallint, jobs.max_attempts),
      updated_at = now()
    where id = any(job_ids)
    and (
      locked_at is null
    or
      locked_at < NOW() - interval '4 hours'
    )
    returning *;
$$;

CREATE FUNCTION public.admit_requests(p_addresses text[], p_hashes bytea[], p_address_limit integer, p_failure_limit integer, p_now timestamp with time zone, p_lock_wait_ms integer, p_leaves_out boolean) RETURNS SETOF public.admission
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  request record;
  answer admission;
  answers admission[];
  is_stale boolean[];
  -- Per request: indexes of its windows in the arrays below; the second is null if it needs none.
  first_window integer[];
  second_window integer[];
  -- Per window.
  subjects text[] := '{}';
  limits integer[] := '{}';
  opened record;
  admitted bigint[];
  subject text;
  slots integer;
  at integer;
  stale_keys text[];
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  for request in
    select r.position::integer, address, hash, k.*
    from unnest(p_addresses, p_hashes) with ordinality as r (address, hash, position)
      left join lateral (
        select a.id, a.practice_id, a.test, a.scopes, a.location_id, a.requests_per_minute, p.api_access_enabled,
          a.last_used_at is null or a.last_used_at < coalesce(p_now, clock_timestamp()) - interval '1 minute' as is_stale
        from api_keys a join practices p on p.id = a.practice_id
        where a.hash = r.hash and a.revoked_at is null
          and (a.expires_at is null or a.expires_at > coalesce(p_now, clock_timestamp()))
      ) as k on true
  loop
    subject := 'address:' || request.address || '/' || p_address_limit;
    at := array_position(subjects, subject);
    if at is null then
      subjects := subjects || subject;
      limits := limits || p_address_limit;
      at := cardinality(subjects);
    end if;
    first_window[request.position] := at;
    answer := (null, request.id, request.practice_id, request.test, request.scopes, request.location_id, null, null, null);
    subject := null;
    if request.hash is null then
      answer.verdict := 'no_key';
    elsif request.id is null then
      answer.verdict := 'unknown_key';
      subject := 'failures:' || request.address || '/' || p_failure_limit;
      slots := p_failure_limit;
    elsif not request.api_access_enabled then
      answer.verdict := 'access_disabled';
    else
      answer.verdict := 'accepted';
      answer.key_limit := request.requests_per_minute;
      subject := 'key:' || request.id || '/' || request.requests_per_minute;
      slots := request.requests_per_minute;
    end if;
    at := array_position(subjects, subject);
    if at is null and subject is not null then
      subjects := subjects || subject;
      limits := limits || slots;
      at := cardinality(subjects);
    end if;
    second_window[request.position] := at;
    answers[request.position] := answer;
    is_stale[request.position] := request.is_stale;
  end loop;

  opened := open_rate_windows(subjects, limits, p_now, p_leaves_out);
  admitted := opened.admitted;
  for i in 1 .. cardinality(first_window) loop
    if admitted[first_window[i]] is null or (second_window[i] is not null and admitted[second_window[i]] is null) then
      return next ('busy', null, null, null, null, null, null, null, null)::admission;
      continue;
    end if;
    answer := answers[i];
    at := first_window[i];
    if admitted[at] - opened.oldest[at] >= limits[at] then
      answer := ('address_limited', null, null, null, null, null, null, null, null);
    else
      admitted[at] := admitted[at] + 1;
      if second_window[i] is not null then
        at := second_window[i];
        if admitted[at] - opened.oldest[at] >= limits[at] then
          answer.verdict := case answer.verdict when 'accepted' then 'key_limited' else 'failures_limited' end;
        else
          admitted[at] := admitted[at] + 1;
          if is_stale[i] then stale_keys := stale_keys || answer.api_key_id; end if;
        end if;
        answer.remaining := limits[at] - (admitted[at] - opened.oldest[at]);
      end if;
    end if;
    answer.reset_seconds := seconds_until_free(opened.oldest_times[at], opened.moments[at]);
    return next answer;
  end loop;

  perform fill_rate_windows(
    subjects, limits, opened.admitted, admitted, opened.oldest, opened.oldest_times, opened.moments);
  -- Last used is stored once per minute, so a busy key does not cost a durable write per request. A key that another
  -- transaction has locked is stored by its next request, so the other requests do not wait.
  if stale_keys is not null then
    update api_keys set last_used_at = coalesce(p_now, clock_timestamp())
      where id in (select id from api_keys where id = any (stale_keys) for no key update skip locked);
  end if;
end $$;

CREATE FUNCTION public.append_delivery_status() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'deliveries', new.created_at, new.id, new.endpoint_id, new.type, old.status, new.status);
  return null;
end $$;

CREATE FUNCTION public.append_former_delivery() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into list_changes values
    (old.practice_id, old.test, 'deliveries', old.created_at, old.id, old.endpoint_id, old.type, old.status, null);
  if tg_op = 'DELETE' then return null; end if;
  insert into list_changes values
    (new.practice_id, new.test, 'deliveries', new.created_at, new.id, new.endpoint_id, new.type, null, old.status);
  return null;
end $$;

CREATE FUNCTION public.append_former_link() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into list_changes values
    (old.practice_id, old.test, 'links', old.created_at, old.id, old.location_id, old.external_reference, old.status, null);
  if old.paid_at is not null then
    insert into list_changes values
      (old.practice_id, old.test, 'payments', old.paid_at, old.id, old.location_id, null, 'paid', null);
  end if;
  if tg_op = 'DELETE' then return null; end if;
  insert into list_changes values
    (new.practice_id, new.test, 'links', new.created_at, new.id, new.location_id, new.external_reference, null, old.status);
  if old.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', old.paid_at, new.id, new.location_id, null, null, 'paid');
  end if;
  return null;
end $$;

CREATE FUNCTION public.append_link_status() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'links', new.created_at, new.id, new.location_id, new.external_reference,
      old.status, new.status);
  return null;
end $$;

CREATE FUNCTION public.append_new_delivery() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'deliveries', new.created_at, new.id, new.endpoint_id, new.type, null, new.status);
  return null;
end $$;

CREATE FUNCTION public.append_new_link() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'links', new.created_at, new.id, new.location_id, new.external_reference, null, new.status);
  if new.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', new.paid_at, new.id, new.location_id, null, null, 'paid');
  end if;
  return null;
end $$;

CREATE FUNCTION public.append_payment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if old.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', old.paid_at, new.id, new.location_id, null, 'paid', null);
  end if;
  if new.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', new.paid_at, new.id, new.location_id, null, null, 'paid');
  end if;
  return null;
end $$;

CREATE FUNCTION public.check_list_chunk(p_practice_id text, p_test boolean, p_list text, p_from_at timestamp with time zone, p_from_id text, p_repair boolean, p_size integer, OUT wrong integer, OUT next_at timestamp with time zone, OUT next_id text) RETURNS record
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_variable
declare
  start_at timestamptz := p_from_at;
  start_id text := p_from_id;
begin
  perform lock_list_counts();
  if p_from_at > '-infinity' then
    select c.start_at, c.start_id into start_at, start_id from list_chunks c
      where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
        and (c.start_at, c.start_id) >= (p_from_at, p_from_id)
      order by c.start_at, c.start_id limit 1;
    if not found then wrong := 0; return; end if;
  end if;
  select c.start_at, c.start_id into next_at, next_id from list_chunks c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and (c.start_at, c.start_id) > (start_at, start_id)
    order by c.start_at, c.start_id limit 1;
  select count(*) into wrong from wrong_list_counts(
    p_practice_id, p_test, p_list, start_at, start_id, coalesce(next_at, 'infinity'), coalesce(next_id, ''));
  if not p_repair then return; end if;
  if wrong > 0 then
    delete from list_counts c
      where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
        and (c.start_at, c.start_id) >= (start_at, start_id)
        and (c.start_at, c.start_id) < (coalesce(next_at, 'infinity'), coalesce(next_id, ''));
    insert into list_counts
      select p_practice_id, p_test, p_list, group_id, label, start_at, start_id, status, row_count
      from true_list_counts(
        p_practice_id, p_test, p_list, start_at, start_id, coalesce(next_at, 'infinity'), coalesce(next_id, ''));
  end if;
  perform split_large_chunk(p_practice_id, p_test, p_list, start_at, start_id, p_size);
  -- The next chunk may be one that was split off.
  select c.start_at, c.start_id into next_at, next_id from list_chunks c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and (c.start_at, c.start_id) > (start_at, start_id)
    order by c.start_at, c.start_id limit 1;
end $$;

CREATE FUNCTION public.count_frequent_reference() RETURNS integer
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  f frequent_references;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('list_counts', 0)) then return 0; end if;
  select * into f from frequent_references where not is_counted limit 1 for update skip locked;
  if not found then return 0; end if;
  insert into list_counts
    select f.practice_id, f.test, 'links', g, f.reference, coalesce(c.start_at, '-infinity'), coalesce(c.start_id, ''),
      r.status, sum(r.change)
    from (
      select created_at as at, id, location_id, p.status, 1 as change from payment_links p
      where p.practice_id = f.practice_id and p.test = f.test and p.external_reference = f.reference
      union all
      select l.at, l.id, l.group_id, m.status, -m.change
      from list_changes l, lateral (values (l.status_before, -1), (l.status_after, 1)) as m (status, change)
      where l.practice_id = f.practice_id and l.test = f.test and l.list = 'links' and l.label = f.reference
        and m.status is not null
    ) as r
      left join lateral (
        select c.start_at, c.start_id from list_chunks c
        where c.practice_id = f.practice_id and c.test = f.test and c.list = 'links'
          and (c.start_at, c.start_id) <= (r.at, r.id)
        order by c.start_at desc, c.start_id desc limit 1
      ) as c on true,
      unnest(array['', r.location_id]) as g
    group by g, c.start_at, c.start_id, r.status having sum(r.change) <> 0;
  update frequent_references set is_counted = true
    where practice_id = f.practice_id and test = f.test and reference = f.reference;
  return 1;
end $$;

CREATE FUNCTION public.counts_of_row(p_practice_id text, p_test boolean, p_list text, p_group_id text, p_label text) RETURNS TABLE(group_id text, label text)
    LANGUAGE sql STABLE
    AS $$
  select g, l
  from unnest(array['', p_group_id]) as g,
    unnest(case when p_label is not null and (p_list = 'deliveries' or exists (
        select from frequent_references f
        where f.practice_id = p_practice_id and f.test = p_test and f.reference = p_label and f.is_counted))
      then array['', p_label] else array[''] end) as l
$$;

CREATE FUNCTION public.create_link(p_api_key_id text, p_idempotency_key text, p_body_hash bytea, p_remembered_since timestamp with time zone, p_now timestamp with time zone, p_daily_cap integer, p_practice_id text, p_snapshot text, p_link json, p_reply text, OUT outcome text, OUT stored_reply text, OUT snapshot text) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  locked boolean;
  stored record;
  link payment_links;
begin
  locked := pg_try_advisory_xact_lock(hashtextextended(p_api_key_id || ':' || p_idempotency_key, 0));
  -- Plan hint REPLY_BY_PRIMARY_KEY: no condition on created_at, or a plan of the small table walks the index of ages.
  select r.body_hash, r.reply, r.created_at into stored from idempotent_replies r
    where r.api_key_id = p_api_key_id and r.idempotency_key = p_idempotency_key;
  -- A stored reply is final, even if another repetition of the request has the lock at this moment.
  if found and stored.created_at > p_remembered_since then
    outcome := case when stored.body_hash = p_body_hash then 'replayed' else 'reused' end;
    if outcome = 'replayed' then stored_reply := stored.reply; end if;
    return;
  end if;
  if not locked then outcome := 'in_flight'; return; end if;
  snapshot := practice_snapshot(p_practice_id);
  if p_link is null or snapshot is distinct from p_snapshot then outcome := 'stale_snapshot'; return; end if;
  insert into daily_link_counts as c (api_key_id, day, created_count)
    values (p_api_key_id, (p_now at time zone 'UTC')::date, 1)
    on conflict (api_key_id, day) do update set created_count = c.created_count + 1 where c.created_count < p_daily_cap;
  if not found then outcome := 'capped'; return; end if;
  link := json_populate_record(null::payment_links, p_link);
  if not link.test then
    link.patient_id := match_patient(p_practice_id, link.patient_external_id, link.patient_phone);
  end if;
  insert into payment_links select link.*;
  -- Only a forgotten reply may be replaced.
  insert into idempotent_replies as r (api_key_id, idempotency_key, body_hash, reply, created_at)
    values (p_api_key_id, p_idempotency_key, p_body_hash, p_reply, p_now)
    on conflict (api_key_id, idempotency_key) do update
      set body_hash = excluded.body_hash, reply = excluded.reply, created_at = excluded.created_at
      where r.created_at <= p_remembered_since;
  if not found then
    raise serialization_failure using message = 'a reply was stored without the lock', hint = 'try again';
  end if;
  outcome := 'created';
end $$;

CREATE FUNCTION public.create_links(p_api_key_ids text[], p_idempotency_keys text[], p_body_hashes bytea[], p_practice_ids text[], p_snapshots text[], p_links json[], p_replies text[], p_remembered_since timestamp with time zone, p_now timestamp with time zone, p_daily_cap integer, p_lock_wait_ms integer, p_leaves_out boolean) RETURNS SETOF public.written_link
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.fill_rate_windows(p_subjects text[], p_limits integer[], p_admitted_before bigint[], p_admitted bigint[], p_oldest bigint[], p_oldest_times timestamp with time zone[], p_moments timestamp with time zone[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into rate_slots (subject, slot, admitted_at)
    select t.subject, (number % slots)::integer, moment
    from unnest(p_subjects, p_limits, p_admitted_before, p_admitted, p_moments) as t (subject, slots, before, now, moment),
      generate_series(before, now - 1) as number
    on conflict (subject, slot) do update set admitted_at = excluded.admitted_at;
  update rate_windows w set admitted = now, oldest = t.oldest, newest_at = moment, oldest_at = t.oldest_at
    from unnest(p_subjects, p_admitted_before, p_admitted, p_oldest, p_oldest_times, p_moments)
      as t (subject, before, now, oldest, oldest_at, moment)
    where w.subject = t.subject and now > before;
end $$;

CREATE FUNCTION public.fold_changes_of(p_practice_id text, p_limit integer, p_size integer) RETURNS integer
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  folded integer;
  touched list_chunks[];
  emptied list_counts[];
  chunk list_chunks;
begin
  with taken as (
    delete from list_changes where ctid = any (array(
      select l.ctid from list_changes l where p_practice_id is null or l.practice_id = p_practice_id limit p_limit)) returning *
  ), placed as (
    select t.practice_id, t.test, t.list, t.group_id, t.label, m.status, m.change,
      coalesce(c.start_at, '-infinity') as start_at, coalesce(c.start_id, '') as start_id
    from taken t
      left join lateral (
        select c.start_at, c.start_id from list_chunks c
        where c.practice_id = t.practice_id and c.test = t.test and c.list = t.list
          and (c.start_at, c.start_id) <= (t.at, t.id)
        order by c.start_at desc, c.start_id desc limit 1
      ) as c on true,
      lateral (values (t.status_before, -1), (t.status_after, 1)) as m (status, change)
    where m.status is not null
  ), summed as (
    select practice_id, test, list, group_id, label, start_at, start_id, status, sum(change) as change
    from placed group by practice_id, test, list, group_id, label, start_at, start_id, status having sum(change) <> 0
  ), counts as (
    insert into list_counts as c
      select s.practice_id, s.test, s.list, r.group_id, r.label, s.start_at, s.start_id, s.status, sum(s.change)
      from summed s, counts_of_row(s.practice_id, s.test, s.list, s.group_id, s.label) as r
      group by s.practice_id, s.test, s.list, r.group_id, r.label, s.start_at, s.start_id, s.status
      having sum(s.change) <> 0
      on conflict (practice_id, test, list, group_id, label, start_at, start_id, status)
        do update set row_count = c.row_count + excluded.row_count
      returning c.*
  ), candidates as (
    insert into frequent_references
      select practice_id, test, label
      from (
        select distinct practice_id, test, label from taken
        where list = 'links' and label is not null and status_after is not null and hashtext(id) & 15 = 0
      ) as t
      where not exists (
          select from frequent_references f
          where f.practice_id = t.practice_id and f.test = t.test and f.reference = t.label)
        and exists (
          select from payment_links p
          where p.practice_id = t.practice_id and p.test = t.test and p.external_reference = t.label
          offset p_size limit 1)
      on conflict do nothing
  )
  select (select count(*) from taken),
    (select array_agg(distinct row(practice_id, test, list, start_at, start_id)::list_chunks) from counts),
    (select array_agg(c::list_counts) from counts c where row_count = 0)
    into folded, touched, emptied;
  delete from list_counts c using unnest(emptied) as e
    where c.practice_id = e.practice_id and c.test = e.test and c.list = e.list and c.group_id = e.group_id
      and c.label = e.label and c.start_at = e.start_at and c.start_id = e.start_id and c.status = e.status;
  if touched is not null then
    foreach chunk in array touched loop
      perform split_large_chunk(
        chunk.practice_id, chunk.test, chunk.list, chunk.start_at, chunk.start_id, p_size);
    end loop;
  end if;
  return folded;
end $$;

CREATE FUNCTION public.fold_list_changes(p_limit integer, p_size integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  owner text;
  folded integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('list_counts', 0)) then return 0; end if;
  begin
    return fold_changes_of(null, p_limit, p_size);
  exception when lock_not_available then null;
  end;
  for owner in select distinct practice_id from list_changes loop
    begin
      folded := folded + fold_changes_of(owner, p_limit, p_size);
    exception when lock_not_available then null;
    end;
  end loop;
  return folded;
end $$;

CREATE FUNCTION public.lock_list_counts() RETURNS void
    LANGUAGE sql
    AS $$
  select pg_advisory_xact_lock(hashtextextended('list_counts', 0))
$$;

CREATE FUNCTION public.match_patient(p_practice_id text, p_external_id text, p_phone text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select coalesce(
    (select id from patients where practice_id = p_practice_id and external_id = p_external_id order by id limit 1),
    (select id from patients where practice_id = p_practice_id and phone = p_phone order by id limit 1))
$$;

CREATE FUNCTION public.open_rate_windows(p_subjects text[], p_limits integer[], p_now timestamp with time zone, p_leaves_out boolean, OUT admitted bigint[], OUT oldest bigint[], OUT oldest_times timestamp with time zone[], OUT moments timestamp with time zone[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  w rate_windows;
  lockable text[] := p_subjects;
  moment timestamptz;
  at integer;
  locked integer := 0;
begin
  admitted := array_fill(null::bigint, array[cardinality(p_subjects)]);
  oldest := admitted;
  oldest_times := array_fill(null::timestamptz, array[cardinality(p_subjects)]);
  moments := oldest_times;
  if p_leaves_out then
    select coalesce(array_agg(free.subject), '{}') into lockable
      from (select r.subject from rate_windows r where r.subject = any (p_subjects) for update skip locked) as free;
  end if;
  for w in
    select * from rate_windows r where r.subject = any (lockable) order by r.subject collate "C" desc for update
  loop
    locked := locked + 1;
    at := array_position(p_subjects, w.subject);
    moment := coalesce(p_now, clock_timestamp());
    if w.newest_at <= moment - interval '60 seconds' or w.newest_at > moment + interval '60 seconds' then
      -- The last admission is a minute old; or the clock was set back, so the stored times are meaningless.
      w.oldest := w.admitted;
    else
      -- Small steps back of the clock are ignored.
      moment := greatest(moment, w.newest_at);
      while w.oldest < w.admitted and w.oldest_at <= moment - interval '60 seconds' loop
        w.oldest := w.oldest + 1;
        select s.admitted_at into w.oldest_at from rate_slots s
          where s.subject = w.subject and s.slot = (w.oldest % p_limits[at])::integer;
      end loop;
    end if;
    admitted[at] := w.admitted;
    oldest[at] := w.oldest;
    -- In an empty window, the next admission will be the oldest.
    oldest_times[at] := case when w.oldest = w.admitted then moment else w.oldest_at end;
    moments[at] := moment;
  end loop;
  if locked = cardinality(p_subjects) then return; end if;
  for w in
    insert into rate_windows (subject, admitted, oldest, newest_at)
      select missing, 0, 0, '-infinity' from unnest(p_subjects, admitted) as asked (missing, is_open)
      where is_open is null order by missing collate "C" desc
      on conflict (subject) do nothing returning *
  loop
    locked := locked + 1;
    at := array_position(p_subjects, w.subject);
    moment := coalesce(p_now, clock_timestamp());
    admitted[at] := 0;
    oldest[at] := 0;
    oldest_times[at] := moment;
    moments[at] := moment;
  end loop;
  if locked < cardinality(p_subjects) and not p_leaves_out then
    raise serialization_failure using message = 'a rate window was inserted or deleted meanwhile', hint = 'try again';
  end if;
end $$;

CREATE FUNCTION public.practice_snapshot(p_practice_id text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select json_build_object('paymentsEnabled', payments_enabled, 'activeLocations', (
      select coalesce(json_agg(json_build_object('id', id, 'name', name) order by id), '[]')
      from locations where practice_id = p_practice_id and active))::text
    from practices where id = p_practice_id
$$;

CREATE FUNCTION public.seconds_until_free(p_oldest_at timestamp with time zone, p_moment timestamp with time zone) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  select greatest(1, ceil(extract(epoch from p_oldest_at + interval '60 seconds' - p_moment)))::integer
$$;

CREATE FUNCTION public.split_large_chunk(p_practice_id text, p_test boolean, p_list text, p_start_at timestamp with time zone, p_start_id text, p_size integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  total bigint;
begin
  select sum(c.row_count) into total from list_counts c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list and c.group_id = '' and c.label = ''
      and c.start_at = p_start_at and c.start_id = p_start_id;
  if total is null then
    delete from list_chunks c
      where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
        and c.start_at = p_start_at and c.start_id = p_start_id;
  elsif total > 2 * p_size then
    perform split_list_chunk(p_practice_id, p_test, p_list, p_start_at, p_start_id, p_size);
  end if;
end $$;

CREATE FUNCTION public.split_list_chunk(p_practice_id text, p_test boolean, p_list text, p_start_at timestamp with time zone, p_start_id text, p_size integer) RETURNS integer
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  next_at timestamptz;
  next_id text;
  starts list_chunks[];
  from_at timestamptz := p_start_at;
  from_id text := p_start_id;
  last list_chunks;
  chunk list_chunks;
begin
  select c.start_at, c.start_id into next_at, next_id from list_chunks c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and (c.start_at, c.start_id) > (p_start_at, p_start_id)
    order by c.start_at, c.start_id limit 1;
  select array_agg(row(p_practice_id, p_test, p_list, at, id)::list_chunks order by number) into starts
    from (
      select at, id, row_number() over (order by at, id) - 1 as number
      from (
        select l.at, l.id from listed_rows l
        where l.practice_id = p_practice_id and l.test = p_test and l.list = p_list
          and (l.at, l.id) >= (p_start_at, p_start_id)
          and (l.at, l.id) < (coalesce(next_at, 'infinity'), coalesce(next_id, ''))
        order by l.at, l.id limit p_size * 50 + 1
      ) as oldest
    ) as numbered
    where number > 0 and number % p_size = 0;
  if starts is null then return 0; end if;
  insert into list_chunks select * from unnest(starts);
  last := starts[cardinality(starts)];
  update list_counts c set start_at = last.start_at, start_id = last.start_id
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and c.start_at = p_start_at and c.start_id = p_start_id;
  foreach chunk in array starts loop
    with truth as (
      select * from true_list_counts(p_practice_id, p_test, p_list, from_at, from_id, chunk.start_at, chunk.start_id)
    ), taken as (
      insert into list_counts as c
        select p_practice_id, p_test, p_list, group_id, label, last.start_at, last.start_id, status, -row_count from truth
        on conflict (practice_id, test, list, group_id, label, start_at, start_id, status)
          do update set row_count = c.row_count + excluded.row_count
    )
    insert into list_counts
      select p_practice_id, p_test, p_list, group_id, label, from_at, from_id, status, row_count from truth;
    from_at := chunk.start_at;
    from_id := chunk.start_id;
  end loop;
  delete from list_counts c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and c.start_at = last.start_at and c.start_id = last.start_id and c.row_count = 0;
  return cardinality(starts);
end $$;

CREATE FUNCTION public.take_rate_slot(p_subject text, p_limit integer, p_now timestamp with time zone, OUT granted boolean, OUT remaining integer, OUT reset_seconds integer) RETURNS record
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  w record;
begin
  w := open_rate_windows(array[p_subject], array[p_limit], p_now, false);
  remaining := p_limit - (w.admitted[1] - w.oldest[1]);
  granted := remaining > 0;
  if granted then
    remaining := remaining - 1;
    perform fill_rate_windows(
      array[p_subject], array[p_limit], w.admitted, array[w.admitted[1] + 1], w.oldest, w.oldest_times, w.moments);
  end if;
  reset_seconds := seconds_until_free(w.oldest_times[1], w.moments[1]);
end $$;

CREATE FUNCTION public.true_list_counts(p_practice_id text, p_test boolean, p_list text, p_from_at timestamp with time zone, p_from_id text, p_to_at timestamp with time zone, p_to_id text) RETURNS TABLE(group_id text, label text, status text, row_count bigint)
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
begin
  return query
    select c.group_id, c.label, r.status, sum(r.change)::bigint
    from (
      select l.group_id, l.label, l.status, count(*) as change from listed_rows l
      where l.practice_id = p_practice_id and l.test = p_test and l.list = p_list
        and (l.at, l.id) >= (p_from_at, p_from_id) and (l.at, l.id) < (p_to_at, p_to_id)
      group by l.group_id, l.label, l.status
      union all
      select l.group_id, l.label, m.status, -m.change
      from list_changes l, lateral (values (l.status_before, -1), (l.status_after, 1)) as m (status, change)
      where l.practice_id = p_practice_id and l.test = p_test and l.list = p_list and m.status is not null
        and (l.at, l.id) >= (p_from_at, p_from_id) and (l.at, l.id) < (p_to_at, p_to_id)
    ) as r, counts_of_row(p_practice_id, p_test, p_list, r.group_id, r.label) as c
    group by c.group_id, c.label, r.status having sum(r.change) <> 0;
end $$;

CREATE FUNCTION public.wrong_list_counts(p_practice_id text, p_test boolean, p_list text, p_from_at timestamp with time zone, p_from_id text, p_to_at timestamp with time zone, p_to_id text) RETURNS TABLE(group_id text, label text, status text, kept bigint, counted bigint)
    LANGUAGE sql STABLE
    AS $$
  select group_id, label, status, sum(kept)::bigint, sum(counted)::bigint
  from (
    select group_id, label, status, row_count as kept, 0 as counted from list_counts c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and (c.start_at, c.start_id) >= (p_from_at, p_from_id) and (c.start_at, c.start_id) < (p_to_at, p_to_id)
    union all
    select group_id, label, status, 0, row_count
    from true_list_counts(p_practice_id, p_test, p_list, p_from_at, p_from_id, p_to_at, p_to_id)
  ) as either
  group by group_id, label, status having sum(kept) <> sum(counted)
$$;

CREATE TABLE graphile_worker._private_job_queues (
    id integer NOT NULL,
    queue_name text NOT NULL,
    locked_at timestamp with time zone,
    locked_by text,
    is_available boolean GENERATED ALWAYS AS ((locked_at IS NULL)) STORED NOT NULL,
    CONSTRAINT job_queues_queue_name_check CHECK ((length(queue_name) <= 128))
);

CREATE TABLE graphile_worker._private_known_crontabs (
    identifier text NOT NULL,
    known_since timestamp with time zone NOT NULL,
    last_execution timestamp with time zone
);

CREATE TABLE graphile_worker._private_tasks (
    id integer NOT NULL,
    identifier text NOT NULL,
    CONSTRAINT tasks_identifier_check CHECK ((length(identifier) <= 128))
);

ALTER TABLE graphile_worker._private_job_queues ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME graphile_worker.job_queues_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW graphile_worker.jobs AS
 SELECT jobs.id,
    job_queues.queue_name,
    tasks.identifier AS task_identifier,
    jobs.priority,
    jobs.run_at,
    jobs.attempts,
    jobs.max_attempts,
    jobs.last_error,
    jobs.created_at,
    jobs.updated_at,
    jobs.key,
    jobs.locked_at,
    jobs.locked_by,
    jobs.revision,
    jobs.flags
   FROM ((graphile_worker._private_jobs jobs
     JOIN graphile_worker._private_tasks tasks ON ((tasks.id = jobs.task_id)))
     LEFT JOIN graphile_worker._private_job_queues job_queues ON ((job_queues.id = jobs.job_queue_id)));

ALTER TABLE graphile_worker._private_jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME graphile_worker.jobs_id_seq1
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE graphile_worker.migrations (
    id integer NOT NULL,
    ts timestamp with time zone DEFAULT now() NOT NULL,
    breaking boolean DEFAULT false NOT NULL
);

ALTER TABLE graphile_worker._private_tasks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME graphile_worker.tasks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.api_keys (
    id text NOT NULL,
    practice_id text NOT NULL,
    test boolean NOT NULL,
    hash bytea NOT NULL,
    ciphertext text,
    last_four text NOT NULL,
    scopes text[] NOT NULL,
    location_id text,
    requests_per_minute integer NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT api_keys_check CHECK (((ciphertext IS NULL) OR test)),
    CONSTRAINT api_keys_requests_per_minute_check CHECK ((requests_per_minute > 0))
);

CREATE TABLE public.bank_reversals (
    id text NOT NULL,
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    transaction_id text NOT NULL,
    processor_reference text NOT NULL,
    amount_cents integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT bank_reversals_amount_cents_check CHECK ((amount_cents > 0))
);

CREATE TABLE public.daily_link_counts (
    api_key_id text NOT NULL,
    day date NOT NULL,
    created_count integer NOT NULL
)
WITH (fillfactor='60');

CREATE TABLE public.disputes (
    id text NOT NULL,
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    transaction_id text NOT NULL,
    processor_reference text,
    status text NOT NULL,
    amount_cents integer NOT NULL,
    reason text NOT NULL,
    evidence_due_by timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    closed_at timestamp(3) with time zone,
    CONSTRAINT disputes_amount_cents_check CHECK ((amount_cents > 0)),
    CONSTRAINT disputes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])))
);

CREATE TABLE public.frequent_references (
    practice_id text NOT NULL,
    test boolean NOT NULL,
    reference text NOT NULL,
    is_counted boolean DEFAULT false NOT NULL
);

CREATE TABLE public.idempotent_replies (
    api_key_id text NOT NULL,
    idempotency_key text NOT NULL,
    body_hash bytea NOT NULL,
    reply text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.job_runner_heartbeats (
    runner_id text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);

CREATE TABLE public.list_changes (
    practice_id text NOT NULL,
    test boolean NOT NULL,
    list text NOT NULL,
    at timestamp with time zone NOT NULL,
    id text NOT NULL,
    group_id text NOT NULL,
    label text,
    status_before text,
    status_after text
);

CREATE TABLE public.list_chunks (
    practice_id text NOT NULL,
    test boolean NOT NULL,
    list text NOT NULL,
    start_at timestamp with time zone NOT NULL,
    start_id text NOT NULL
);

CREATE TABLE public.list_counts (
    practice_id text NOT NULL,
    test boolean NOT NULL,
    list text NOT NULL,
    group_id text NOT NULL,
    label text NOT NULL,
    start_at timestamp with time zone NOT NULL,
    start_id text NOT NULL,
    status text NOT NULL,
    row_count bigint NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE public.payment_links (
    id text NOT NULL,
    practice_id text NOT NULL,
    location_id text NOT NULL,
    test boolean NOT NULL,
    token text NOT NULL,
    status text NOT NULL,
    source text NOT NULL,
    amount_cents integer NOT NULL,
    currency text NOT NULL,
    description text NOT NULL,
    external_reference text,
    metadata json,
    patient_id text,
    patient_first_name text NOT NULL,
    patient_last_name text NOT NULL,
    patient_phone text,
    patient_email text,
    patient_external_id text,
    expires_at timestamp(3) with time zone NOT NULL,
    open_attempt_id text,
    paid_at timestamp(3) with time zone,
    closed_at timestamp(3) with time zone,
    closed_by text,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT payment_links_amount_cents_check CHECK (((amount_cents >= 1) AND (amount_cents <= 99999999))),
    CONSTRAINT payment_links_check CHECK (((test = false) OR (patient_id IS NULL))),
    CONSTRAINT payment_links_check1 CHECK (((status = 'paid'::text) = (paid_at IS NOT NULL))),
    CONSTRAINT payment_links_check2 CHECK (((status = 'active'::text) = (closed_at IS NULL))),
    CONSTRAINT payment_links_closed_by_check CHECK ((closed_by = ANY (ARRAY['api'::text, 'staff'::text, 'system'::text, 'simulated'::text]))),
    CONSTRAINT payment_links_currency_check CHECK ((currency = 'usd'::text)),
    CONSTRAINT payment_links_source_check CHECK ((source = ANY (ARRAY['api'::text, 'staff'::text, 'website'::text]))),
    CONSTRAINT payment_links_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paid'::text, 'expired'::text, 'cancelled'::text])))
);

CREATE TABLE public.webhook_deliveries (
    id text NOT NULL,
    practice_id text NOT NULL,
    endpoint_id text NOT NULL,
    payment_link_id text,
    type text NOT NULL,
    test boolean NOT NULL,
    status text NOT NULL,
    payload text NOT NULL,
    delivery_run text NOT NULL,
    run_attempts integer DEFAULT 0 NOT NULL,
    attempt_count integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone,
    rank smallint DEFAULT 0 NOT NULL,
    last_attempt_at timestamp(3) with time zone,
    delivered_at timestamp(3) with time zone,
    last_response_status integer,
    last_error text,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT webhook_deliveries_check CHECK (((status = 'delivered'::text) <= (delivered_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_check1 CHECK (((due_at IS NOT NULL) = (status = ANY (ARRAY['pending'::text, 'retrying'::text])))),
    CONSTRAINT webhook_deliveries_delivery_run_check CHECK ((delivery_run = ANY (ARRAY['automatic'::text, 'redelivery'::text, 'replay'::text]))),
    CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'retrying'::text, 'delivered'::text, 'exhausted'::text, 'skipped'::text])))
);

CREATE VIEW public.listed_rows AS
 SELECT 'links'::text AS list,
    payment_links.practice_id,
    payment_links.test,
    payment_links.created_at AS at,
    payment_links.id,
    payment_links.location_id AS group_id,
    payment_links.external_reference AS label,
    payment_links.status
   FROM public.payment_links
UNION ALL
 SELECT 'payments'::text AS list,
    payment_links.practice_id,
    payment_links.test,
    payment_links.paid_at AS at,
    payment_links.id,
    payment_links.location_id AS group_id,
    NULL::text AS label,
    'paid'::text AS status
   FROM public.payment_links
  WHERE (payment_links.paid_at IS NOT NULL)
UNION ALL
 SELECT 'deliveries'::text AS list,
    webhook_deliveries.practice_id,
    webhook_deliveries.test,
    webhook_deliveries.created_at AS at,
    webhook_deliveries.id,
    webhook_deliveries.endpoint_id AS group_id,
    webhook_deliveries.type AS label,
    webhook_deliveries.status
   FROM public.webhook_deliveries;

CREATE TABLE public.locations (
    id text NOT NULL,
    practice_id text NOT NULL,
    name text NOT NULL,
    city text NOT NULL,
    state text NOT NULL,
    phone text,
    time_zone text NOT NULL,
    active boolean NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.page_assets (
    path text NOT NULL,
    type text NOT NULL,
    bytes bytea NOT NULL,
    recorded_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.patients (
    id text NOT NULL,
    practice_id text NOT NULL,
    external_id text,
    first_name text NOT NULL,
    last_name text NOT NULL,
    phone text,
    email text,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.payment_admin_mails (
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    kind text NOT NULL,
    subject_id text NOT NULL,
    queued_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.payment_attempts (
    id text NOT NULL,
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    status text NOT NULL,
    processor text NOT NULL,
    processor_account_id text NOT NULL,
    processor_reference text,
    method_type text NOT NULL,
    amount_cents integer NOT NULL,
    currency text NOT NULL,
    failure_reason text,
    locale text,
    address text,
    authorisation_hash bytea,
    authorisation_text text,
    created_at timestamp(3) with time zone NOT NULL,
    closed_at timestamp(3) with time zone,
    reconcile_at timestamp(3) with time zone,
    submitting_until timestamp(3) with time zone,
    CONSTRAINT payment_attempts_amount_cents_check CHECK ((amount_cents > 0)),
    CONSTRAINT payment_attempts_check CHECK (((failure_reason IS NOT NULL) = (status = 'failed'::text))),
    CONSTRAINT payment_attempts_check1 CHECK (((closed_at IS NULL) = (status = ANY (ARRAY['open'::text, 'requires_action'::text])))),
    CONSTRAINT payment_attempts_check2 CHECK (((closed_at IS NOT NULL) OR (reconcile_at IS NOT NULL))),
    CONSTRAINT payment_attempts_method_type_check CHECK ((method_type = ANY (ARRAY['card'::text, 'us_bank_account'::text]))),
    CONSTRAINT payment_attempts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'requires_action'::text, 'accepted'::text, 'failed'::text, 'cancelled'::text])))
);

CREATE TABLE public.practices (
    id text NOT NULL,
    name text NOT NULL,
    admin_email text NOT NULL,
    phone text,
    payments_enabled boolean NOT NULL,
    api_access_enabled boolean NOT NULL,
    processor_account_id text,
    bank_debits_enabled boolean NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.processor_notifications (
    processor text NOT NULL,
    id text NOT NULL,
    account_id text,
    subject json NOT NULL,
    received_at timestamp(3) with time zone NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone
);

CREATE UNLOGGED TABLE public.rate_slots (
    subject text NOT NULL,
    slot integer NOT NULL,
    admitted_at timestamp with time zone NOT NULL
)
WITH (fillfactor='60');

CREATE UNLOGGED TABLE public.rate_windows (
    subject text NOT NULL,
    admitted bigint NOT NULL,
    oldest bigint NOT NULL,
    newest_at timestamp with time zone NOT NULL,
    oldest_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
)
WITH (fillfactor='60');

CREATE TABLE public.refunds (
    id text NOT NULL,
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    transaction_id text NOT NULL,
    bank_reversal_id text,
    processor_reference text,
    amount_cents integer NOT NULL,
    status text NOT NULL,
    reason text,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT refunds_amount_cents_check CHECK ((amount_cents > 0)),
    CONSTRAINT refunds_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);

CREATE TABLE public.schema_functions (
    name text NOT NULL,
    hash text NOT NULL,
    release integer[] NOT NULL
);

CREATE TABLE public.schema_migrations (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    executed_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP(6) NOT NULL
);

CREATE SEQUENCE public.schema_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.schema_migrations_id_seq OWNED BY public.schema_migrations.id;

CREATE TABLE public.sealed_replies (
    api_key_id text NOT NULL,
    operation text NOT NULL,
    idempotency_key text NOT NULL,
    request_hash bytea NOT NULL,
    reply_ciphertext text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.transactions (
    id text NOT NULL,
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    attempt_id text,
    status text NOT NULL,
    amount_cents integer NOT NULL,
    fee_cents integer,
    net_cents integer,
    payment_method_type text NOT NULL,
    payment_method_brand text,
    payment_method_last4 text,
    payment_number text DEFAULT ((((100000000)::double precision + floor((random() * (900000000)::double precision))))::integer)::text,
    statement_descriptor text,
    failure_reason text,
    processed_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    reconcile_at timestamp(3) with time zone,
    CONSTRAINT transactions_check CHECK (((failure_reason IS NOT NULL) = (status = 'failed'::text))),
    CONSTRAINT transactions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'refunded'::text])))
);

CREATE TABLE public.webhook_attempts (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    endpoint_id text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer,
    response_status integer,
    error text,
    lease_epoch bigint NOT NULL
);

CREATE TABLE public.webhook_endpoints (
    id text NOT NULL,
    practice_id text NOT NULL,
    test boolean NOT NULL,
    location_id text,
    url text NOT NULL,
    enabled_events text[] NOT NULL,
    description text,
    status text NOT NULL,
    secret_ciphertext text NOT NULL,
    previous_secret_ciphertext text,
    previous_secret_until timestamp(3) with time zone,
    consecutive_exhausted integer DEFAULT 0 NOT NULL,
    replayed_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    lease_epoch bigint DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    wake_count bigint DEFAULT 0 NOT NULL,
    deleted_at timestamp(3) with time zone,
    CONSTRAINT webhook_endpoints_check CHECK (((deleted_at IS NULL) OR ((status = 'disabled'::text) AND (url = ''::text) AND (secret_ciphertext = ''::text) AND (previous_secret_ciphertext IS NULL)))),
    CONSTRAINT webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text])))
)
WITH (fillfactor='60');

CREATE TABLE sandbox.disputes (
    reference text NOT NULL,
    payment text NOT NULL,
    amount_cents integer NOT NULL,
    reason text NOT NULL,
    state text NOT NULL,
    evidence_due_by timestamp(3) with time zone,
    is_bank_reversal boolean NOT NULL,
    CONSTRAINT disputes_state_check CHECK ((state = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])))
);

CREATE TABLE sandbox.payments (
    reference text NOT NULL,
    account text NOT NULL,
    attempt text NOT NULL,
    amount_cents integer NOT NULL,
    method_token text NOT NULL,
    method_type text NOT NULL,
    state text NOT NULL,
    failure_reason text,
    final_at timestamp(3) with time zone,
    CONSTRAINT payments_state_check CHECK ((state = ANY (ARRAY['created'::text, 'requires_action'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
);

CREATE TABLE sandbox.refunds (
    reference text NOT NULL,
    payment text NOT NULL,
    refund text,
    amount_cents integer NOT NULL,
    state text NOT NULL,
    final_at timestamp(3) with time zone,
    arrives boolean DEFAULT true NOT NULL,
    number bigint NOT NULL,
    CONSTRAINT refunds_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);

ALTER TABLE sandbox.refunds ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME sandbox.refunds_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE sandbox.secret (
    secret text NOT NULL
);

ALTER TABLE ONLY public.schema_migrations ALTER COLUMN id SET DEFAULT nextval('public.schema_migrations_id_seq'::regclass);

INSERT INTO graphile_worker._private_jobs OVERRIDING SYSTEM VALUE VALUES
	(1, NULL, 1, '{"id":"sbx_msg_bf118eeb9d900c39b9659e7f","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_831aa9869a887ea2744ede37"}}', 0, '2026-11-22 08:31:02.134132+00', 0, 25, NULL, '2026-11-22 08:31:02.134132+00', '2026-11-22 08:31:02.134132+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(2, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:02.140781+00', 0, 1, NULL, '2026-11-22 08:31:02.140781+00', '2026-11-22 08:31:02.140781+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(3, NULL, 1, '{"id":"sbx_msg_f5e6f5182ef1bee93f398e66","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_7ac828fa1bb17f315d1aabbb"}}', 0, '2026-11-22 08:31:02.226407+00', 0, 25, NULL, '2026-11-22 08:31:02.226407+00', '2026-11-22 08:31:02.226407+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(4, NULL, 1, '{"id":"sbx_msg_c4db35c409fea786ce34a8de","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_7ac828fa1bb17f315d1aabbb"}}', 0, '2030-06-18 12:00:00+00', 0, 25, NULL, '2026-11-22 08:31:02.231317+00', '2026-11-22 08:31:02.231317+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(5, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:02.233167+00', 0, 1, NULL, '2026-11-22 08:31:02.233167+00', '2026-11-22 08:31:02.233167+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(6, NULL, 1, '{"id":"sbx_msg_3bcbe957f12f5f0b8e6bf520","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_2c02ca2b1b2b70ca25b53983"}}', 0, '2026-11-22 08:31:02.347283+00', 0, 25, NULL, '2026-11-22 08:31:02.347283+00', '2026-11-22 08:31:02.347283+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(7, NULL, 1, '{"id":"sbx_msg_15ad784a09c6311c0be28e7c","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_2c02ca2b1b2b70ca25b53983"}}', 0, '2030-06-18 12:00:00+00', 0, 25, NULL, '2026-11-22 08:31:02.349668+00', '2026-11-22 08:31:02.349668+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(8, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:02.356677+00', 0, 1, NULL, '2026-11-22 08:31:02.356677+00', '2026-11-22 08:31:02.356677+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(9, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:02.416516+00', 0, 1, NULL, '2026-11-22 08:31:02.416516+00', '2026-11-22 08:31:02.416516+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(10, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:02.468663+00', 0, 1, NULL, '2026-11-22 08:31:02.468663+00', '2026-11-22 08:31:02.468663+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(11, NULL, 3, '{"processor" : "sandbox", "id" : "sbx_msg_f6f8e5796296fd3503e24cb1"}', 0, '2026-11-22 08:31:02.569896+00', 0, 1, NULL, '2026-11-22 08:31:02.569896+00', '2026-11-22 08:31:02.569896+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(12, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:02.592553+00', 0, 1, NULL, '2026-11-22 08:31:02.592553+00', '2026-11-22 08:31:02.592553+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(13, NULL, 3, '{"processor" : "sandbox", "id" : "sbx_msg_aff6add210dbe20d4e179bcd"}', 0, '2026-11-22 08:31:02.702706+00', 0, 1, NULL, '2026-11-22 08:31:02.702706+00', '2026-11-22 08:31:02.702706+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(14, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:02.729448+00', 0, 1, NULL, '2026-11-22 08:31:02.729448+00', '2026-11-22 08:31:02.729448+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(15, NULL, 4, '{"kind" : "dispute_opened", "paymentLinkId" : "plink_01qgqh4bg0ps01vmcecxcgwnxz", "subjectId" : "dp_01qgz8agg0e0shyz9r716yc55p", "amountCents" : 5000}', 0, '2026-11-22 08:31:02.729448+00', 0, 20, NULL, '2026-11-22 08:31:02.729448+00', '2026-11-22 08:31:02.729448+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(16, NULL, 1, '{"id":"sbx_msg_163dfef994ef6f1868818a48","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_fd8756456b9b3a88e5112e6c"}}', 0, '2026-11-22 08:31:02.863038+00', 0, 25, NULL, '2026-11-22 08:31:02.863038+00', '2026-11-22 08:31:02.863038+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(17, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:02.864715+00', 0, 1, NULL, '2026-11-22 08:31:02.864715+00', '2026-11-22 08:31:02.864715+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(18, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:02.959407+00', 0, 1, NULL, '2026-11-22 08:31:02.959407+00', '2026-11-22 08:31:02.959407+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(19, NULL, 1, '{"id":"sbx_msg_f63a6ba6368a23481feb38d1","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_31151c58130a6189ff2d4f58"}}', 0, '2026-11-22 08:31:03.041861+00', 0, 25, NULL, '2026-11-22 08:31:03.041861+00', '2026-11-22 08:31:03.041861+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(20, NULL, 1, '{"id":"sbx_msg_85201fdb7a495ac2eb16562d","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_946f1061971623675f74ed10"}}', 0, '2026-11-22 08:31:03.108747+00', 0, 25, NULL, '2026-11-22 08:31:03.108747+00', '2026-11-22 08:31:03.108747+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(21, NULL, 1, '{"id":"sbx_msg_812d12d8df16d3dd90499ea9","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_8618274134ba6af0ca076743"}}', 0, '2026-11-22 08:31:03.19656+00', 0, 25, NULL, '2026-11-22 08:31:03.19656+00', '2026-11-22 08:31:03.19656+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(22, NULL, 1, '{"id":"sbx_msg_781befa1d79347f976caffee","accountId":"sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk","subject":{"kind":"payment","reference":"sbx_pay_8618274134ba6af0ca076743"}}', 0, '2030-06-21 12:00:00+00', 0, 25, NULL, '2026-11-22 08:31:03.199658+00', '2026-11-22 08:31:03.199658+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(23, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:03.20884+00', 0, 1, NULL, '2026-11-22 08:31:03.20884+00', '2026-11-22 08:31:03.20884+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(24, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxw"}', 0, '2026-11-22 08:31:03.522956+00', 0, 1, NULL, '2026-11-22 08:31:03.522956+00', '2026-11-22 08:31:03.522956+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(25, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:03.522956+00', 0, 1, NULL, '2026-11-22 08:31:03.522956+00', '2026-11-22 08:31:03.522956+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(26, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxw"}', 0, '2030-06-18 14:00:30+00', 0, 1, NULL, '2026-11-22 08:31:03.547679+00', '2026-11-22 08:31:03.547679+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(27, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxw"}', 0, '2030-06-18 14:02:30+00', 0, 1, NULL, '2026-11-22 08:31:03.573755+00', '2026-11-22 08:31:03.573755+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(28, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxw"}', 0, '2030-06-18 14:12:30+00', 0, 1, NULL, '2026-11-22 08:31:03.587859+00', '2026-11-22 08:31:03.587859+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(29, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxw"}', 0, '2030-06-18 15:12:30+00', 0, 1, NULL, '2026-11-22 08:31:03.602517+00', '2026-11-22 08:31:03.602517+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(30, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxw"}', 0, '2030-06-18 21:12:30+00', 0, 1, NULL, '2026-11-22 08:31:03.620823+00', '2026-11-22 08:31:03.620823+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(31, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxw"}', 0, '2030-06-19 21:12:30+00', 0, 1, NULL, '2026-11-22 08:31:03.631076+00', '2026-11-22 08:31:03.631076+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(32, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxw"}', 0, '2030-06-21 21:12:30+00', 0, 1, NULL, '2026-11-22 08:31:03.645407+00', '2026-11-22 08:31:03.645407+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(33, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:03.674225+00', 0, 1, NULL, '2026-11-22 08:31:03.674225+00', '2026-11-22 08:31:03.674225+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(34, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2030-06-21 21:13:00+00', 0, 1, NULL, '2026-11-22 08:31:03.712684+00', '2026-11-22 08:31:03.712684+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(35, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxx"}', 0, '2026-11-22 08:31:03.737385+00', 0, 1, NULL, '2026-11-22 08:31:03.737385+00', '2026-11-22 08:31:03.737385+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(36, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxv"}', 0, '2026-11-22 08:31:03.737385+00', 0, 1, NULL, '2026-11-22 08:31:03.737385+00', '2026-11-22 08:31:03.737385+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(37, NULL, 2, '{"endpointId" : "we_01qgqh4bg0ps01vmcecxcgwnxy"}', 0, '2026-11-22 08:31:03.770705+00', 0, 1, NULL, '2026-11-22 08:31:03.770705+00', '2026-11-22 08:31:03.770705+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(38, NULL, 3, '{"processor" : "sandbox", "id" : "msg_1"}', 0, '2026-11-22 08:31:03.836586+00', 0, 1, NULL, '2026-11-22 08:31:03.836586+00', '2026-11-22 08:31:03.836586+00', NULL, NULL, NULL, 0, NULL, DEFAULT);

INSERT INTO graphile_worker._private_tasks OVERRIDING SYSTEM VALUE VALUES
	(1, 'sandbox_notification'),
	(2, 'deliver_webhooks'),
	(3, 'processor_notification'),
	(4, 'send_payment_admin_mail');

INSERT INTO graphile_worker.migrations VALUES
	(1, '2026-11-22 08:31:00.119234+00', true),
	(2, '2026-11-22 08:31:00.161187+00', false),
	(3, '2026-11-22 08:31:00.168128+00', true),
	(4, '2026-11-22 08:31:00.170406+00', false),
	(5, '2026-11-22 08:31:00.17204+00', false),
	(6, '2026-11-22 08:31:00.174177+00', false),
	(7, '2026-11-22 08:31:00.176349+00', false),
	(8, '2026-11-22 08:31:00.177925+00', false),
	(9, '2026-11-22 08:31:00.181498+00', false),
	(10, '2026-11-22 08:31:00.182763+00', false),
	(11, '2026-11-22 08:31:00.183767+00', true),
	(12, '2026-11-22 08:31:00.208724+00', false),
	(13, '2026-11-22 08:31:00.210224+00', true),
	(14, '2026-11-22 08:31:00.211657+00', true),
	(15, '2026-11-22 08:31:00.212944+00', false),
	(16, '2026-11-22 08:31:00.214663+00', true),
	(17, '2026-11-22 08:31:00.216938+00', false),
	(18, '2026-11-22 08:31:00.218347+00', false),
	(19, '2026-11-22 08:31:00.22028+00', true),
	(20, '2026-11-22 08:31:00.221712+00', false);

INSERT INTO public.api_keys VALUES
	('key_01qgqh4bg0ps01vmcecxcgwnxn', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', true, '\x45389d260d082659aa13c6efc9f275e46a97abb0f6b8ad01da65eb9c3ecc2952', 'test.SOFHxqE-xDpAUCjq.TQd6o7lLyV9tI6PVcc1mSU9fFiKsrmkdpZ-eBgHnkH1uRHbgYyNpdw.x4eWZ8KKRvLIkCVtkeRgHA', 'Am3f', '{payment_links:read,payment_links:write,webhooks:manage}', NULL, 1000000, NULL, NULL, NULL, '2030-06-15 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxp', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', false, '\xd37512b3bd970de24b96c18429a22449b477710f96b2eea5acd4d193df9bde3b', NULL, 'N1gg', '{payment_links:read,payment_links:write,webhooks:manage}', NULL, 1000000, NULL, NULL, NULL, '2030-06-15 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', false, '\xc67f12d5ab21e429bd0059c750dd158a2553b07ee907c3531f83103492053531', NULL, 'iCtP', '{payment_links:read,payment_links:write,webhooks:manage}', NULL, 10000, NULL, NULL, '2030-06-21 21:12:30+00', '2030-06-15 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxs', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', true, '\x119e5d94ee98f65a1c7c63d8857dcc9a9d8b4c1970e184fc5b1a7e98b15e05bd', 'test.b4wd7MA-T3CyyoOR.x4WMzyxoIOok4Oj_1cuWQq9CdnBokEX6WFs3QoNx1IFfD8_Nmwa6fg.OgNcrjLIDanu82c4irocCw', 'cqKE', '{payment_links:read,payment_links:write,webhooks:manage}', NULL, 10000, NULL, NULL, '2030-06-21 21:12:30+00', '2030-06-15 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxt', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', false, '\x2ee4bcf7feb4aca879f9fa69045190afa4e95c995347c4ac68136730418a000c', NULL, 'tsoz', '{payment_links:read,payment_links:write,webhooks:manage}', 'loc_01qgqh4bg0ps01vmcecxcgwnxq', 120, NULL, NULL, '2030-06-21 21:12:30+00', '2030-06-15 12:00:00+00');

INSERT INTO public.bank_reversals VALUES
	('rv_01qgz8agg0e0shyz9r716yc55k', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwny9', 'txn_01qgqh4bg0ps01vmcecxcgwnyc', 'sbx_dsp_f218934c23c8d1007a6ec539', 5000, '2030-06-18 12:00:00+00');

INSERT INTO public.daily_link_counts VALUES
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '2030-06-15', 3),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '2030-06-18', 5),
	('key_01qgqh4bg0ps01vmcecxcgwnxs', '2030-06-21', 2),
	('key_01qgqh4bg0ps01vmcecxcgwnxt', '2030-06-21', 1),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '2030-06-21', 4);

INSERT INTO public.disputes VALUES
	('dp_01qgz8agg0e0shyz9r716yc55p', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwnxz', 'txn_01qgqh4bg0ps01vmcecxcgwny2', 'sbx_dsp_b0d22a9bc60d2881d0f20c45', 'open', 5000, 'fraudulent', NULL, '2030-06-18 12:00:00+00', NULL);

INSERT INTO public.frequent_references VALUES
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'INV-1', true);

INSERT INTO public.idempotent_replies VALUES
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '2766e499-90ac-4fa4-9184-9034c0cb52d8', '\x1f8df295b614a70c7156c3602613416bd4cd2d5aa0ca0d52126ca0e338773c81', '{"id":"plink_01qgqh4bg0ps01vmcecxcgwnxz","object":"payment_link","url":"https://pay.example.com/pay/f-sCUDbgAXwnwwoxG20tpr7uepKcT5c7","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":"INV-1","metadata":{"b":"1","a":"2"},"patient":{"firstName":"Ada","lastName":"Byron","phone":"+13125550100","email":null,"externalId":"pat-1"},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-15T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-15 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '97631148-0d34-4e5e-ac51-0dbb7e423bed', '\xb01b6724286c72f74181f0fbbed83d096a4b133709d2827c3d2b3c012341fdee', '{"id":"plink_01qgqh4bg0ps01vmcecxcgwny4","object":"payment_link","url":"https://pay.example.com/pay/02cq98F7nC5jQQS6NH67ASiH8oBfcTus","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-15T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-15 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '979297d0-6fbf-40b9-a2c9-3ece18ed3a70', '\xb01b6724286c72f74181f0fbbed83d096a4b133709d2827c3d2b3c012341fdee', '{"id":"plink_01qgqh4bg0ps01vmcecxcgwny9","object":"payment_link","url":"https://pay.example.com/pay/yqrYgQtj4I9E0-I8A3K9TU5KLJvaNBCE","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-15T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-15 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '81958845-9671-4ad7-8a65-2dd3d874b70f', '\xb01b6724286c72f74181f0fbbed83d096a4b133709d2827c3d2b3c012341fdee', '{"id":"plink_01qgz8agg0e0shyz9r716yc55r","object":"payment_link","url":"https://pay.example.com/pay/f1dwd74Z1VNKug1IxG8Pi541ld0U1Ob2","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-18T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-18T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-18 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '05d52b89-0373-4a33-8561-6414bd5ba11b', '\xb01b6724286c72f74181f0fbbed83d096a4b133709d2827c3d2b3c012341fdee', '{"id":"plink_01qgz8agg0e0shyz9r716yc55z","object":"payment_link","url":"https://pay.example.com/pay/9W-bwt3_EX_vLmPIejBzz-VXj5WZeF9X","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-18T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-18T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-18 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '6c95ee3a-bcf1-4c2a-9e74-9afc24b52d13', '\xb01b6724286c72f74181f0fbbed83d096a4b133709d2827c3d2b3c012341fdee', '{"id":"plink_01qgz8agg0e0shyz9r716yc561","object":"payment_link","url":"https://pay.example.com/pay/t6zLANR0C2jtCKEjF1eKfjoBEXX_7faX","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-18T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-18T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-18 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '2be902fe-d1db-472e-b39d-9940252699d5', '\xb01b6724286c72f74181f0fbbed83d096a4b133709d2827c3d2b3c012341fdee', '{"id":"plink_01qgz8agg0e0shyz9r716yc563","object":"payment_link","url":"https://pay.example.com/pay/Hq6MHaXiYPj8jHr2mvZkXj6JwCJy_f9h","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-18T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-18T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-18 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '59eeff82-8b32-47a8-9c75-ad89aa1a13d3', '\x81f442e5c326312a4ee29ef5f879af5cca454df2b67ecf59d31f093c205d5234', '{"id":"plink_01qgz8agg0e0shyz9r716yc568","object":"payment_link","url":"https://pay.example.com/pay/1PfkBru6gdbIVvVAcwhI9keX5XaMRiwo","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-06-18T13:00:00.000Z","paidAt":null,"createdAt":"2030-06-18T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-18 12:00:00+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', 'cfcc20b2-c8af-4d4f-86a8-30ce220f49b9', '\xb01b6724286c72f74181f0fbbed83d096a4b133709d2827c3d2b3c012341fdee', '{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6jh","object":"payment_link","url":"https://pay.example.com/pay/MfI6kpF3kpkZzaIXr6006V58AS_5sO__","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":null,"createdAt":"2030-06-21T21:12:30.000Z","transaction":null,"refunds":[]}', '2030-06-21 21:12:30+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxs', 'aa34bba8-5193-48a6-85f3-def1dec2cda9', '\xb01b6724286c72f74181f0fbbed83d096a4b133709d2827c3d2b3c012341fdee', '{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6jm","object":"payment_link","url":"https://pay.example.com/pay/ldy0Ep9--iAViz8g0W1URPIsIaroxHDy","status":"active","test":true,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":null,"createdAt":"2030-06-21T21:12:30.000Z","transaction":null,"refunds":[]}', '2030-06-21 21:12:30+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxs', 'bc8a6a74-0cd5-4629-abe7-10606556b22a', '\xa64322e451bd750003e7e2dfd0b54c8a26be38d8e465e385baa8eb30202a0674', '{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6jq","object":"payment_link","url":"https://pay.example.com/pay/ISbB0OIp1EhvnkiXdvqM6d3ama2zdj3Y","status":"active","test":true,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxq","name":"Uptown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":null,"createdAt":"2030-06-21T21:12:30.000Z","transaction":null,"refunds":[]}', '2030-06-21 21:12:30+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '650adfa2-bba8-4fa1-8906-631dae3a3efd', '\x74c231b31665a8ba1b9d6b6abd3a1258cc829cf65c7d35fad25ffc6170aefa8d', '{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6jr","object":"payment_link","url":"https://pay.example.com/pay/bgxnx1lPn2hlJK0x63O-VVyDCNRarirT","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Crown, upper left","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":null,"createdAt":"2030-06-21T21:12:30.000Z","transaction":null,"refunds":[]}', '2030-06-21 21:12:30+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxt', '09df516b-3f8c-4628-b3e0-3ea856015c7d', '\xa64322e451bd750003e7e2dfd0b54c8a26be38d8e465e385baa8eb30202a0674', '{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6js","object":"payment_link","url":"https://pay.example.com/pay/W3YUfPHZewU3htzoudmS7zDc6EKaLZnG","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxq","name":"Uptown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":null,"createdAt":"2030-06-21T21:12:30.000Z","transaction":null,"refunds":[]}', '2030-06-21 21:12:30+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', 'release-record-1', '\xc4bf3553bb8e5d6e9ea48f2b471bfc2b5e5d04fbb6b1635a49cb2f8412187a68', '{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6jt","object":"payment_link","url":"https://pay.example.com/pay/21Mw9YyZ80HYzZ_9Dv2MAFWhQs2mHp-_","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Stored under a key","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":null,"createdAt":"2030-06-21T21:12:30.000Z","transaction":null,"refunds":[]}', '2030-06-21 21:12:30+00'),
	('key_01qgqh4bg0ps01vmcecxcgwnxr', '7f85e180-201a-4f71-92f6-72c20f9b2f3e', '\xb01b6724286c72f74181f0fbbed83d096a4b133709d2827c3d2b3c012341fdee', '{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6jv","object":"payment_link","url":"https://pay.example.com/pay/SFSsdOXVQrOEgGgyTkVtk_uCzZJvcGVo","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":null,"createdAt":"2030-06-21T21:12:30.000Z","transaction":null,"refunds":[]}', '2030-06-21 21:12:30+00');

INSERT INTO public.job_runner_heartbeats VALUES
	('runner-1', '2030-06-15 12:00:00+00');

INSERT INTO public.list_changes VALUES
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '2030-06-21 21:12:30+00', 'plink_01qh7z4ahg05a0qbwbxt2pn6jv', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', NULL, NULL, 'active');

INSERT INTO public.list_chunks VALUES
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55h'),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55q'),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567'),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg'),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc55r'),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc563'),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '2030-06-21 21:12:30+00', 'plink_01qh7z4ahg05a0qbwbxt2pn6jr');

INSERT INTO public.list_counts VALUES
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'payments', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '-infinity', '', 'paid', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxy', '', '-infinity', '', 'pending', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxy', 'payment_link.paid', '-infinity', '', 'pending', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '-infinity', '', 'paid', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'links', '', '', '-infinity', '', 'active', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'deliveries', '', '', '-infinity', '', 'pending', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'links', '', '', '-infinity', '', 'paid', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'payments', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '-infinity', '', 'paid', 5),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'payments', '', '', '-infinity', '', 'paid', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'deliveries', '', 'payment_link.paid', '-infinity', '', 'pending', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'payments', '', '', '-infinity', '', 'paid', 5),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', '', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'pending', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', '', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'retrying', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.cancelled', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'pending', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'ping', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'retrying', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', '', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'pending', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', '', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'retrying', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.cancelled', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'pending', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', true, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxq', '', '-infinity', '', 'active', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'ping', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'retrying', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxx', '', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'pending', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxx', 'payment_link.cancelled', '2030-06-21 21:12:30+00', 'evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'pending', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.paid', '-infinity', '', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.processing', '-infinity', '', 'delivered', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.processing', '-infinity', '', 'delivered', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.paid', '-infinity', '', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', '', '-infinity', '', 'delivered', 3),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', '', '-infinity', '', 'delivered', 3),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.paid', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55h', 'delivered', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.refunded', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55h', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.refunded', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55h', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.paid', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55h', 'delivered', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', '', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55h', 'delivered', 3),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', '', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55h', 'delivered', 3),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.disputed', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55q', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.paid', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55q', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.refunded', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55q', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.refunded', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55q', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.paid', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55q', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', '', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55q', 'delivered', 3),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.disputed', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55q', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', '', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc55q', 'delivered', 3),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.expired', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'exhausted', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', '', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'exhausted', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.processing', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.processing', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', 'payment_link.expired', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', '', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'delivered', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxw', '', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'exhausted', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', '', '', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'delivered', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'payment_link.expired', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'delivered', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'deliveries', 'we_01qgqh4bg0ps01vmcecxcgwnxw', 'payment_link.expired', '2030-06-18 12:00:00+00', 'evt_01qgz8agg0e0shyz9r716yc567', 'exhausted', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxq', '', '2030-06-21 21:12:30+00', 'plink_01qh7z4ahg05a0qbwbxt2pn6jr', 'active', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '', '', '-infinity', '', 'paid', 3),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '-infinity', '', 'paid', 3),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '', '', '2030-06-21 21:12:30+00', 'plink_01qh7z4ahg05a0qbwbxt2pn6jr', 'active', 3),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '2030-06-21 21:12:30+00', 'plink_01qh7z4ahg05a0qbwbxt2pn6jr', 'active', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc55r', 'paid', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc55r', 'paid', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc55r', 'active', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc55r', 'active', 2),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc563', 'expired', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc563', 'expired', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc563', 'paid', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc563', 'cancelled', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc563', 'paid', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', '', '2030-06-18 12:00:00+00', 'plink_01qgz8agg0e0shyz9r716yc563', 'cancelled', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', '', 'INV-1', '-infinity', '', 'paid', 1),
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', false, 'links', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', 'INV-1', '-infinity', '', 'paid', 1);

INSERT INTO public.locations VALUES
	('loc_01qgqh4bg0ps01vmcecxcgwnxm', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'Downtown', 'Springfield', 'IL', NULL, 'America/Chicago', true, '2030-06-15 12:00:00+00'),
	('loc_01qgqh4bg0ps01vmcecxcgwnxq', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'Uptown', 'Springfield', 'IL', NULL, 'America/Chicago', true, '2030-06-15 12:00:00+00');

INSERT INTO public.page_assets VALUES
	('pay-assets/icon-bd7e5e9c84c80353.svg', 'image/svg+xml', '\x78', '2026-11-22 08:31:01.73+00');

INSERT INTO public.patients VALUES
	('pat_01qgqh4bg0ps01vmcecxcgwny1', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'pat-1', 'Ada', 'Byron', '+13125550100', NULL, '2030-06-15 12:00:00+00'),
	('pat_01qgqh4bg0ps01vmcecxcgwny6', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', NULL, 'Ada', 'Byron', NULL, NULL, '2030-06-15 12:00:00+00'),
	('pat_01qgqh4bg0ps01vmcecxcgwnyb', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', NULL, 'Ada', 'Byron', NULL, NULL, '2030-06-15 12:00:00+00'),
	('pat_01qgz8agg0e0shyz9r716yc55t', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', NULL, 'Ada', 'Byron', NULL, NULL, '2030-06-18 12:00:00+00'),
	('pat_01qgz8agg0e0shyz9r716yc565', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', NULL, 'Ada', 'Byron', NULL, NULL, '2030-06-18 12:00:00+00');

INSERT INTO public.payment_admin_mails VALUES
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwnxz', 'dispute_opened', 'dp_01qgz8agg0e0shyz9r716yc55p', '2030-06-18 12:00:00+00');

INSERT INTO public.payment_attempts VALUES
	('att_01qgqh4bg0ps01vmcecxcgwny0', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwnxz', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'sbx_pay_831aa9869a887ea2744ede37', 'card', 12550, 'usd', NULL, 'en', '203.0.113.7', NULL, NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:02+00'),
	('att_01qgqh4bg0ps01vmcecxcgwny5', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwny4', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'sbx_pay_7ac828fa1bb17f315d1aabbb', 'us_bank_account', 12550, 'usd', NULL, 'en', '203.0.113.7', '\x883a39cd94046f2faa0a0864856a65f33056f2128fa54f239398b877bde826b9', 'I authorise this debit, once.', '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:02+00'),
	('att_01qgz8agg0e0shyz9r716yc564', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgz8agg0e0shyz9r716yc563', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'sbx_pay_8618274134ba6af0ca076743', 'us_bank_account', 12550, 'usd', NULL, 'en', '203.0.113.7', '\x883a39cd94046f2faa0a0864856a65f33056f2128fa54f239398b877bde826b9', 'I authorise this debit, once.', '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', NULL, '2030-06-18 12:00:02+00'),
	('att_01qgqh4bg0ps01vmcecxcgwnya', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwny9', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'sbx_pay_2c02ca2b1b2b70ca25b53983', 'us_bank_account', 12550, 'usd', NULL, 'en', '203.0.113.7', '\x883a39cd94046f2faa0a0864856a65f33056f2128fa54f239398b877bde826b9', 'I authorise this debit, once.', '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:02+00'),
	('att_01qgz8agg0e0shyz9r716yc55s', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgz8agg0e0shyz9r716yc55r', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'sbx_pay_fd8756456b9b3a88e5112e6c', 'card', 12550, 'usd', NULL, 'en', '203.0.113.7', NULL, NULL, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', NULL, '2030-06-18 12:00:02+00'),
	('att_01qgz8agg0e0shyz9r716yc562', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgz8agg0e0shyz9r716yc561', 'cancelled', 'sandbox', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'sbx_pay_946f1061971623675f74ed10', 'card', 12550, 'usd', NULL, 'en', '203.0.113.7', NULL, NULL, '2030-06-18 12:00:00+00', '2030-06-18 14:00:00+00', NULL, NULL),
	('att_01qgz8agg0e0shyz9r716yc560', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgz8agg0e0shyz9r716yc55z', 'failed', 'sandbox', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'sbx_pay_31151c58130a6189ff2d4f58', 'card', 12550, 'usd', 'card_declined', 'en', '203.0.113.7', NULL, NULL, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', NULL, '2030-06-18 12:00:02+00');

INSERT INTO public.payment_links VALUES
	('plink_01qh7z4ahg05a0qbwbxt2pn6jm', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', true, 'ldy0Ep9--iAViz8g0W1URPIsIaroxHDy', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-21 21:12:30+00', NULL, '2030-06-21 21:12:30+00', '2030-06-21 21:12:30+00', 'simulated', '2030-06-21 21:12:30+00'),
	('plink_01qh7z4ahg05a0qbwbxt2pn6jq', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxq', true, 'ISbB0OIp1EhvnkiXdvqM6d3ama2zdj3Y', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-21 21:12:30+00', NULL, NULL, NULL, NULL, '2030-06-21 21:12:30+00'),
	('plink_01qgqh4bg0ps01vmcecxcgwnxz', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, 'f-sCUDbgAXwnwwoxG20tpr7uepKcT5c7', 'paid', 'api', 12550, 'usd', 'Cleaning', 'INV-1', '{"b":"1","a":"2"}', 'pat_01qgqh4bg0ps01vmcecxcgwny1', 'Ada', 'Byron', '+13125550100', NULL, 'pat-1', '2030-07-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00'),
	('plink_01qh7z4ahg05a0qbwbxt2pn6jr', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, 'bgxnx1lPn2hlJK0x63O-VVyDCNRarirT', 'active', 'api', 12550, 'usd', 'Crown, upper left', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-21 21:12:30+00', NULL, NULL, NULL, NULL, '2030-06-21 21:12:30+00'),
	('plink_01qh7z4ahg05a0qbwbxt2pn6js', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxq', false, 'W3YUfPHZewU3htzoudmS7zDc6EKaLZnG', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-21 21:12:30+00', NULL, NULL, NULL, NULL, '2030-06-21 21:12:30+00'),
	('plink_01qgqh4bg0ps01vmcecxcgwny4', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, '02cq98F7nC5jQQS6NH67ASiH8oBfcTus', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01qgqh4bg0ps01vmcecxcgwny6', 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00'),
	('plink_01qh7z4ahg05a0qbwbxt2pn6jt', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, '21Mw9YyZ80HYzZ_9Dv2MAFWhQs2mHp-_', 'active', 'api', 12550, 'usd', 'Stored under a key', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-21 21:12:30+00', NULL, NULL, NULL, NULL, '2030-06-21 21:12:30+00'),
	('plink_01qh7z4ahg05a0qbwbxt2pn6jv', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, 'SFSsdOXVQrOEgGgyTkVtk_uCzZJvcGVo', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-21 21:12:30+00', NULL, NULL, NULL, NULL, '2030-06-21 21:12:30+00'),
	('plink_01qgqh4bg0ps01vmcecxcgwny9', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, 'yqrYgQtj4I9E0-I8A3K9TU5KLJvaNBCE', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01qgqh4bg0ps01vmcecxcgwnyb', 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00'),
	('plink_01qgz8agg0e0shyz9r716yc55r', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, 'f1dwd74Z1VNKug1IxG8Pi541ld0U1Ob2', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01qgz8agg0e0shyz9r716yc55t', 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-18 12:00:00+00', NULL, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', NULL, '2030-06-18 12:00:00+00'),
	('plink_01qgz8agg0e0shyz9r716yc55z', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, '9W-bwt3_EX_vLmPIejBzz-VXj5WZeF9X', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-18 12:00:00+00', NULL, NULL, NULL, NULL, '2030-06-18 12:00:00+00'),
	('plink_01qgz8agg0e0shyz9r716yc563', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, 'Hq6MHaXiYPj8jHr2mvZkXj6JwCJy_f9h', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01qgz8agg0e0shyz9r716yc565', 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-18 12:00:00+00', NULL, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', NULL, '2030-06-18 12:00:00+00'),
	('plink_01qgz8agg0e0shyz9r716yc561', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, 't6zLANR0C2jtCKEjF1eKfjoBEXX_7faX', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-18 12:00:00+00', NULL, NULL, NULL, NULL, '2030-06-18 12:00:00+00'),
	('plink_01qgz8agg0e0shyz9r716yc568', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, '1PfkBru6gdbIVvVAcwhI9keX5XaMRiwo', 'expired', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-06-18 13:00:00+00', NULL, NULL, '2030-06-18 14:00:00+00', 'system', '2030-06-18 12:00:00+00'),
	('plink_01qh7z4ahg05a0qbwbxt2pn6jh', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'loc_01qgqh4bg0ps01vmcecxcgwnxm', false, 'MfI6kpF3kpkZzaIXr6006V58AS_5sO__', 'cancelled', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-21 21:12:30+00', NULL, NULL, '2030-06-21 21:12:30+00', 'api', '2030-06-21 21:12:30+00');

INSERT INTO public.practices VALUES
	('prac_01qgqh4bg0ps01vmcecxcgwnxk', 'Elm Street Dental', 'admin@elm.example', NULL, true, true, NULL, true, '2030-06-15 12:00:00+00');

INSERT INTO public.processor_notifications VALUES
	('sandbox', 'sbx_msg_f6f8e5796296fd3503e24cb1', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', '{"kind":"dispute","reference":"sbx_dsp_f218934c23c8d1007a6ec539"}', '2030-06-18 12:00:00+00', 1, NULL),
	('sandbox', 'sbx_msg_aff6add210dbe20d4e179bcd', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', '{"kind":"dispute","reference":"sbx_dsp_b0d22a9bc60d2881d0f20c45"}', '2030-06-18 12:00:00+00', 1, NULL),
	('sandbox', 'msg_1', 'acct_other', '{"kind":"payment","reference":"sbx_pay_unknown"}', '2030-06-21 21:12:30+00', 1, NULL);

INSERT INTO public.rate_slots VALUES
	('address:127.0.0.1/1000000', 0, '2030-06-21 21:12:30+00'),
	('key:key_01qgqh4bg0ps01vmcecxcgwnxr/10000', 0, '2030-06-21 21:12:30+00');

INSERT INTO public.rate_windows VALUES
	('address:127.0.0.1/1000000', 1, 0, '2030-06-21 21:12:30+00', '2030-06-21 21:12:30+00'),
	('key:key_01qgqh4bg0ps01vmcecxcgwnxr/10000', 1, 0, '2030-06-21 21:12:30+00', '2030-06-21 21:12:30+00');

INSERT INTO public.refunds VALUES
	('re_01qgz8agg0e0shyz9r716yc55m', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwny9', 'txn_01qgqh4bg0ps01vmcecxcgwnyc', 'rv_01qgz8agg0e0shyz9r716yc55k', 'sbx_dsp_f218934c23c8d1007a6ec539', 5000, 'succeeded', 'bank_reversal', '2030-06-18 12:00:00+00'),
	('re_01qgz8agg0e0shyz9r716yc55x', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgz8agg0e0shyz9r716yc55r', 'txn_01qgz8agg0e0shyz9r716yc55v', NULL, 'sbx_ref_e2b5f87591d6a773448c8c6a', 2500, 'succeeded', 'requested_by_customer', '2030-06-18 12:00:00+00');

INSERT INTO public.schema_functions VALUES
	('functions/limits/admit-requests', '79ec98b8a276a05c56811b16491afc398a9a08039a75dc2b1610616b8c119186', '{1,0,0}'),
	('functions/limits/fill-rate-windows', '961ea2da7c94f57819f89bd72fc77b06069187c71c385f7826afd14e149f73a0', '{1,0,0}'),
	('functions/limits/open-rate-windows', '402f7ac556aa215319524c2b65c4a17083eebaa6636a74fd9a0a8b579e552e3c', '{1,0,0}'),
	('functions/limits/seconds-until-free', '683b8b3ed41f22abdf2e6a3b39f0c637e03d8e417b1f8e919b70405fe55f7de0', '{1,0,0}'),
	('functions/limits/take-rate-slot', '9f4257fcd7052d325f515ed8800a1b191a89690f94cf75a56ab306ff86c188f8', '{1,0,0}'),
	('functions/list-changes/append-delivery-status', 'a5d898ebc316deedc2c05be1b57aa555926811deb936241379fdb226068bd19e', '{1,0,0}'),
	('functions/list-changes/append-former-delivery', '9f852d14c481b4fdb02c65cea3cdf12c95a43e176d33b7da2e3d6600e3a2e523', '{1,0,0}'),
	('functions/list-changes/append-former-link', 'ea2936a0377c57604bcb7cdbbdf12b3641098a7e5b0ca07a211d52b22589bc0c', '{1,0,0}'),
	('functions/list-changes/append-link-status', 'c9f3a97bcfb4490c9786611865faa699f020dc1e6e54c0e2dd4b40df65613212', '{1,0,0}'),
	('functions/list-changes/append-new-delivery', 'd71cbb02c5257af8fc5ff8bb0cbea2df184763ff9050adcec432342e38ed4324', '{1,0,0}'),
	('functions/list-changes/append-new-link', 'af8811206d108eac00524a7dfd271af3d544df90c04beb0e4b10b7213e402c80', '{1,0,0}'),
	('functions/list-changes/append-payment', '38ad205dde9bf5d13a65e6c96dff2d99b7f67834491ef7dc5f04cccf7b5dc3d6', '{1,0,0}'),
	('functions/list-counts/check-list-chunk', '37a4b1d347a810b5cd7795874b2941499fab720fe6b9d780f03eca492ad4b580', '{1,0,0}'),
	('functions/list-counts/count-frequent-reference', '1e2f63fb5aa346e17b7fe18e81db229b0c303cf92c51b4f812ca7c46ba2bbcfc', '{1,0,0}'),
	('functions/list-counts/counts-of-row', '81e1c16017c68ef8bee8c80b59ed4bb7216cc738dd8eaad74729aea28ba55c61', '{1,0,0}'),
	('functions/list-counts/fold-changes-of', '18c1027896a318e929b56671804f5ec6f73f607d52d159eea9398be0631b458d', '{1,0,0}'),
	('functions/list-counts/fold-list-changes', 'b77b1ea169d1024677851ecc53c5c9f76cc4bc982523abe166bcf6b169a82c36', '{1,0,0}'),
	('functions/list-counts/lock-list-counts', 'eea32751edb49bb36337ec195d6887af80df0abb49d713ecc2b766394413ab46', '{1,0,0}'),
	('functions/list-counts/split-large-chunk', '7ad1242bf63e5953a4db35ca5f2a6c20633e06d8e283f1a57c82fcb89e53441f', '{1,0,0}'),
	('functions/list-counts/split-list-chunk', '045eef901ff073d017b46605a62054c21c39dd71a1987346da8e88fa09bdfc41', '{1,0,0}'),
	('functions/list-counts/true-list-counts', 'f4c7de66fd94cfabea9763aeae09ee81cdfaf9fa127ba4465daf8f89e206f7d8', '{1,0,0}'),
	('functions/list-counts/wrong-list-counts', 'bfab69f5e942e39250688190c6fcb67264bea7d335a342bed39538b5452296a8', '{1,0,0}'),
	('functions/payment-links/create-link', 'e64f8a541e37f87ca4b3456aea0182f880c0e879e6e6685cc216ecfdf914fc1a', '{1,0,0}'),
	('functions/payment-links/create-links', '68c695e85964434b25297a0f927dfb053cd1eeddd6c52717ef266762e17220f7', '{1,0,0}'),
	('functions/payment-links/match-patient', '3c9c0d41e51be825bbb2e470278128065f493c9f5a0fec33559aa62739233ae2', '{1,0,0}'),
	('functions/payment-links/practice-snapshot', '929ad33254b7333896d7c06dca746756d8e93ede4d63309f51c2ae004fa81199', '{1,0,0}'),
	('triggers', '4d254718cd1675241f60e1ac819644d0ad411e1bd2f6f63108be7d8449962e92', '{1,0,0}');

INSERT INTO public.schema_migrations VALUES
	(1, '0001-schema', '2026-11-22 08:31:00.254336+00');

INSERT INTO public.sealed_replies VALUES
	('key_01qgqh4bg0ps01vmcecxcgwnxr', 'rotateWebhookEndpointSecret', 'release-record-1', '\x72a3426e13e79712433c6f76ac1f50e65e33ded3b1cb2c425505c0fc480f616d', 'test.2Jyxed5CTTdIP31y.ve7MZC0mgyza0M_e7K1ao8CgbfoDIBTor1IhPdM0n68RKNzEcBUqo5UCdxLVWTZvxLCwuP-P163oiNjrofiwi5qfK1k6yaeL0E6OWuRqle0nR_cAhSecJazZrX8MvCXjLLoPHjIi7EPr0xJHuR4BGU3dVGZeOrTR6NSdFm5j69z8BCJ5u3TF6NzwagFx5Zaa0xuOixRzuOU5sCUTuZLNN4vd-eWSh031flFCtx8X0e_bXgVGHfsMtyZGeQAD6N7EqbTdw_W28j5q-ogrHhmOVUh-gtxlm8OsRaOff5VR3TlyeYuNMnPP8QKiPXiq7Dtfw4DNguk99vaE2bWjnxyNetNlqmK6BNz3dwKp2YczcQRwnHFLP1SdhpQ4LhmiQhtmOMg.fTF8Q6swcd9osZqZklLuSw', '2030-06-21 21:12:30+00');

INSERT INTO public.transactions VALUES
	('txn_01qgqh4bg0ps01vmcecxcgwnyc', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwny9', 'att_01qgqh4bg0ps01vmcecxcgwnya', 'succeeded', 12550, 100, 12450, 'us_bank_account', NULL, '6789', '225358162', 'PAYLINKS SANDBOX', NULL, '2030-06-18 12:00:00+00', '2030-06-15 12:00:00+00', '2030-06-21 12:00:00+00'),
	('txn_01qgqh4bg0ps01vmcecxcgwny7', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwny4', 'att_01qgqh4bg0ps01vmcecxcgwny5', 'succeeded', 12550, 100, 12450, 'us_bank_account', NULL, '6789', '701541027', 'PAYLINKS SANDBOX', NULL, '2030-06-18 12:00:00+00', '2030-06-15 12:00:00+00', '2030-06-21 12:00:00+00'),
	('txn_01qgqh4bg0ps01vmcecxcgwny2', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgqh4bg0ps01vmcecxcgwnxz', 'att_01qgqh4bg0ps01vmcecxcgwny0', 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '843784352', 'PAYLINKS SANDBOX', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', '2030-06-21 12:00:00+00'),
	('txn_01qgz8agg0e0shyz9r716yc566', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgz8agg0e0shyz9r716yc563', 'att_01qgz8agg0e0shyz9r716yc564', 'pending', 12550, NULL, NULL, 'us_bank_account', NULL, '6789', '299221995', NULL, NULL, NULL, '2030-06-18 12:00:00+00', '2030-06-18 18:00:00+00'),
	('txn_01qgz8agg0e0shyz9r716yc55v', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qgz8agg0e0shyz9r716yc55r', 'att_01qgz8agg0e0shyz9r716yc55s', 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '258328712', 'PAYLINKS SANDBOX', NULL, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', '2030-06-19 14:00:00+00'),
	('txn_01qh7z4ahg05a0qbwbxt2pn6jn', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'plink_01qh7z4ahg05a0qbwbxt2pn6jm', NULL, 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '607086124', NULL, NULL, '2030-06-21 21:12:30+00', '2030-06-21 21:12:30+00', NULL);

INSERT INTO public.webhook_attempts VALUES
	('evt_01qgqh4bg0ps01vmcecxcgwny3', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 58, 200, NULL, 1),
	('evt_01qgqh4bg0ps01vmcecxcgwny8', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 13, 200, NULL, 1),
	('evt_01qgqh4bg0ps01vmcecxcgwnyd', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 17, 200, NULL, 1),
	('evt_01qgz8agg0e0shyz9r716yc55h', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 4, 200, NULL, 1),
	('evt_01qgz8agg0e0shyz9r716yc55j', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 5, 200, NULL, 1),
	('evt_01qgz8agg0e0shyz9r716yc55n', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 29, 200, NULL, 1),
	('evt_01qgz8agg0e0shyz9r716yc55q', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 6, 200, NULL, 1),
	('evt_01qgz8agg0e0shyz9r716yc55w', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 1, 200, NULL, 1),
	('evt_01qgz8agg0e0shyz9r716yc55y', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 2, 200, NULL, 1),
	('evt_01qgz8agg0e0shyz9r716yc567', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-18 12:00:00+00', 2, 200, NULL, 1),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjp', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxw', '2030-06-18 14:00:00+00', 9, 500, 'http_status', 1),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjp', 2, 'we_01qgqh4bg0ps01vmcecxcgwnxw', '2030-06-18 14:00:30+00', 4, 500, 'http_status', 2),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjp', 3, 'we_01qgqh4bg0ps01vmcecxcgwnxw', '2030-06-18 14:02:30+00', 1, 500, 'http_status', 3),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjp', 4, 'we_01qgqh4bg0ps01vmcecxcgwnxw', '2030-06-18 14:12:30+00', 1, 500, 'http_status', 4),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjp', 5, 'we_01qgqh4bg0ps01vmcecxcgwnxw', '2030-06-18 15:12:30+00', 3, 500, 'http_status', 5),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjp', 6, 'we_01qgqh4bg0ps01vmcecxcgwnxw', '2030-06-18 21:12:30+00', 1, 500, 'http_status', 6),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjp', 7, 'we_01qgqh4bg0ps01vmcecxcgwnxw', '2030-06-19 21:12:30+00', 3, 500, 'http_status', 7),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjp', 8, 'we_01qgqh4bg0ps01vmcecxcgwnxw', '2030-06-21 21:12:30+00', 1, 500, 'http_status', 8),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjn', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-21 21:12:30+00', 1, 200, NULL, 2),
	('evt_01qh7z4ahg05a0qbwbxt2pn6jg', 1, 'we_01qgqh4bg0ps01vmcecxcgwnxv', '2030-06-21 21:12:30+00', 6, 500, 'http_status', 3);

INSERT INTO public.webhook_deliveries VALUES
	('evt_01qgz8agg0e0shyz9r716yc55n', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgqh4bg0ps01vmcecxcgwny9', 'payment_link.refunded', false, 'delivered', '{"id":"evt_01qgz8agg0e0shyz9r716yc55n","object":"event","type":"payment_link.refunded","test":false,"createdAt":"2030-06-18T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgqh4bg0ps01vmcecxcgwny9","object":"payment_link","url":"https://pay.example.com/pay/yqrYgQtj4I9E0-I8A3K9TU5KLJvaNBCE","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":"2030-06-15T12:00:00.000Z","createdAt":"2030-06-15T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":1,"net":124.5,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":"https://pay.example.com/pay/yqrYgQtj4I9E0-I8A3K9TU5KLJvaNBCE","processedAt":"2030-06-18T12:00:00.000Z"},"refunds":[{"id":"re_01qgz8agg0e0shyz9r716yc55m","object":"refund","amount":50,"status":"succeeded","reason":"bank_reversal","createdAt":"2030-06-18T12:00:00.000Z"}]},"context":{"refundAmount":50}}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-18 12:00:00+00'),
	('evt_01qgqh4bg0ps01vmcecxcgwnyd', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgqh4bg0ps01vmcecxcgwny9', 'payment_link.processing', false, 'delivered', '{"id":"evt_01qgqh4bg0ps01vmcecxcgwnyd","object":"event","type":"payment_link.processing","test":false,"createdAt":"2030-06-15T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgqh4bg0ps01vmcecxcgwny9","object":"payment_link","url":"https://pay.example.com/pay/yqrYgQtj4I9E0-I8A3K9TU5KLJvaNBCE","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":"2030-06-15T12:00:00.000Z","createdAt":"2030-06-15T12:00:00.000Z","transaction":{"status":"pending","amount":125.5,"fee":null,"net":null,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":null,"processedAt":null},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-15 12:00:00+00'),
	('evt_01qgz8agg0e0shyz9r716yc55h', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgqh4bg0ps01vmcecxcgwny9', 'payment_link.paid', false, 'delivered', '{"id":"evt_01qgz8agg0e0shyz9r716yc55h","object":"event","type":"payment_link.paid","test":false,"createdAt":"2030-06-18T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgqh4bg0ps01vmcecxcgwny9","object":"payment_link","url":"https://pay.example.com/pay/yqrYgQtj4I9E0-I8A3K9TU5KLJvaNBCE","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":"2030-06-15T12:00:00.000Z","createdAt":"2030-06-15T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":1,"net":124.5,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":"https://pay.example.com/pay/yqrYgQtj4I9E0-I8A3K9TU5KLJvaNBCE","processedAt":"2030-06-18T12:00:00.000Z"},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-18 12:00:00+00'),
	('evt_01qgz8agg0e0shyz9r716yc55j', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgqh4bg0ps01vmcecxcgwny4', 'payment_link.paid', false, 'delivered', '{"id":"evt_01qgz8agg0e0shyz9r716yc55j","object":"event","type":"payment_link.paid","test":false,"createdAt":"2030-06-18T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgqh4bg0ps01vmcecxcgwny4","object":"payment_link","url":"https://pay.example.com/pay/02cq98F7nC5jQQS6NH67ASiH8oBfcTus","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":"2030-06-15T12:00:00.000Z","createdAt":"2030-06-15T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":1,"net":124.5,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":"https://pay.example.com/pay/02cq98F7nC5jQQS6NH67ASiH8oBfcTus","processedAt":"2030-06-18T12:00:00.000Z"},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-18 12:00:00+00'),
	('evt_01qgz8agg0e0shyz9r716yc55q', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgqh4bg0ps01vmcecxcgwnxz', 'payment_link.disputed', false, 'delivered', '{"id":"evt_01qgz8agg0e0shyz9r716yc55q","object":"event","type":"payment_link.disputed","test":false,"createdAt":"2030-06-18T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgqh4bg0ps01vmcecxcgwnxz","object":"payment_link","url":"https://pay.example.com/pay/f-sCUDbgAXwnwwoxG20tpr7uepKcT5c7","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":"INV-1","metadata":{"b":"1","a":"2"},"patient":{"firstName":"Ada","lastName":"Byron","phone":"+13125550100","email":null,"externalId":"pat-1"},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":"2030-06-15T12:00:00.000Z","createdAt":"2030-06-15T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/f-sCUDbgAXwnwwoxG20tpr7uepKcT5c7","processedAt":"2030-06-15T12:00:00.000Z"},"refunds":[]},"context":{"disputeReason":"fraudulent","disputeAmount":50,"evidenceDueBy":null}}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-18 12:00:00+00'),
	('evt_01qgz8agg0e0shyz9r716yc55w', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgz8agg0e0shyz9r716yc55r', 'payment_link.paid', false, 'delivered', '{"id":"evt_01qgz8agg0e0shyz9r716yc55w","object":"event","type":"payment_link.paid","test":false,"createdAt":"2030-06-18T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgz8agg0e0shyz9r716yc55r","object":"payment_link","url":"https://pay.example.com/pay/f1dwd74Z1VNKug1IxG8Pi541ld0U1Ob2","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-18T12:00:00.000Z","paidAt":"2030-06-18T12:00:00.000Z","createdAt":"2030-06-18T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/f1dwd74Z1VNKug1IxG8Pi541ld0U1Ob2","processedAt":"2030-06-18T12:00:00.000Z"},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-18 12:00:00+00'),
	('evt_01qgqh4bg0ps01vmcecxcgwny3', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgqh4bg0ps01vmcecxcgwnxz', 'payment_link.paid', false, 'delivered', '{"id":"evt_01qgqh4bg0ps01vmcecxcgwny3","object":"event","type":"payment_link.paid","test":false,"createdAt":"2030-06-15T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgqh4bg0ps01vmcecxcgwnxz","object":"payment_link","url":"https://pay.example.com/pay/f-sCUDbgAXwnwwoxG20tpr7uepKcT5c7","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":"INV-1","metadata":{"b":"1","a":"2"},"patient":{"firstName":"Ada","lastName":"Byron","phone":"+13125550100","email":null,"externalId":"pat-1"},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":"2030-06-15T12:00:00.000Z","createdAt":"2030-06-15T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/f-sCUDbgAXwnwwoxG20tpr7uepKcT5c7","processedAt":"2030-06-15T12:00:00.000Z"},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-15 12:00:00+00'),
	('evt_01qgqh4bg0ps01vmcecxcgwny8', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgqh4bg0ps01vmcecxcgwny4', 'payment_link.processing', false, 'delivered', '{"id":"evt_01qgqh4bg0ps01vmcecxcgwny8","object":"event","type":"payment_link.processing","test":false,"createdAt":"2030-06-15T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgqh4bg0ps01vmcecxcgwny4","object":"payment_link","url":"https://pay.example.com/pay/02cq98F7nC5jQQS6NH67ASiH8oBfcTus","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":"2030-06-15T12:00:00.000Z","createdAt":"2030-06-15T12:00:00.000Z","transaction":{"status":"pending","amount":125.5,"fee":null,"net":null,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":null,"processedAt":null},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-15 12:00:00+00'),
	('evt_01qgz8agg0e0shyz9r716yc567', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgz8agg0e0shyz9r716yc563', 'payment_link.processing', false, 'delivered', '{"id":"evt_01qgz8agg0e0shyz9r716yc567","object":"event","type":"payment_link.processing","test":false,"createdAt":"2030-06-18T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgz8agg0e0shyz9r716yc563","object":"payment_link","url":"https://pay.example.com/pay/Hq6MHaXiYPj8jHr2mvZkXj6JwCJy_f9h","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-18T12:00:00.000Z","paidAt":"2030-06-18T12:00:00.000Z","createdAt":"2030-06-18T12:00:00.000Z","transaction":{"status":"pending","amount":125.5,"fee":null,"net":null,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":null,"processedAt":null},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-18 12:00:00+00'),
	('evt_01qgz8agg0e0shyz9r716yc55y', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgz8agg0e0shyz9r716yc55r', 'payment_link.refunded', false, 'delivered', '{"id":"evt_01qgz8agg0e0shyz9r716yc55y","object":"event","type":"payment_link.refunded","test":false,"createdAt":"2030-06-18T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgz8agg0e0shyz9r716yc55r","object":"payment_link","url":"https://pay.example.com/pay/f1dwd74Z1VNKug1IxG8Pi541ld0U1Ob2","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-18T12:00:00.000Z","paidAt":"2030-06-18T12:00:00.000Z","createdAt":"2030-06-18T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/f1dwd74Z1VNKug1IxG8Pi541ld0U1Ob2","processedAt":"2030-06-18T12:00:00.000Z"},"refunds":[{"id":"re_01qgz8agg0e0shyz9r716yc55x","object":"refund","amount":25,"status":"succeeded","reason":"requested_by_customer","createdAt":"2030-06-18T12:00:00.000Z"}]},"context":{"refundAmount":25}}}', 'automatic', 1, 1, NULL, 0, '2030-06-18 12:00:00+00', '2030-06-18 12:00:00+00', 200, NULL, '2030-06-18 12:00:00+00'),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjp', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxw', 'plink_01qgz8agg0e0shyz9r716yc568', 'payment_link.expired', false, 'exhausted', '{"id":"evt_01qgzf67r0bvr5w9wdyc3y1sjp","object":"event","type":"payment_link.expired","test":false,"createdAt":"2030-06-18T14:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgz8agg0e0shyz9r716yc568","object":"payment_link","url":"https://pay.example.com/pay/1PfkBru6gdbIVvVAcwhI9keX5XaMRiwo","status":"expired","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-06-18T13:00:00.000Z","paidAt":null,"createdAt":"2030-06-18T12:00:00.000Z","transaction":null,"refunds":[]},"context":{"triggeredBy":"system"}}}', 'automatic', 8, 8, NULL, 1, '2030-06-21 21:12:30+00', NULL, 500, 'http_status', '2030-06-18 14:00:00+00'),
	('evt_01qgzf67r0bvr5w9wdyc3y1sjn', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qgz8agg0e0shyz9r716yc568', 'payment_link.expired', false, 'delivered', '{"id":"evt_01qgzf67r0bvr5w9wdyc3y1sjn","object":"event","type":"payment_link.expired","test":false,"createdAt":"2030-06-18T14:00:00.000Z","data":{"paymentLink":{"id":"plink_01qgz8agg0e0shyz9r716yc568","object":"payment_link","url":"https://pay.example.com/pay/1PfkBru6gdbIVvVAcwhI9keX5XaMRiwo","status":"expired","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-06-18T13:00:00.000Z","paidAt":null,"createdAt":"2030-06-18T12:00:00.000Z","transaction":null,"refunds":[]},"context":{"triggeredBy":"system"}}}', 'automatic', 1, 1, NULL, 0, '2030-06-21 21:12:30+00', '2030-06-21 21:12:30+00', 200, NULL, '2030-06-18 14:00:00+00'),
	('evt_01qh7z4ahg05a0qbwbxt2pn6jg', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', NULL, 'ping', false, 'retrying', '{"id":"evt_01qh7z4ahg05a0qbwbxt2pn6jg","object":"event","type":"ping","test":false,"createdAt":"2030-06-21T21:12:30.000Z","data":{}}', 'automatic', 1, 1, '2030-06-21 21:13:00+00', 1, '2030-06-21 21:12:30+00', NULL, 500, 'http_status', '2030-06-21 21:12:30+00'),
	('evt_01qh7z4ahg05a0qbwbxt2pn6jj', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxv', 'plink_01qh7z4ahg05a0qbwbxt2pn6jh', 'payment_link.cancelled', false, 'pending', '{"id":"evt_01qh7z4ahg05a0qbwbxt2pn6jj","object":"event","type":"payment_link.cancelled","test":false,"createdAt":"2030-06-21T21:12:30.000Z","data":{"paymentLink":{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6jh","object":"payment_link","url":"https://pay.example.com/pay/MfI6kpF3kpkZzaIXr6006V58AS_5sO__","status":"cancelled","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":null,"createdAt":"2030-06-21T21:12:30.000Z","transaction":null,"refunds":[]},"context":{"triggeredBy":"api"}}}', 'automatic', 0, 0, '2030-06-21 21:12:30+00', 0, NULL, NULL, NULL, NULL, '2030-06-21 21:12:30+00'),
	('evt_01qh7z4ahg05a0qbwbxt2pn6jk', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxx', 'plink_01qh7z4ahg05a0qbwbxt2pn6jh', 'payment_link.cancelled', false, 'pending', '{"id":"evt_01qh7z4ahg05a0qbwbxt2pn6jk","object":"event","type":"payment_link.cancelled","test":false,"createdAt":"2030-06-21T21:12:30.000Z","data":{"paymentLink":{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6jh","object":"payment_link","url":"https://pay.example.com/pay/MfI6kpF3kpkZzaIXr6006V58AS_5sO__","status":"cancelled","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":null,"createdAt":"2030-06-21T21:12:30.000Z","transaction":null,"refunds":[]},"context":{"triggeredBy":"api"}}}', 'automatic', 0, 0, '2030-06-21 21:12:30+00', 0, NULL, NULL, NULL, NULL, '2030-06-21 21:12:30+00'),
	('evt_01qh7z4ahg05a0qbwbxt2pn6jp', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', 'we_01qgqh4bg0ps01vmcecxcgwnxy', 'plink_01qh7z4ahg05a0qbwbxt2pn6jm', 'payment_link.paid', true, 'pending', '{"id":"evt_01qh7z4ahg05a0qbwbxt2pn6jp","object":"event","type":"payment_link.paid","test":true,"createdAt":"2030-06-21T21:12:30.000Z","data":{"paymentLink":{"id":"plink_01qh7z4ahg05a0qbwbxt2pn6jm","object":"payment_link","url":"https://pay.example.com/pay/ldy0Ep9--iAViz8g0W1URPIsIaroxHDy","status":"paid","test":true,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0ps01vmcecxcgwnxm","name":"Downtown"},"source":"api","expiresAt":"2030-07-21T21:12:30.000Z","paidAt":"2030-06-21T21:12:30.000Z","createdAt":"2030-06-21T21:12:30.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/ldy0Ep9--iAViz8g0W1URPIsIaroxHDy","processedAt":"2030-06-21T21:12:30.000Z"},"refunds":[]},"context":{"triggeredBy":"simulated"}}}', 'automatic', 0, 0, '2030-06-21 21:12:30+00', 0, NULL, NULL, NULL, NULL, '2030-06-21 21:12:30+00');

INSERT INTO public.webhook_endpoints VALUES
	('we_01qgqh4bg0ps01vmcecxcgwnxx', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', false, NULL, 'http://127.0.0.1:38711/hook/disabled', '{payment_link.cancelled}', NULL, 'enabled', 'test.JFSjq71VV_rVcYD8.uLcdaiP2_-F9QhxvA4uSJWXwJ4lND_Fgy7W9ej9bgJIs6K6ssnRINSHJhW_K81VaEQ.AfgBiLYUCryWzBpBE23MSQ', NULL, NULL, 0, NULL, '2030-06-15 12:00:00+00', 0, NULL, 0, NULL),
	('we_01qgqh4bg0ps01vmcecxcgwnxy', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', true, NULL, 'http://127.0.0.1:38711/hook/test', '{}', NULL, 'enabled', 'test.h9MBC2ccaS-rHJ8R.8qiWG2cek5N0JmlG9lnSm8uwhAQ1S8hSK1PAtkhN0cBjNadvpUy9PynDY1MLLhz6bg.wkXpySSdPBv9XEbdGE4DZQ', NULL, NULL, 0, NULL, '2030-06-15 12:00:00+00', 0, NULL, 0, NULL),
	('we_01qgqh4bg0ps01vmcecxcgwnxv', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', false, NULL, 'http://127.0.0.1:38711/hook', '{}', NULL, 'enabled', 'test.jocbSxaTETICLF4G.OuCvLJJd_lNDcGwJGMyh5F8m30l7xESqVa4KZxRvCaqbmmlKDGxxDgI38c_CRWi_sA.oDl-GJorxbo18f7rMAXZrQ', 'test.ZNED3oiPT4p7Cs2Z.8w6PDR5rxaMEjqfwRwybkBqLNDiwAFgE_0VZHlsYq6JpE02tE8lW0W8QxKj3hprRzA.kKtLCJu1JY17mVFPRppEZQ', '2030-06-22 21:12:30+00', 0, NULL, '2030-06-15 12:00:00+00', 3, NULL, 3, NULL),
	('we_01qgqh4bg0ps01vmcecxcgwnxw', 'prac_01qgqh4bg0ps01vmcecxcgwnxk', false, NULL, 'http://127.0.0.1:38711/hook/exhausted', '{payment_link.expired}', NULL, 'enabled', 'test.iyNfnLvlQisQrWcg.hRxAqueqrWzUg_cun0RKH1SpiYQny39-CtMOQFmhbMNMShLnw8k_yIxISCeAQqx3Pg.hnI0AC4QpptUv-z58eo-Jw', NULL, NULL, 1, NULL, '2030-06-15 12:00:00+00', 8, NULL, 8, NULL);

INSERT INTO sandbox.disputes VALUES
	('sbx_dsp_f218934c23c8d1007a6ec539', 'sbx_pay_2c02ca2b1b2b70ca25b53983', 5000, 'insufficient_funds', 'open', NULL, true),
	('sbx_dsp_b0d22a9bc60d2881d0f20c45', 'sbx_pay_831aa9869a887ea2744ede37', 5000, 'fraudulent', 'open', NULL, false);

INSERT INTO sandbox.payments VALUES
	('sbx_pay_831aa9869a887ea2744ede37', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'att_01qgqh4bg0ps01vmcecxcgwny0', 12550, 'card_success', 'card', 'succeeded', NULL, NULL),
	('sbx_pay_7ac828fa1bb17f315d1aabbb', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'att_01qgqh4bg0ps01vmcecxcgwny5', 12550, 'bank_settles', 'us_bank_account', 'processing', NULL, '2030-06-18 12:00:00+00'),
	('sbx_pay_2c02ca2b1b2b70ca25b53983', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'att_01qgqh4bg0ps01vmcecxcgwnya', 12550, 'bank_settles', 'us_bank_account', 'processing', NULL, '2030-06-18 12:00:00+00'),
	('sbx_pay_fd8756456b9b3a88e5112e6c', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'att_01qgz8agg0e0shyz9r716yc55s', 12550, 'card_success', 'card', 'succeeded', NULL, NULL),
	('sbx_pay_31151c58130a6189ff2d4f58', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'att_01qgz8agg0e0shyz9r716yc560', 12550, 'card_declined', 'card', 'failed', 'card_declined', NULL),
	('sbx_pay_8618274134ba6af0ca076743', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'att_01qgz8agg0e0shyz9r716yc564', 12550, 'bank_settles', 'us_bank_account', 'processing', NULL, '2030-06-21 12:00:00+00'),
	('sbx_pay_946f1061971623675f74ed10', 'sandbox_prac_01qgqh4bg0ps01vmcecxcgwnxk', 'att_01qgz8agg0e0shyz9r716yc562', 12550, 'card_challenge', 'card', 'cancelled', NULL, NULL);

INSERT INTO sandbox.refunds OVERRIDING SYSTEM VALUE VALUES
	('sbx_ref_e2b5f87591d6a773448c8c6a', 'sbx_pay_fd8756456b9b3a88e5112e6c', 're_01qgz8agg0e0shyz9r716yc55x', 2500, 'succeeded', NULL, true, 1);

INSERT INTO sandbox.secret VALUES
	('1feeedc2-91ac-4f14-b12e-a543a72fc8d2.c9beeab5-b522-4686-b1fc-de6c0e936a79');

SELECT pg_catalog.setval('graphile_worker.job_queues_id_seq', 1, false);

SELECT pg_catalog.setval('graphile_worker.jobs_id_seq1', 38, true);

SELECT pg_catalog.setval('graphile_worker.tasks_id_seq', 4, true);

SELECT pg_catalog.setval('public.schema_migrations_id_seq', 1, true);

SELECT pg_catalog.setval('sandbox.refunds_number_seq', 1, true);

ALTER TABLE ONLY graphile_worker._private_job_queues
    ADD CONSTRAINT job_queues_pkey1 PRIMARY KEY (id);

ALTER TABLE ONLY graphile_worker._private_job_queues
    ADD CONSTRAINT job_queues_queue_name_key UNIQUE (queue_name);

ALTER TABLE ONLY graphile_worker._private_jobs
    ADD CONSTRAINT jobs_key_key1 UNIQUE (key);

ALTER TABLE ONLY graphile_worker._private_jobs
    ADD CONSTRAINT jobs_pkey1 PRIMARY KEY (id);

ALTER TABLE ONLY graphile_worker._private_known_crontabs
    ADD CONSTRAINT known_crontabs_pkey PRIMARY KEY (identifier);

ALTER TABLE ONLY graphile_worker.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY graphile_worker._private_tasks
    ADD CONSTRAINT tasks_identifier_key UNIQUE (identifier);

ALTER TABLE ONLY graphile_worker._private_tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_practice_id_id_key UNIQUE (practice_id, id);

ALTER TABLE ONLY public.bank_reversals
    ADD CONSTRAINT bank_reversals_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.bank_reversals
    ADD CONSTRAINT bank_reversals_practice_id_payment_link_id_id_key UNIQUE (practice_id, payment_link_id, id);

ALTER TABLE ONLY public.bank_reversals
    ADD CONSTRAINT bank_reversals_processor_reference_key UNIQUE (processor_reference);

ALTER TABLE ONLY public.daily_link_counts
    ADD CONSTRAINT daily_link_counts_pkey PRIMARY KEY (api_key_id, day);

ALTER TABLE ONLY public.disputes
    ADD CONSTRAINT disputes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.disputes
    ADD CONSTRAINT disputes_processor_reference_key UNIQUE (processor_reference);

ALTER TABLE ONLY public.frequent_references
    ADD CONSTRAINT frequent_references_pkey PRIMARY KEY (practice_id, test, reference);

ALTER TABLE ONLY public.idempotent_replies
    ADD CONSTRAINT idempotent_replies_pkey PRIMARY KEY (api_key_id, idempotency_key);

ALTER TABLE ONLY public.job_runner_heartbeats
    ADD CONSTRAINT job_runner_heartbeats_pkey PRIMARY KEY (runner_id);

ALTER TABLE ONLY public.list_chunks
    ADD CONSTRAINT list_chunks_pkey PRIMARY KEY (practice_id, test, list, start_at, start_id);

ALTER TABLE ONLY public.list_counts
    ADD CONSTRAINT list_counts_pkey PRIMARY KEY (practice_id, test, list, group_id, label, start_at, start_id, status);

ALTER TABLE ONLY public.locations
    ADD CONSTRAINT locations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.locations
    ADD CONSTRAINT locations_practice_id_id_key UNIQUE (practice_id, id);

ALTER TABLE ONLY public.page_assets
    ADD CONSTRAINT page_assets_pkey PRIMARY KEY (path);

ALTER TABLE ONLY public.patients
    ADD CONSTRAINT patients_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.patients
    ADD CONSTRAINT patients_practice_id_id_key UNIQUE (practice_id, id);

ALTER TABLE ONLY public.payment_admin_mails
    ADD CONSTRAINT payment_admin_mails_pkey PRIMARY KEY (payment_link_id, kind, subject_id);

ALTER TABLE ONLY public.payment_attempts
    ADD CONSTRAINT payment_attempts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.payment_attempts
    ADD CONSTRAINT payment_attempts_practice_id_payment_link_id_id_key UNIQUE (practice_id, payment_link_id, id);

ALTER TABLE ONLY public.payment_attempts
    ADD CONSTRAINT payment_attempts_processor_processor_reference_key UNIQUE (processor, processor_reference);

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_practice_id_id_key UNIQUE (practice_id, id);

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_token_key UNIQUE (token);

ALTER TABLE ONLY public.practices
    ADD CONSTRAINT practices_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.practices
    ADD CONSTRAINT practices_processor_account_id_key UNIQUE (processor_account_id);

ALTER TABLE ONLY public.processor_notifications
    ADD CONSTRAINT processor_notifications_pkey PRIMARY KEY (processor, id);

ALTER TABLE ONLY public.rate_slots
    ADD CONSTRAINT rate_slots_pkey PRIMARY KEY (subject, slot);

ALTER TABLE ONLY public.rate_windows
    ADD CONSTRAINT rate_windows_pkey PRIMARY KEY (subject);

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_processor_reference_key UNIQUE (processor_reference);

ALTER TABLE ONLY public.schema_functions
    ADD CONSTRAINT schema_functions_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sealed_replies
    ADD CONSTRAINT sealed_replies_pkey PRIMARY KEY (api_key_id, operation, idempotency_key);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_attempt_id_key UNIQUE (attempt_id);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_practice_id_payment_link_id_id_key UNIQUE (practice_id, payment_link_id, id);

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_practice_id_id_key UNIQUE (practice_id, id);

ALTER TABLE ONLY sandbox.disputes
    ADD CONSTRAINT disputes_pkey PRIMARY KEY (reference);

ALTER TABLE ONLY sandbox.payments
    ADD CONSTRAINT payments_attempt_key UNIQUE (attempt);

ALTER TABLE ONLY sandbox.payments
    ADD CONSTRAINT payments_pkey PRIMARY KEY (reference);

ALTER TABLE ONLY sandbox.refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (reference);

ALTER TABLE ONLY sandbox.refunds
    ADD CONSTRAINT refunds_refund_key UNIQUE (refund);

ALTER TABLE ONLY sandbox.secret
    ADD CONSTRAINT secret_pkey PRIMARY KEY (secret);

CREATE INDEX jobs_main_index ON graphile_worker._private_jobs USING btree (priority, run_at) INCLUDE (id, task_id, job_queue_id) WHERE (is_available = true);

CREATE INDEX jobs_no_queue_index ON graphile_worker._private_jobs USING btree (priority, run_at) INCLUDE (id, task_id) WHERE ((is_available = true) AND (job_queue_id IS NULL));

CREATE INDEX bank_reversals_transaction ON public.bank_reversals USING btree (transaction_id);

CREATE UNIQUE INDEX disputes_one_open ON public.disputes USING btree (payment_link_id) WHERE ((status = 'open'::text) AND (processor_reference IS NULL));

CREATE INDEX frequent_references_uncounted ON public.frequent_references USING btree (practice_id) WHERE (NOT is_counted);

CREATE INDEX idempotent_replies_age ON public.idempotent_replies USING btree (created_at);

CREATE INDEX list_changes_list ON public.list_changes USING btree (practice_id, test, list);

CREATE INDEX patients_external_id ON public.patients USING btree (practice_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX patients_phone ON public.patients USING btree (practice_id, phone) WHERE (phone IS NOT NULL);

CREATE INDEX payment_attempts_evidence ON public.payment_attempts USING btree (created_at) WHERE (address IS NOT NULL);

CREATE INDEX payment_attempts_link ON public.payment_attempts USING btree (payment_link_id, created_at DESC, id DESC);

CREATE UNIQUE INDEX payment_attempts_one_open ON public.payment_attempts USING btree (payment_link_id) WHERE (status = ANY (ARRAY['open'::text, 'requires_action'::text]));

CREATE INDEX payment_attempts_reconcile ON public.payment_attempts USING btree (reconcile_at) WHERE (reconcile_at IS NOT NULL);

CREATE INDEX payment_links_closed ON public.payment_links USING btree (practice_id, test, closed_at, id) INCLUDE (status, location_id) WHERE (closed_at IS NOT NULL);

CREATE INDEX payment_links_due ON public.payment_links USING btree (expires_at) WHERE (status = 'active'::text);

CREATE INDEX payment_links_external_reference ON public.payment_links USING btree (practice_id, test, external_reference, status, created_at DESC, id DESC) WHERE (external_reference IS NOT NULL);

CREATE INDEX payment_links_location ON public.payment_links USING btree (practice_id, location_id, test, status, created_at DESC, id DESC);

CREATE INDEX payment_links_newest ON public.payment_links USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX payment_links_overdue ON public.payment_links USING btree (practice_id, test, expires_at) WHERE (status = 'active'::text);

CREATE INDEX payment_links_paid ON public.payment_links USING btree (practice_id, test, paid_at, id) WHERE (paid_at IS NOT NULL);

CREATE INDEX payment_links_status ON public.payment_links USING btree (practice_id, test, status, created_at DESC, id DESC);

CREATE INDEX processor_notifications_due ON public.processor_notifications USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX processor_notifications_handled ON public.processor_notifications USING btree (received_at) WHERE (due_at IS NULL);

CREATE INDEX refunds_bank_reversal ON public.refunds USING btree (bank_reversal_id) WHERE (bank_reversal_id IS NOT NULL);

CREATE INDEX refunds_link ON public.refunds USING btree (payment_link_id, created_at, id);

CREATE INDEX refunds_transaction ON public.refunds USING btree (transaction_id);

CREATE INDEX sealed_replies_age ON public.sealed_replies USING btree (created_at);

CREATE INDEX transactions_link ON public.transactions USING btree (payment_link_id, created_at);

CREATE UNIQUE INDEX transactions_one_payment ON public.transactions USING btree (payment_link_id) WHERE (status <> 'failed'::text);

CREATE INDEX transactions_payment_number ON public.transactions USING btree (payment_number) WHERE (payment_number IS NOT NULL);

CREATE INDEX transactions_reconcile ON public.transactions USING btree (reconcile_at) WHERE (reconcile_at IS NOT NULL);

CREATE INDEX transactions_settled_later ON public.transactions USING btree (practice_id, processed_at) WHERE (processed_at > created_at);

CREATE INDEX webhook_attempts_open ON public.webhook_attempts USING btree (endpoint_id) WHERE (duration_ms IS NULL);

CREATE INDEX webhook_deliveries_delivered ON public.webhook_deliveries USING btree (delivered_at) WHERE (status = 'delivered'::text);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (endpoint_id, rank, due_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));

CREATE INDEX webhook_deliveries_endpoint ON public.webhook_deliveries USING btree (endpoint_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_link ON public.webhook_deliveries USING btree (payment_link_id, endpoint_id, type) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX webhook_deliveries_newest ON public.webhook_deliveries USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_status ON public.webhook_deliveries USING btree (endpoint_id, status, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_type ON public.webhook_deliveries USING btree (endpoint_id, type, created_at DESC, id DESC);

CREATE INDEX webhook_endpoints_deleted ON public.webhook_endpoints USING btree (id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX webhook_endpoints_mode ON public.webhook_endpoints USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX sandbox_disputes_payment ON sandbox.disputes USING btree (payment);

CREATE INDEX sandbox_refunds_payment ON sandbox.refunds USING btree (payment);

CREATE STATISTICS public.api_keys_owner (dependencies) ON practice_id, test, location_id FROM public.api_keys;

CREATE STATISTICS public.disputes_owner (dependencies) ON practice_id, payment_link_id, transaction_id FROM public.disputes;

CREATE STATISTICS public.payment_attempts_owner (dependencies) ON practice_id, payment_link_id FROM public.payment_attempts;

CREATE STATISTICS public.payment_links_owner (ndistinct, dependencies) ON practice_id, location_id, test FROM public.payment_links;

CREATE STATISTICS public.payment_links_reference (dependencies) ON practice_id, external_reference FROM public.payment_links;

CREATE STATISTICS public.payment_links_state (mcv) ON practice_id, test, status FROM public.payment_links;

CREATE STATISTICS public.refunds_owner (dependencies) ON practice_id, payment_link_id, transaction_id FROM public.refunds;

CREATE STATISTICS public.transactions_owner (dependencies) ON practice_id, payment_link_id FROM public.transactions;

CREATE STATISTICS public.webhook_attempts_owner (dependencies) ON delivery_id, endpoint_id FROM public.webhook_attempts;

CREATE STATISTICS public.webhook_deliveries_owner (ndistinct, dependencies) ON practice_id, endpoint_id, test FROM public.webhook_deliveries;

CREATE STATISTICS public.webhook_deliveries_state (mcv) ON endpoint_id, type, status FROM public.webhook_deliveries;

CREATE STATISTICS public.webhook_endpoints_owner (dependencies) ON practice_id, test, location_id FROM public.webhook_endpoints;

CREATE TRIGGER payment_links_count_changed AFTER UPDATE OF status ON public.payment_links FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.append_link_status();

CREATE TRIGGER payment_links_count_deleted AFTER DELETE ON public.payment_links FOR EACH ROW EXECUTE FUNCTION public.append_former_link();

CREATE TRIGGER payment_links_count_moved AFTER UPDATE OF id, practice_id, test, created_at, location_id, external_reference ON public.payment_links FOR EACH ROW EXECUTE FUNCTION public.append_former_link();

CREATE TRIGGER payment_links_count_new AFTER INSERT ON public.payment_links FOR EACH ROW EXECUTE FUNCTION public.append_new_link();

CREATE TRIGGER payment_links_count_paid AFTER UPDATE OF paid_at ON public.payment_links FOR EACH ROW WHEN ((old.paid_at IS DISTINCT FROM new.paid_at)) EXECUTE FUNCTION public.append_payment();

CREATE TRIGGER webhook_deliveries_count_changed AFTER UPDATE OF status ON public.webhook_deliveries FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.append_delivery_status();

CREATE TRIGGER webhook_deliveries_count_deleted AFTER DELETE ON public.webhook_deliveries FOR EACH ROW EXECUTE FUNCTION public.append_former_delivery();

CREATE TRIGGER webhook_deliveries_count_moved AFTER UPDATE OF id, practice_id, test, created_at, endpoint_id, type ON public.webhook_deliveries FOR EACH ROW EXECUTE FUNCTION public.append_former_delivery();

CREATE TRIGGER webhook_deliveries_count_new AFTER INSERT ON public.webhook_deliveries FOR EACH ROW EXECUTE FUNCTION public.append_new_delivery();

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_practice_id_location_id_fkey FOREIGN KEY (practice_id, location_id) REFERENCES public.locations(practice_id, id);

ALTER TABLE ONLY public.bank_reversals
    ADD CONSTRAINT bank_reversals_practice_id_payment_link_id_transaction_id_fkey FOREIGN KEY (practice_id, payment_link_id, transaction_id) REFERENCES public.transactions(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.daily_link_counts
    ADD CONSTRAINT daily_link_counts_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.disputes
    ADD CONSTRAINT disputes_practice_id_payment_link_id_transaction_id_fkey FOREIGN KEY (practice_id, payment_link_id, transaction_id) REFERENCES public.transactions(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.idempotent_replies
    ADD CONSTRAINT idempotent_replies_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.locations
    ADD CONSTRAINT locations_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.patients
    ADD CONSTRAINT patients_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.payment_admin_mails
    ADD CONSTRAINT payment_admin_mails_practice_id_payment_link_id_fkey FOREIGN KEY (practice_id, payment_link_id) REFERENCES public.payment_links(practice_id, id);

ALTER TABLE ONLY public.payment_attempts
    ADD CONSTRAINT payment_attempts_practice_id_payment_link_id_fkey FOREIGN KEY (practice_id, payment_link_id) REFERENCES public.payment_links(practice_id, id);

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_practice_id_id_open_attempt_id_fkey FOREIGN KEY (practice_id, id, open_attempt_id) REFERENCES public.payment_attempts(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_practice_id_location_id_fkey FOREIGN KEY (practice_id, location_id) REFERENCES public.locations(practice_id, id);

ALTER TABLE ONLY public.payment_links
    ADD CONSTRAINT payment_links_practice_id_patient_id_fkey FOREIGN KEY (practice_id, patient_id) REFERENCES public.patients(practice_id, id);

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_practice_id_payment_link_id_bank_reversal_id_fkey FOREIGN KEY (practice_id, payment_link_id, bank_reversal_id) REFERENCES public.bank_reversals(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_practice_id_payment_link_id_transaction_id_fkey FOREIGN KEY (practice_id, payment_link_id, transaction_id) REFERENCES public.transactions(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.sealed_replies
    ADD CONSTRAINT sealed_replies_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_practice_id_payment_link_id_attempt_id_fkey FOREIGN KEY (practice_id, payment_link_id, attempt_id) REFERENCES public.payment_attempts(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_practice_id_payment_link_id_fkey FOREIGN KEY (practice_id, payment_link_id) REFERENCES public.payment_links(practice_id, id);

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_practice_id_endpoint_id_fkey FOREIGN KEY (practice_id, endpoint_id) REFERENCES public.webhook_endpoints(practice_id, id);

ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_practice_id_location_id_fkey FOREIGN KEY (practice_id, location_id) REFERENCES public.locations(practice_id, id);

ALTER TABLE ONLY sandbox.disputes
    ADD CONSTRAINT disputes_payment_fkey FOREIGN KEY (payment) REFERENCES sandbox.payments(reference);

ALTER TABLE ONLY sandbox.refunds
    ADD CONSTRAINT refunds_payment_fkey FOREIGN KEY (payment) REFERENCES sandbox.payments(reference);

ALTER TABLE graphile_worker._private_job_queues ENABLE ROW LEVEL SECURITY;

ALTER TABLE graphile_worker._private_jobs ENABLE ROW LEVEL SECURITY;

ALTER TABLE graphile_worker._private_known_crontabs ENABLE ROW LEVEL SECURITY;

ALTER TABLE graphile_worker._private_tasks ENABLE ROW LEVEL SECURITY;

