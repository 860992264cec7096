-- A database as release 1.9.0 left it. Built by test/database/release/make.ts; never edited.


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

CREATE SCHEMA archive;

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

CREATE FUNCTION public.add_delivery_partition(p_name text, p_from_id text, p_to_id text, p_most integer) RETURNS integer
    LANGUAGE plpgsql
    SET lock_timeout TO '200ms'
    AS $_$
declare
  deliveries text := 'webhook_deliveries_' || p_name;
  moved integer;
begin
  select count(*) into moved from (
    select from webhook_deliveries_default where id >= p_from_id and id < p_to_id limit p_most + 1) as found;
  if moved > p_most then return null; end if;
  perform create_delivery_tables(p_name);
  lock table webhook_deliveries_default, webhook_attempts_default in access exclusive mode;
  lock table webhook_endpoints in share row exclusive mode;
  execute format('insert into %I select * from webhook_deliveries_default where id >= $1 and id < $2', deliveries)
    using p_from_id, p_to_id;
  get diagnostics moved = row_count;
  execute format('insert into %I select * from webhook_attempts_default where delivery_id >= $1 and delivery_id < $2',
    'webhook_attempts_' || p_name) using p_from_id, p_to_id;
  -- The trigger of the deletion below subtracts these rows.
  execute format('insert into list_changes
    select practice_id, test, ''deliveries'', created_at, id, endpoint_id, type, null, status from %I', deliveries);
  delete from webhook_deliveries_default where id >= p_from_id and id < p_to_id;
  perform attach_delivery_tables(p_name, p_from_id, p_to_id);
  return moved;
end $_$;

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
        select a.id, a.practice_id, a.test, a.scopes, a.location_id, a.requests_per_minute, p.api_access_enabled, p.move_state,
          p.move_state is null and (a.last_used_at is null
            or a.last_used_at < coalesce(p_now, clock_timestamp()) - interval '1 minute') as is_stale
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
    else
      answer.verdict := case when request.move_state = 'moved' then 'moved'
        when request.api_access_enabled then 'accepted' else 'access_disabled' end;
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
        if answer.verdict in ('access_disabled', 'moved') then
          null; -- API access precedes the key's limit, so the window is only read.
        elsif admitted[at] - opened.oldest[at] >= limits[at] then
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

CREATE FUNCTION public.append_payment_total() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op <> 'INSERT' then
    insert into payment_total_changes values (old.practice_id, old.payment_link_id, old.payment_method_type, old.status,
      -1, -old.amount_cents, -coalesce(old.fee_cents, 0), -(old.fee_cents is null)::integer);
  end if;
  if tg_op <> 'DELETE' then
    insert into payment_total_changes values (new.practice_id, new.payment_link_id, new.payment_method_type, new.status,
      1, new.amount_cents, coalesce(new.fee_cents, 0), (new.fee_cents is null)::integer);
  end if;
  return null;
end $$;

CREATE FUNCTION public.archivable_links(p_ids text[], p_before timestamp with time zone) RETURNS text[]
    LANGUAGE sql
    AS $$
  select coalesce(array_agg(l.id order by l.id), '{}') from only payment_links l
  where l.id = any (p_ids) and l.status <> 'active' and l.closed_at < p_before and l.open_attempt_id is null
    -- The tables of a practice that moves refuse writes.
    and not exists (select from practices p where p.id = l.practice_id and p.move_state is not null)
    -- An attempt or payment with a time of reconciliation may still change.
    and not exists (select from only payment_attempts a where a.payment_link_id = l.id
      and (a.closed_at is null or a.closed_at >= p_before or a.reconcile_at is not null))
    and not exists (select from only transactions t where t.payment_link_id = l.id
      and (t.status = 'pending' or t.reconcile_at is not null or t.created_at >= p_before or t.processed_at >= p_before))
    and not exists (select from only refunds r where r.payment_link_id = l.id
      and (r.status = 'pending' or r.created_at >= p_before))
    and not exists (select from only disputes d where d.payment_link_id = l.id
      and (d.closed_at is null or d.closed_at >= p_before))
    and not exists (select from only bank_reversals v where v.payment_link_id = l.id and v.created_at >= p_before)
    and not exists (select from only payment_admin_mails m where m.payment_link_id = l.id and m.queued_at >= p_before)
    and not exists (select from receipt_requests q where q.payment_link_id = l.id)
    and not exists (select from webhook_deliveries w where w.payment_link_id = l.id)
$$;

CREATE FUNCTION public.archive_candidates(p_after text, p_until text, p_before timestamp with time zone, p_limit integer, OUT ids text[], OUT last_id text) RETURNS record
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.archive_chosen_links(p_ids text[], p_before timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    SET lock_timeout TO '200ms'
    AS $$
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

CREATE FUNCTION public.archive_links(p_after text, p_until text, p_before timestamp with time zone, p_limit integer, OUT archived integer, OUT last_id text) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  ids text[];
begin
  select c.ids, c.last_id into ids, last_id from archive_candidates(p_after, p_until, p_before, p_limit) as c;
  archived := archive_chosen_links(ids, p_before);
end $$;

CREATE FUNCTION public.attach_archive(p_most integer) RETURNS integer
    LANGUAGE plpgsql
    SET lock_timeout TO '1500ms'
    AS $_$
declare
  name text;
  attached integer := 0;
begin
  for name in
    select c.relname from pg_class c
    where c.relnamespace = 'archive'::regnamespace and c.relkind = 'r'
      and not exists (select from pg_inherits i where i.inhrelid = c.oid)
    order by c.relname limit p_most
  loop
    execute format('alter table archive.%1$I inherit public.%1$I', name);
    attached := attached + 1;
  end loop;
  return attached;
end $_$;

CREATE FUNCTION public.attach_delivery_tables(p_name text, p_from_id text, p_to_id text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  range text := format('from (%s) to (%L)', coalesce(quote_literal(p_from_id), 'minvalue'), p_to_id);
begin
  execute format('alter table webhook_deliveries attach partition %I for values %s', 'webhook_deliveries_' || p_name, range);
  execute format('alter table webhook_attempts attach partition %I for values %s', 'webhook_attempts_' || p_name, range);
  insert into delivery_partitions (name, from_id, to_id) values (p_name, p_from_id, p_to_id);
end $$;

CREATE FUNCTION public.bound_whole_deliveries(p_to_id text) RETURNS void
    LANGUAGE plpgsql
    SET lock_timeout TO '200ms'
    AS $$
begin
  perform unbound_whole_deliveries();
  execute format('alter table webhook_deliveries add constraint before_partitions check (id < %L) not valid', p_to_id);
  execute format('alter table webhook_attempts add constraint before_partitions check (delivery_id < %L) not valid', p_to_id);
end $$;

CREATE FUNCTION public.change_links(p_ids text[], p_versions text[], p_subscriptions text[], p_closings json[], p_fields json[], p_matches boolean[], p_transactions json[], p_deliveries json, p_now timestamp with time zone, p_shared_now timestamp with time zone, p_lock_wait_ms integer, p_leaves_out boolean) RETURNS SETOF text
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  -- Rows that were locked: one array per column.
  links record;
  endpoints record;
  outcomes text[];
  changed_ids text[];
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  if p_leaves_out then
    select array_agg(l.id) as ids, array_agg(l.practice_id) as practice_ids, array_agg(l.test) as tests,
      array_agg(l.version) as versions
    into links from (
      select id, practice_id, test, xmin::text as version from payment_links where id = any (p_ids)
      order by id for update skip locked
    ) as l;
  else
    select array_agg(l.id) as ids, array_agg(l.practice_id) as practice_ids, array_agg(l.test) as tests,
      array_agg(l.version) as versions
    into links from (
      select id, practice_id, test, xmin::text as version from payment_links where id = any (p_ids)
      order by id for update
    ) as l;
  end if;
  -- A statement of its own, so that it sees what was committed while this one waited for the links.
  select array_agg(o.practice_id) as practice_ids, array_agg(o.test) as tests, array_agg(o.subscriptions) as subscriptions
  into endpoints from (
    select e.practice_id, e.test, json_agg(e.subscription order by e.id)::text as subscriptions from (
      select w.id, w.practice_id, w.test, subscription_of(w) as subscription from webhook_endpoints w
      where (w.practice_id, w.test) in (select * from unnest(links.practice_ids, links.tests)) and w.deleted_at is null
      order by w.id for key share
    ) as e group by e.practice_id, e.test
  ) as o;
  select array_agg(case
      when l.id is null and p_leaves_out then 'busy'
      when l.id is null or l.version <> a.version then 'stale'
      when a.subscriptions <> coalesce(o.subscriptions, '[]') then 'stale'
      else 'changed' end order by a.place)
  into outcomes
  from unnest(p_ids, p_versions, p_subscriptions) with ordinality as a (id, version, subscriptions, place)
    left join unnest(links.ids, links.practice_ids, links.tests, links.versions) as l (id, practice_id, test, version)
      on l.id = a.id
    left join unnest(endpoints.practice_ids, endpoints.tests, endpoints.subscriptions) as o (practice_id, test, subscriptions)
      on o.practice_id = l.practice_id and o.test = l.test;
  changed_ids := array(select a.id from unnest(p_ids, outcomes) as a (id, outcome) where a.outcome = 'changed');
  if changed_ids = '{}' then return query select unnest(outcomes); return; end if;

  update payment_links l set status = c.status, paid_at = c.paid_at, closed_at = c.closed_at, closed_by = c.closed_by
  from unnest(p_ids, p_closings) as a (id, closing), json_to_record(a.closing)
    as c (status text, paid_at timestamptz, closed_at timestamptz, closed_by text)
  where a.id = any (changed_ids) and a.closing is not null and l.id = a.id;
  -- The reference apart: a trigger counts every update that names its column.
  update payment_links l set amount_cents = f.amount_cents, description = f.description, metadata = f.metadata,
    patient_phone = f.patient_phone, patient_email = f.patient_email, expires_at = f.expires_at,
    patient_id = case when a.matches and not l.test
      then match_patient(l.practice_id, l.patient_external_id, f.patient_phone) else l.patient_id end
  from unnest(p_ids, p_fields, p_matches) as a (id, fields, matches), json_populate_record(null::payment_links, a.fields) as f
  where a.id = any (changed_ids) and a.fields is not null and l.id = a.id;
  update payment_links l set external_reference = a.fields ->> 'external_reference'
  from unnest(p_ids, p_fields) as a (id, fields)
  where a.id = any (changed_ids) and a.fields is not null and l.id = a.id
    and l.external_reference is distinct from a.fields ->> 'external_reference';
  insert into transactions (id, practice_id, payment_link_id, attempt_id, status, amount_cents, fee_cents, net_cents,
    payment_method_type, payment_method_brand, payment_method_last4, statement_descriptor, failure_reason,
    processed_at, created_at, reconcile_at)
  select t.id, t.practice_id, t.payment_link_id, t.attempt_id, t.status, t.amount_cents, t.fee_cents, t.net_cents,
    t.payment_method_type, t.payment_method_brand, t.payment_method_last4, t.statement_descriptor, t.failure_reason,
    t.processed_at, t.created_at, t.reconcile_at
  from unnest(p_ids, p_transactions) as a (id, transaction), json_populate_record(null::transactions, a.transaction) as t
  where a.id = any (changed_ids) and a.transaction is not null;
  insert into audit_log select r.*
  from unnest(p_ids, p_closings, p_fields) as a (id, closing, fields),
    json_populate_recordset(null::audit_log, coalesce(a.closing -> 'acts', a.fields -> 'acts')) as r
  where a.id = any (changed_ids);
  perform queue_deliveries(p_deliveries, changed_ids, p_now, p_shared_now);
  return query select unnest(outcomes);
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

CREATE FUNCTION public.check_payment_hours(p_practice_id text, p_test boolean, p_from timestamp with time zone, p_rows integer, p_repair boolean, OUT wrong integer, OUT next_hour timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  before timestamptz;
  truth payment_totals[];
begin
  perform pg_advisory_xact_lock(hashtextextended('payment_totals', 0));
  select date_trunc('hour', l.paid_at, 'UTC') + interval '1 hour' into next_hour from payment_links l
    where l.practice_id = p_practice_id and l.test = p_test and l.paid_at >= p_from
    order by l.paid_at, l.id offset p_rows limit 1;
  before := coalesce(next_hour, 'infinity');
  -- One statement, so that one snapshot has the payments and the changes that are not folded yet.
  select array_agg(t::payment_totals) into truth from (
    select p_practice_id, p_test, r.hour, r.location_id, r.payment_method_type, r.status, sum(r.payments),
      sum(r.amount_cents), sum(r.fee_cents), sum(r.unknown_fees)
    from (
      select date_trunc('hour', l.paid_at, 'UTC') as hour, l.location_id, t.payment_method_type, t.status, 1 as payments,
        t.amount_cents, coalesce(t.fee_cents, 0) as fee_cents, (t.fee_cents is null)::integer as unknown_fees
      from payment_links l join transactions t on t.payment_link_id = l.id
      where l.practice_id = p_practice_id and l.test = p_test and l.paid_at >= p_from and l.paid_at < before
      union all
      select date_trunc('hour', l.paid_at, 'UTC'), l.location_id, c.payment_method_type, c.status, -c.payments,
        -c.amount_cents, -c.fee_cents, -c.unknown_fees
      from payment_total_changes c join payment_links l on l.id = c.payment_link_id
      where c.practice_id = p_practice_id and l.test = p_test and l.paid_at >= p_from and l.paid_at < before
    ) as r
    group by r.hour, r.location_id, r.payment_method_type, r.status
    having sum(r.payments) <> 0 or sum(r.amount_cents) <> 0 or sum(r.fee_cents) <> 0 or sum(r.unknown_fees) <> 0
  ) as t;
  select count(distinct (e.hour, e.location_id, e.payment_method_type, e.status)) into wrong from (
    (select k.* from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour > '-infinity' and k.hour >= p_from
        and k.hour < before
      except select * from unnest(truth))
    union all
    (select * from unnest(truth) except select k.* from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour > '-infinity' and k.hour >= p_from
        and k.hour < before)
  ) as e;
  if wrong = 0 or not p_repair then return; end if;
  delete from payment_totals k
    where k.practice_id = p_practice_id and k.test = p_test and k.hour > '-infinity' and k.hour >= p_from
      and k.hour < before;
  -- In order of time, as folding would have inserted them.
  insert into payment_totals select * from unnest(truth) as t order by t.hour;
end $$;

CREATE FUNCTION public.check_payment_sums(p_practice_id text, p_test boolean, p_repair boolean) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  wrong integer;
  truth payment_totals[];
begin
  perform pg_advisory_xact_lock(hashtextextended('payment_totals', 0));
  select array_agg(t::payment_totals) into truth from (
    select p_practice_id, p_test, '-infinity'::timestamptz, k.location_id, k.payment_method_type, k.status,
      sum(k.payments), sum(k.amount_cents), sum(k.fee_cents), sum(k.unknown_fees)
    from payment_totals k
    where k.practice_id = p_practice_id and k.test = p_test and k.hour > '-infinity'
    group by k.location_id, k.payment_method_type, k.status
    having sum(k.payments) <> 0 or sum(k.amount_cents) <> 0 or sum(k.fee_cents) <> 0 or sum(k.unknown_fees) <> 0
  ) as t;
  select count(distinct (e.location_id, e.payment_method_type, e.status)) into wrong from (
    (select k.* from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour = '-infinity'
      except select * from unnest(truth))
    union all
    (select * from unnest(truth) except select k.* from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour = '-infinity')
  ) as e;
  if wrong > 0 and p_repair then
    delete from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour = '-infinity';
    insert into payment_totals select * from unnest(truth);
  end if;
  return wrong;
end $$;

CREATE FUNCTION public.copy_payment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  select l.test, l.paid_at, l.location_id, t.payment_method_type
    into new.test, new.paid_at, new.location_id, new.payment_method_type
    from payment_links l join transactions t on t.id = new.transaction_id
    where l.id = new.payment_link_id;
  return new;
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

CREATE FUNCTION public.create_delivery_tables(p_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  execute format('create table %I (like webhook_deliveries including all)', 'webhook_deliveries_' || p_name);
  execute format('create table %I (like webhook_attempts including all)', 'webhook_attempts_' || p_name);
  -- Between the partitions and not their parents: else dropping a partition would read all attempts.
  execute format('alter table %I add foreign key (delivery_id) references %I on delete cascade',
    'webhook_attempts_' || p_name, 'webhook_deliveries_' || p_name);
end $$;

CREATE FUNCTION public.create_link(p_api_key_id text, p_idempotency_key text, p_body_hash bytea, p_remembered_since timestamp with time zone, p_now timestamp with time zone, p_daily_cap integer, p_practice_id text, p_snapshot text, p_link json, p_reply text, OUT outcome text, OUT stored_reply text, OUT snapshot text) RETURNS record
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.definitions_of_table(p_table text) RETURNS TABLE(kind text, name text, statement text)
    LANGUAGE sql STABLE
    AS $$
  select case contype when 'c' then 'check' when 'f' then 'foreign' else 'key' end, conname::text,
    format('alter table %I add constraint %I %s', p_table, conname, pg_get_constraintdef(oid))
  from pg_constraint where conrelid = p_table::regclass and contype in ('c', 'f', 'p', 'u')
  union all
  select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
  from pg_index where indrelid = p_table::regclass
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  union all
  select 'statistics', stxname::text, pg_get_statisticsobjdef(oid) from pg_statistic_ext where stxrelid = p_table::regclass
  union all
  select 'trigger', tgname::text, pg_get_triggerdef(oid) from pg_trigger where tgrelid = p_table::regclass and not tgisinternal
  union all
  select 'privilege', privilege_type, format('grant %s on table %I to %s', privilege_type, p_table,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
  from pg_class c, aclexplode(c.relacl) where c.oid = p_table::regclass and grantee <> c.relowner
$$;

CREATE FUNCTION public.deliveries_outside_partitions(p_most integer) RETURNS TABLE(practice_id text, deliveries bigint)
    LANGUAGE plpgsql STABLE
    AS $$
begin
  if to_regclass('webhook_deliveries_default') is null then return; end if;
  return query
    select d.practice_id, count(*)
    from (select f.practice_id from webhook_deliveries_default f limit p_most) as d group by d.practice_id;
end $$;

CREATE FUNCTION public.drop_delivery_partition(p_name text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
declare
  has_rows boolean;
  check_rows text := format('select exists (select from %I)', 'webhook_deliveries_' || p_name);
begin
  execute check_rows into has_rows;
  if has_rows then return false; end if;
  perform lock_partitioned_deliveries(p_name);
  execute check_rows into has_rows;
  if has_rows then return false; end if;
  execute format('drop table %I', 'webhook_attempts_' || p_name);
  execute format('drop table %I', 'webhook_deliveries_' || p_name);
  delete from delivery_partitions where name = p_name;
  return true;
end $$;

CREATE FUNCTION public.fill_practice_of_delivery() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.practice_id := (select practice_id from webhook_deliveries where id = new.delivery_id);
  return new;
end $$;

CREATE FUNCTION public.fill_practice_of_key() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.practice_id := (select practice_id from api_keys where id = new.api_key_id);
  return new;
end $$;

CREATE FUNCTION public.fill_rate_windows(p_subjects text[], p_limits integer[], p_admitted_before bigint[], p_admitted bigint[], p_oldest bigint[], p_oldest_times timestamp with time zone[], p_moments timestamp with time zone[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into rate_slots (subject, slot, admitted_at)
    select t.subject, (number % t.slots)::integer, t.moment
    from unnest(p_subjects, p_limits, p_admitted_before, p_admitted, p_moments)
        as t (subject, slots, admitted_before, admitted, moment),
      generate_series(t.admitted_before, t.admitted - 1) as number
    on conflict (subject, slot) do update set admitted_at = excluded.admitted_at;
  update rate_windows w set admitted = t.admitted, oldest = t.oldest, newest_at = t.moment, oldest_at = t.oldest_at
    from unnest(p_subjects, p_admitted_before, p_admitted, p_oldest, p_oldest_times, p_moments)
      as t (subject, admitted_before, admitted, oldest, oldest_at, moment)
    where w.subject = t.subject and t.admitted > t.admitted_before;
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
  practice text;
  folded integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('list_counts', 0)) then return 0; end if;
  begin
    return fold_changes_of(null, p_limit, p_size);
  exception when lock_not_available then null;
  end;
  for practice in select distinct practice_id from list_changes loop
    begin
      folded := folded + fold_changes_of(practice, p_limit, p_size);
    exception when lock_not_available then null;
    end;
  end loop;
  return folded;
end $$;

CREATE FUNCTION public.fold_payment_totals(p_limit integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  practice text;
  folded integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('payment_totals', 0)) then return 0; end if;
  begin
    return fold_payment_totals_of(null, p_limit);
  exception when lock_not_available then null;
  end;
  for practice in select distinct practice_id from payment_total_changes loop
    begin
      folded := folded + fold_payment_totals_of(practice, p_limit);
    exception when lock_not_available then null;
    end;
  end loop;
  return folded;
end $$;

CREATE FUNCTION public.fold_payment_totals_of(p_practice_id text, p_limit integer) RETURNS integer
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  folded integer;
  emptied payment_totals[];
begin
  with taken as (
    delete from payment_total_changes where ctid = any (array(
      select c.ctid from payment_total_changes c
      where p_practice_id is null or c.practice_id = p_practice_id limit p_limit)) returning *
  ), totals as (
    insert into payment_totals as k
      select l.practice_id, l.test, h.hour, l.location_id, t.payment_method_type, t.status, sum(t.payments),
        sum(t.amount_cents), sum(t.fee_cents), sum(t.unknown_fees)
      from taken t join payment_links l on l.id = t.payment_link_id,
        unnest(array[date_trunc('hour', l.paid_at, 'UTC'), '-infinity']) as h (hour)
      where l.paid_at is not null
      group by l.practice_id, l.test, h.hour, l.location_id, t.payment_method_type, t.status
      having sum(t.payments) <> 0 or sum(t.amount_cents) <> 0 or sum(t.fee_cents) <> 0 or sum(t.unknown_fees) <> 0
      on conflict (practice_id, test, hour, location_id, payment_method_type, status)
        do update set payments = k.payments + excluded.payments, amount_cents = k.amount_cents + excluded.amount_cents,
          fee_cents = k.fee_cents + excluded.fee_cents, unknown_fees = k.unknown_fees + excluded.unknown_fees
      returning k.*
  )
  select (select count(*) from taken), (select array_agg(k::payment_totals) from totals k
      -- Changes of one payment may come in parts and in any order. A total is empty when all of it is 0.
      where (k.payments, k.amount_cents, k.fee_cents, k.unknown_fees) = (0, 0, 0, 0))
    into folded, emptied;
  delete from payment_totals k using unnest(emptied) as e
    where k.practice_id = e.practice_id and k.test = e.test and k.hour = e.hour and k.location_id = e.location_id
      and k.payment_method_type = e.payment_method_type and k.status = e.status;
  return folded;
end $$;

CREATE FUNCTION public.lock_list_counts() RETURNS void
    LANGUAGE sql
    AS $$
  select pg_advisory_xact_lock(hashtextextended('list_counts', 0))
$$;

CREATE FUNCTION public.lock_partitioned_deliveries(p_name text) RETURNS void
    LANGUAGE plpgsql
    SET lock_timeout TO '200ms'
    AS $$
begin
  for try in 1..10 loop
    begin
      lock table only webhook_deliveries, only webhook_attempts in access exclusive mode;
      execute format('lock table %I, %I, webhook_deliveries_default, webhook_attempts_default in access exclusive mode',
        'webhook_deliveries_' || p_name, 'webhook_attempts_' || p_name);
      lock table webhook_endpoints in share row exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      if try = 10 then raise; end if;
    end;
    perform pg_sleep(1);
  end loop;
end $$;

CREATE FUNCTION public.lock_patients(p_practice_id text) RETURNS void
    LANGUAGE sql
    AS $$
  select pg_advisory_xact_lock(hashtextextended('patients:' || p_practice_id, 0))
$$;

CREATE FUNCTION public.match_patient(p_practice_id text, p_external_id text, p_phone text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select coalesce(
    (select id from patients where practice_id = p_practice_id and external_id = p_external_id order by id limit 1),
    (select id from patients where practice_id = p_practice_id and phone = p_phone order by id limit 1))
$$;

CREATE FUNCTION public.move_links(p_ids text[], p_from text, p_to text) RETURNS integer
    LANGUAGE plpgsql
    AS $_$
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
end $_$;

CREATE FUNCTION public.note_delivery_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into delivery_partition_changes (id) values (new.id);
  else
    insert into delivery_partition_changes (id, practice_id, test, created_at, endpoint_id, type, status)
      values (old.id, old.practice_id, old.test, old.created_at, old.endpoint_id, old.type, old.status);
  end if;
  return null;
end $$;

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
    raise serialization_failure using message = 'a rate window was inserted or deleted at the same time', hint = 'try again';
  end if;
end $$;

CREATE FUNCTION public.partition_deliveries(p_to_id text) RETURNS void
    LANGUAGE plpgsql
    SET lock_timeout TO '200ms'
    AS $$
declare
  listed_rows text;
  attempts_key text;
  statement text;
  triggers text[];
begin
  lock table webhook_deliveries, webhook_attempts, webhook_endpoints in access exclusive mode;
  -- Else the tables would be read under this lock.
  if (select count(*) from pg_constraint where conname = 'before_partitions' and convalidated
      and conrelid in ('webhook_deliveries'::regclass, 'webhook_attempts'::regclass)
      and pg_get_constraintdef(oid) like '%' || quote_literal(p_to_id) || '%') <> 2 then
    raise exception 'the constraints before_partitions are not valid any more';
  end if;
  listed_rows := pg_get_viewdef('listed_rows'::regclass);
  select conname into strict attempts_key from pg_constraint
    where conrelid = 'webhook_attempts'::regclass and confrelid = 'webhook_deliveries'::regclass;
  triggers := partition_table('webhook_deliveries', 'id', null);
  triggers := triggers || partition_table('webhook_attempts', 'delivery_id', attempts_key);
  perform attach_delivery_tables('first', null, p_to_id);
  alter table webhook_deliveries_first drop constraint before_partitions;
  alter table webhook_attempts_first drop constraint before_partitions;
  create table webhook_deliveries_default partition of webhook_deliveries default;
  create table webhook_attempts_default partition of webhook_attempts default;
  alter table webhook_attempts_default
    add foreign key (delivery_id) references webhook_deliveries_default on delete cascade;
  foreach statement in array triggers loop
    execute statement;
  end loop;
  execute 'create or replace view listed_rows as ' || listed_rows;
end $$;

CREATE FUNCTION public.partition_table(p_table text, p_column text, p_skip text) RETURNS text[]
    LANGUAGE plpgsql
    AS $$
declare
  first text := p_table || '_first';
  definition record;
  definitions jsonb;
begin
  select jsonb_agg(d) into definitions from definitions_of_table(p_table) as d;
  execute format('alter table %I rename to %I', p_table, first);
  -- Names of indexes and statistics are unique in the schema.
  for definition in select * from jsonb_to_recordset(definitions) as d (kind text, name text) loop
    case definition.kind
      when 'key' then execute format('alter index %I rename to %I', definition.name, definition.name || '_first');
      when 'index' then execute format('alter index %I rename to %I', definition.name, definition.name || '_first');
      when 'statistics' then execute format('alter statistics %I rename to %I', definition.name, definition.name || '_first');
      when 'trigger' then execute format('drop trigger %I on %I', definition.name, first);
      else null;
    end case;
  end loop;
  execute format('create table %I (like %I including defaults including comments) partition by range (%I)',
    p_table, first, p_column);
  for definition in
    select * from jsonb_to_recordset(definitions) as d (kind text, name text, statement text)
    where kind <> 'trigger' and name not in ('before_partitions', coalesce(p_skip, ''))
    order by array_position(array['key', 'check', 'foreign', 'index', 'statistics', 'privilege'], kind), name
  loop
    execute definition.statement;
  end loop;
  return array(select d.statement from jsonb_to_recordset(definitions) as d (kind text, statement text)
    where d.kind = 'trigger');
end $$;

CREATE FUNCTION public.pay_links(p_ids text[], p_versions text[], p_subscriptions text[], p_closings json[], p_transactions json[], p_attempts json[], p_patient_ids text[], p_status_before text, p_deliveries json, p_now timestamp with time zone, p_shared_now timestamp with time zone, p_lock_wait_ms integer, p_leaves_out boolean) RETURNS SETOF text
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  versions text[];
  outcomes text[];
  changed_ids text[];
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  if p_leaves_out then
    perform from payment_links where id = any (p_ids) order by id for update skip locked;
  else
    perform from payment_links where id = any (p_ids) order by id for update;
  end if;
  -- A statement of its own, so that it sees what was committed while this one waited. No transaction ends an attempt without
  -- the lock of its link. No row has an empty version, so a link whose attempt has ended is stale.
  versions := array(
    select case when exists (
        select from payment_attempts t
        where t.id = a.attempt ->> 'id' and t.payment_link_id = a.id and t.status = p_status_before
      ) then a.version else '' end
    from unnest(p_ids, p_versions, p_attempts) with ordinality as a (id, version, attempt, place)
    order by a.place);
  outcomes := array(
    select c.outcome from change_links(p_ids, versions, p_subscriptions, p_closings,
      array_fill(null::json, array[cardinality(p_ids)]), array_fill(false, array[cardinality(p_ids)]), p_transactions,
      p_deliveries, p_now, p_shared_now, p_lock_wait_ms, p_leaves_out) with ordinality as c (outcome, place)
    order by c.place);
  changed_ids := array(select a.id from unnest(p_ids, outcomes) as a (id, outcome) where a.outcome = 'changed');
  if changed_ids = '{}' then return query select unnest(outcomes); return; end if;

  update payment_attempts a set status = c.status, closed_at = c.closed_at, reconcile_at = c.reconcile_at
  from unnest(p_ids, p_attempts) as g (id, attempt), json_populate_record(null::payment_attempts, g.attempt) as c
  where g.id = any (changed_ids) and a.id = c.id;
  -- In one order, so that two statements that make records of the same practices never wait for each other.
  perform lock_patients(p.practice_id) from (
    select distinct l.practice_id from unnest(p_ids, p_patient_ids) as g (id, patient_id)
      join payment_links l on l.id = g.id
    where g.id = any (changed_ids) and g.patient_id is not null
    order by l.practice_id
  ) as p;
  update payment_links l set open_attempt_id = null,
    patient_id = case when g.patient_id is null then l.patient_id
      else record_patient(g.patient_id, l.practice_id, l.patient_external_id, l.patient_first_name, l.patient_last_name,
        l.patient_phone, l.patient_email, p_now) end
  from unnest(p_ids, p_patient_ids) as g (id, patient_id)
  where g.id = any (changed_ids) and l.id = g.id;
  return query select unnest(outcomes);
end $$;

CREATE FUNCTION public.payment_for_refund(p_link_id text) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return (
    select json_build_object(
      'link', l.xmin::text,
      'transaction', t.xmin::text,
      'isArchived', l.tableoid <> 'public.payment_links'::regclass,
      'attempt', (
        select json_build_object('id', a.id, 'processor', a.processor, 'processorAccountId', a.processor_account_id,
          'processorReference', a.processor_reference)
        from payment_attempts a where a.id = t.attempt_id
      ),
      'refunds', (
        select coalesce(json_agg(json_build_object('id', r.id, 'row', r.xmin::text,
          'processorReference', r.processor_reference) order by r.id), '[]')
        from refunds r where r.payment_link_id = l.id
      ),
      'hasReversals', exists (select from bank_reversals b where b.transaction_id = t.id)
    )::text
    from payment_links l join transactions t on t.payment_link_id = l.id
    where l.id = p_link_id order by t.created_at desc, t.id desc limit 1);
end $$;

CREATE FUNCTION public.practice_snapshot(p_practice_id text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select json_build_object('paymentsEnabled', payments_enabled, 'slot', slot, 'activeLocations', (
      select coalesce(json_agg(json_build_object('id', id, 'name', name) order by id), '[]')
      from locations where practice_id = p_practice_id and active))::text
    from practices where id = p_practice_id
$$;

CREATE FUNCTION public.queue_deliveries(p_deliveries json, p_link_ids text[], p_created_at timestamp with time zone, p_shared_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  endpoint_ids text[];
begin
  with given as (
    select * from json_to_recordset(p_deliveries) as d (id text, practice_id text, endpoint_id text, location_id text,
      payment_link_id text, type text, test boolean, status text, payload text, delivery_run text, rank smallint,
      due_at timestamptz)
    where p_link_ids is null or payment_link_id = any (p_link_ids)
  ), recorded as (
    insert into test_events (id, practice_id, location_id, type, payload, created_at)
    select id, practice_id, location_id, type, payload, p_created_at from given where endpoint_id is null
  ), queued as (
    insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
      delivery_run, rank, due_at, created_at)
    select id, practice_id, endpoint_id, payment_link_id, type, test, status, payload, delivery_run, rank,
      case when due_at is not null then least(due_at, coalesce(p_shared_now, statement_timestamp())) end, p_created_at
    from given where endpoint_id is not null
    returning endpoint_id, due_at
  )
  select array_agg(distinct endpoint_id) into endpoint_ids from queued where due_at is not null;
  if endpoint_ids is null then return; end if;
  -- One call for all jobs: a call of add_job takes as long as an insert of a delivery.
  perform graphile_worker.add_jobs(array(
    select ('deliver_webhooks', json_build_object('endpointId', endpoint_id), null, null, 1, null, null, null)
      ::graphile_worker.job_spec
    from unnest(endpoint_ids) as endpoint_id));
end $$;

CREATE FUNCTION public.record_patient(p_id text, p_practice_id text, p_external_id text, p_first_name text, p_last_name text, p_phone text, p_email text, p_now timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  matched_id text;
begin
  perform lock_patients(p_practice_id);
  matched_id := match_patient(p_practice_id, p_external_id, p_phone);
  if matched_id is not null then return matched_id; end if;
  insert into patients (id, practice_id, external_id, first_name, last_name, phone, email, created_at)
    values (p_id, p_practice_id, p_external_id, p_first_name, p_last_name, p_phone, p_email, p_now);
  return p_id;
end $$;

CREATE FUNCTION public.refund_link(p_id text, p_payment text, p_subscriptions text, p_recorded json, p_succeeded json, p_transaction json, p_acts json, p_deliveries json, p_now timestamp with time zone, p_shared_now timestamp with time zone, p_lock_wait_ms integer) RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
  outcome text;
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  perform from payment_links where id = p_id for update;
  -- Statements of their own, so that they see what was committed while this one waited for the link.
  if payment_for_refund(p_id) is distinct from p_payment then return 'stale'; end if;
  -- The unique index does not know refunds in the archive.
  if exists (select from refunds where id = p_recorded ->> 'id') then return 'taken'; end if;
  if p_subscriptions is not null then
    outcome := (
      select c from payment_links l, change_links(array[l.id], array[l.xmin::text], array[p_subscriptions],
        array[null::json], array[null::json], array[false], array[null::json], p_deliveries, p_now, p_shared_now,
        p_lock_wait_ms, false) as c
      where l.id = p_id);
    if outcome <> 'changed' then return outcome; end if;
  end if;

  insert into refunds (id, practice_id, payment_link_id, transaction_id, bank_reversal_id, processor_reference,
    amount_cents, status, reason, created_at)
  select r.id, r.practice_id, r.payment_link_id, r.transaction_id, r.bank_reversal_id, r.processor_reference,
    r.amount_cents, r.status, r.reason, r.created_at
  from json_populate_record(null::refunds, p_recorded) as r where p_recorded is not null;
  update refunds r set status = s.status, processor_reference = s.processor_reference
  from json_populate_record(null::refunds, p_succeeded) as s where r.id = s.id;
  update transactions t set status = c.status, reconcile_at = c.reconcile_at
  from json_populate_record(null::transactions, p_transaction) as c where t.id = c.id;
  insert into audit_log select a.* from json_populate_recordset(null::audit_log, p_acts) as a;
  return 'changed';
end $$;

CREATE FUNCTION public.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'DELETE' then
    if exists (select from practices where id = old.practice_id and move_state = 'moved') then return old; end if;
  end if;
  raise restrict_violation using message = 'audit entries are never changed or deleted';
end $$;

CREATE FUNCTION public.refuse_write_of_moving_practice() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  row_of json := row_to_json(case tg_op when 'DELETE' then old else new end);
  practice text := coalesce(row_of ->> 'practice_id', row_of ->> 'id');
  state text;
begin
  if current_setting('paylinks.moves_practice', true) = 'on' then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  if pg_try_advisory_xact_lock_shared(hashtextextended('move ' || practice, 0)) then
    select move_state into state from practices where id = practice;
    -- Deliveries and payments under way may end before the practice is frozen. No other one may begin.
    if state is null
      or (state = 'draining' and not (tg_op = 'INSERT' and tg_table_name in ('webhook_attempts', 'payment_attempts')))
    then
      return case tg_op when 'DELETE' then old else new end;
    end if;
  end if;
  raise lock_not_available using message = 'the practice is moving to another cell';
end $$;

CREATE FUNCTION public.replace_delivery_partition(p_name text, p_new_name text, p_now timestamp with time zone, p_delivered_before timestamp with time zone, p_created_before timestamp with time zone, p_attempted_before timestamp with time zone, OUT kept integer, OUT removed integer) RETURNS record
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_custom_plan'
    AS $_$
declare
  replaced delivery_partitions;
  old_deliveries text := 'webhook_deliveries_' || p_name;
  new_deliveries text := 'webhook_deliveries_' || p_new_name;
  old_attempts text := 'webhook_attempts_' || p_name;
  new_attempts text := 'webhook_attempts_' || p_new_name;
  -- The condition is that of src/webhooks/events/retention.ts. A test compares both.
  is_expired text := format('case when status = ''delivered'' then delivered_at < %1$L
    else created_at < %2$L and (delivery_run = ''automatic''
      or (due_at is null and coalesce(last_attempt_at, created_at) < %3$L)) end',
    p_delivered_before, p_created_before, p_attempted_before);
  touched list_chunks[];
  chunk list_chunks;
begin
  -- While the practices of attempts are filled (src/database/practice-columns.ts), the copy would miss some of them.
  if not pg_try_advisory_xact_lock_shared(8042578) then
    raise lock_not_available using message = 'migrate fills the practices of attempts';
  end if;
  -- The chunks of the counts stay as they are until the end.
  perform lock_list_counts();
  select * into strict replaced from delivery_partitions where name = p_name;
  perform create_delivery_tables(p_new_name);
  -- One statement, so one snapshot: each row is copied or leaves the counts, and changes recorded so far are cleared.
  execute format('with copied as (
      insert into %1$I select * from %2$I where not %3$s returning id
    ), cleared as (
      delete from delivery_partition_changes
    ), removed_rows as (
      select practice_id, test, created_at, id, endpoint_id, type, status from %2$I where %3$s
    ), placed as (
      select practice_id, test, endpoint_id, type, status, coalesce(c.start_at, ''-infinity'') as start_at,
        coalesce(c.start_id, '''') as start_id, count(*) as row_count
      from removed_rows r left join lateral (
        select c.start_at, c.start_id from list_chunks c
        where c.practice_id = r.practice_id and c.test = r.test and c.list = ''deliveries''
          and (c.start_at, c.start_id) <= (r.created_at, r.id)
        order by c.start_at desc, c.start_id desc limit 1
      ) as c on true
      group by practice_id, test, endpoint_id, type, status, c.start_at, c.start_id
    ), counts as (
      insert into list_counts as c
        select practice_id, test, ''deliveries'', r.group_id, r.label, start_at, start_id, status, -sum(row_count)
        from placed, counts_of_row(practice_id, test, ''deliveries'', endpoint_id, type) as r
        group by practice_id, test, r.group_id, r.label, start_at, start_id, status
        on conflict (practice_id, test, list, group_id, label, start_at, start_id, status)
          do update set row_count = c.row_count + excluded.row_count
        returning c.*
    )
    select (select count(*) from copied), (select coalesce(sum(row_count), 0) from placed),
      (select array_agg(distinct row(practice_id, test, list, start_at, start_id)::list_chunks) from counts)',
    new_deliveries, old_deliveries, is_expired) into kept, removed, touched;
  execute format('insert into %I select a.* from %I a join %I d on d.id = a.delivery_id',
    new_attempts, old_attempts, new_deliveries);
  delete from list_counts c using unnest(touched) as t
    where c.practice_id = t.practice_id and c.test = t.test and c.list = t.list and c.start_at = t.start_at
      and c.start_id = t.start_id and c.row_count = 0;
  -- Chunks that are empty now join their neighbours.
  foreach chunk in array coalesce(touched, '{}') loop
    perform split_large_chunk(chunk.practice_id, chunk.test, chunk.list, chunk.start_at, chunk.start_id, 1 << 29);
  end loop;
  execute format('analyze %I, %I', new_deliveries, new_attempts);
  perform lock_partitioned_deliveries(p_name);
  -- A row that left the counts and has changed is still there, or its deletion left the counts as well.
  execute format('insert into list_changes
    select practice_id, test, ''deliveries'', created_at, id, endpoint_id, type, null, status
    from (select distinct on (id) * from delivery_partition_changes order by id, number) as first
    where status is not null and not exists (select from %I d where d.id = first.id)', new_deliveries);
  execute format('delete from %I where id in (select id from delivery_partition_changes)', new_deliveries);
  execute format('insert into %I select * from %I where id in (select id from delivery_partition_changes)',
    new_deliveries, old_deliveries);
  execute format('insert into %I select * from %I where delivery_id in (select id from delivery_partition_changes)',
    new_attempts, old_attempts);
  delete from delivery_partition_changes;
  execute format('drop table %I', old_attempts);
  execute format('drop table %I', old_deliveries);
  delete from delivery_partitions where name = p_name;
  perform attach_delivery_tables(p_new_name, replaced.from_id, replaced.to_id);
  update delivery_partitions set replaced_at = p_now where name = p_new_name;
end $_$;

CREATE FUNCTION public.restore_links(p_ids text[]) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  ids text[];
begin
  ids := array(select id from archive.payment_links where id = any (p_ids) order by id for update);
  return move_links(ids, 'archive', 'public');
end $$;

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

CREATE FUNCTION public.subscription_of(p_endpoint public.webhook_endpoints) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  select json_build_object('id', p_endpoint.id, 'status', p_endpoint.status, 'locationId', p_endpoint.location_id,
    'enabledEvents', p_endpoint.enabled_events)
$$;

CREATE FUNCTION public.take_rate_slots(p_subjects text[], p_limits integer[], p_now timestamp with time zone, p_lock_wait_ms integer, p_leaves_out boolean) RETURNS TABLE(granted boolean, reset_seconds integer)
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  subjects text[] := '{}';
  limits integer[] := '{}';
  window_of integer[];
  opened record;
  admitted bigint[];
  at integer;
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  for i in 1 .. cardinality(p_subjects) loop
    at := array_position(subjects, p_subjects[i]);
    if at is null then
      subjects := subjects || p_subjects[i];
      limits := limits || p_limits[i];
      at := cardinality(subjects);
    end if;
    window_of[i] := at;
  end loop;
  opened := open_rate_windows(subjects, limits, p_now, p_leaves_out);
  admitted := opened.admitted;
  for i in 1 .. cardinality(p_subjects) loop
    at := window_of[i];
    -- Null for a window that was left out.
    granted := admitted[at] - opened.oldest[at] < limits[at];
    if granted then admitted[at] := admitted[at] + 1; end if;
    reset_seconds := seconds_until_free(opened.oldest_times[at], opened.moments[at]);
    return next;
  end loop;
  perform fill_rate_windows(
    subjects, limits, opened.admitted, admitted, opened.oldest, opened.oldest_times, opened.moments);
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

CREATE FUNCTION public.unbound_whole_deliveries() RETURNS void
    LANGUAGE plpgsql
    SET lock_timeout TO '200ms'
    AS $$
begin
  if not exists (select from pg_constraint where conname = 'before_partitions'
    and conrelid in ('webhook_deliveries'::regclass, 'webhook_attempts'::regclass)) then return; end if;
  alter table webhook_deliveries drop constraint if exists before_partitions;
  alter table webhook_attempts drop constraint if exists before_partitions;
end $$;

CREATE FUNCTION public.watch_delivery_partition(p_name text) RETURNS void
    LANGUAGE plpgsql
    SET lock_timeout TO '200ms'
    AS $$
begin
  execute format('create or replace trigger delivery_changed after insert or update or delete on %I
    for each row execute function note_delivery_change()', 'webhook_deliveries_' || p_name);
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

CREATE TABLE public.bank_reversals (
    id text NOT NULL,
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    transaction_id text NOT NULL,
    processor_reference text NOT NULL,
    amount_cents integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    test boolean,
    paid_at timestamp(3) with time zone,
    location_id text,
    payment_method_type text,
    CONSTRAINT bank_reversals_amount_cents_check CHECK ((amount_cents > 0))
);

CREATE TABLE archive.bank_reversals (
    id text,
    practice_id text,
    payment_link_id text,
    transaction_id text,
    processor_reference text,
    amount_cents integer,
    created_at timestamp(3) with time zone,
    test boolean,
    paid_at timestamp(3) with time zone,
    location_id text,
    payment_method_type text,
    CONSTRAINT bank_reversals_amount_cents_check CHECK ((amount_cents > 0))
)
INHERITS (public.bank_reversals);

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
    test boolean,
    paid_at timestamp(3) with time zone,
    location_id text,
    payment_method_type text,
    CONSTRAINT disputes_amount_cents_check CHECK ((amount_cents > 0)),
    CONSTRAINT disputes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])))
);

CREATE TABLE archive.disputes (
    id text,
    practice_id text,
    payment_link_id text,
    transaction_id text,
    processor_reference text,
    status text,
    amount_cents integer,
    reason text,
    evidence_due_by timestamp(3) with time zone,
    created_at timestamp(3) with time zone,
    closed_at timestamp(3) with time zone,
    test boolean,
    paid_at timestamp(3) with time zone,
    location_id text,
    payment_method_type text,
    CONSTRAINT disputes_amount_cents_check CHECK ((amount_cents > 0)),
    CONSTRAINT disputes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])))
)
INHERITS (public.disputes);

CREATE TABLE public.payment_admin_mails (
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    kind text NOT NULL,
    subject_id text NOT NULL,
    queued_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE archive.payment_admin_mails (
    practice_id text,
    payment_link_id text,
    kind text,
    subject_id text,
    queued_at timestamp(3) with time zone
)
INHERITS (public.payment_admin_mails);

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

CREATE TABLE archive.payment_attempts (
    id text,
    practice_id text,
    payment_link_id text,
    status text,
    processor text,
    processor_account_id text,
    processor_reference text,
    method_type text,
    amount_cents integer,
    currency text,
    failure_reason text,
    locale text,
    address text,
    authorisation_hash bytea,
    authorisation_text text,
    created_at timestamp(3) with time zone,
    closed_at timestamp(3) with time zone,
    reconcile_at timestamp(3) with time zone,
    submitting_until timestamp(3) with time zone,
    CONSTRAINT payment_attempts_amount_cents_check CHECK ((amount_cents > 0)),
    CONSTRAINT payment_attempts_check CHECK (((failure_reason IS NOT NULL) = (status = 'failed'::text))),
    CONSTRAINT payment_attempts_check1 CHECK (((closed_at IS NULL) = (status = ANY (ARRAY['open'::text, 'requires_action'::text])))),
    CONSTRAINT payment_attempts_check2 CHECK (((closed_at IS NOT NULL) OR (reconcile_at IS NOT NULL))),
    CONSTRAINT payment_attempts_method_type_check CHECK ((method_type = ANY (ARRAY['card'::text, 'us_bank_account'::text]))),
    CONSTRAINT payment_attempts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'requires_action'::text, 'accepted'::text, 'failed'::text, 'cancelled'::text])))
)
INHERITS (public.payment_attempts);

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

CREATE TABLE archive.payment_links (
    id text,
    practice_id text,
    location_id text,
    test boolean,
    token text,
    status text,
    source text,
    amount_cents integer,
    currency text,
    description text,
    external_reference text,
    metadata json,
    patient_id text,
    patient_first_name text,
    patient_last_name text,
    patient_phone text,
    patient_email text,
    patient_external_id text,
    expires_at timestamp(3) with time zone,
    open_attempt_id text,
    paid_at timestamp(3) with time zone,
    closed_at timestamp(3) with time zone,
    closed_by text,
    created_at timestamp(3) with time zone,
    CONSTRAINT payment_links_amount_cents_check CHECK (((amount_cents >= 1) AND (amount_cents <= 99999999))),
    CONSTRAINT payment_links_archived CHECK (((status <> 'active'::text) AND (open_attempt_id IS NULL))),
    CONSTRAINT payment_links_check CHECK (((test = false) OR (patient_id IS NULL))),
    CONSTRAINT payment_links_check1 CHECK (((status = 'paid'::text) = (paid_at IS NOT NULL))),
    CONSTRAINT payment_links_check2 CHECK (((status = 'active'::text) = (closed_at IS NULL))),
    CONSTRAINT payment_links_closed_by_check CHECK ((closed_by = ANY (ARRAY['api'::text, 'staff'::text, 'system'::text, 'simulated'::text]))),
    CONSTRAINT payment_links_currency_check CHECK ((currency = 'usd'::text)),
    CONSTRAINT payment_links_source_check CHECK ((source = ANY (ARRAY['api'::text, 'staff'::text, 'website'::text]))),
    CONSTRAINT payment_links_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paid'::text, 'expired'::text, 'cancelled'::text])))
)
INHERITS (public.payment_links);

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
    test boolean,
    paid_at timestamp(3) with time zone,
    location_id text,
    payment_method_type text,
    CONSTRAINT refunds_amount_cents_check CHECK ((amount_cents > 0)),
    CONSTRAINT refunds_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);

CREATE TABLE archive.refunds (
    id text,
    practice_id text,
    payment_link_id text,
    transaction_id text,
    bank_reversal_id text,
    processor_reference text,
    amount_cents integer,
    status text,
    reason text,
    created_at timestamp(3) with time zone,
    test boolean,
    paid_at timestamp(3) with time zone,
    location_id text,
    payment_method_type text,
    CONSTRAINT refunds_amount_cents_check CHECK ((amount_cents > 0)),
    CONSTRAINT refunds_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
)
INHERITS (public.refunds);

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

CREATE TABLE archive.transactions (
    id text,
    practice_id text,
    payment_link_id text,
    attempt_id text,
    status text,
    amount_cents integer,
    fee_cents integer,
    net_cents integer,
    payment_method_type text,
    payment_method_brand text,
    payment_method_last4 text,
    payment_number text DEFAULT ((((100000000)::double precision + floor((random() * (900000000)::double precision))))::integer)::text,
    statement_descriptor text,
    failure_reason text,
    processed_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone,
    reconcile_at timestamp(3) with time zone,
    CONSTRAINT transactions_check CHECK (((failure_reason IS NOT NULL) = (status = 'failed'::text))),
    CONSTRAINT transactions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'refunded'::text])))
)
INHERITS (public.transactions);

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
    carries_slot boolean DEFAULT false NOT NULL,
    CONSTRAINT api_keys_check CHECK (((ciphertext IS NULL) OR test)),
    CONSTRAINT api_keys_requests_per_minute_check CHECK ((requests_per_minute > 0))
);

CREATE TABLE public.api_requests (
    id text NOT NULL,
    practice_id text NOT NULL,
    test boolean NOT NULL,
    api_key_id text NOT NULL,
    request_id text NOT NULL,
    operation text NOT NULL,
    status integer NOT NULL,
    error_code text,
    duration_ms integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.archive_walk (
    is_only boolean DEFAULT true NOT NULL,
    after_days integer NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    last_id text DEFAULT ''::text,
    CONSTRAINT archive_walk_is_only_check CHECK (is_only)
);

CREATE TABLE public.audit_log (
    id text NOT NULL,
    practice_id text NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    action text NOT NULL,
    target_kind text NOT NULL,
    target_id text NOT NULL,
    address text,
    before json,
    after json,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT audit_log_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['person'::text, 'api_key'::text, 'operator'::text]))),
    CONSTRAINT audit_log_check CHECK (((actor_kind = 'operator'::text) = (actor_id IS NULL)))
);

CREATE TABLE public.console_devices (
    hash bytea NOT NULL,
    person_id text NOT NULL,
    used_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.console_sessions (
    hash bytea NOT NULL,
    person_id text NOT NULL,
    last_used_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.daily_link_counts (
    api_key_id text NOT NULL,
    day date NOT NULL,
    created_count integer NOT NULL,
    practice_id text NOT NULL
)
WITH (fillfactor='60');

CREATE TABLE public.delivery_partition_changes (
    number bigint NOT NULL,
    id text NOT NULL,
    practice_id text,
    test boolean,
    created_at timestamp with time zone,
    endpoint_id text,
    type text,
    status text
);

ALTER TABLE public.delivery_partition_changes ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.delivery_partition_changes_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.delivery_partitions (
    name text NOT NULL,
    from_id text,
    to_id text NOT NULL,
    replaced_at timestamp(3) with time zone,
    CONSTRAINT delivery_partitions_name_check CHECK ((name ~ '^[a-z0-9_]{1,30}$'::text))
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
    created_at timestamp(3) with time zone NOT NULL,
    practice_id text NOT NULL
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
)
PARTITION BY RANGE (id);

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

CREATE TABLE public.membership_locations (
    practice_id text NOT NULL,
    membership_id text NOT NULL,
    location_id text NOT NULL
);

CREATE TABLE public.memberships (
    id text NOT NULL,
    practice_id text NOT NULL,
    person_id text NOT NULL,
    role text NOT NULL,
    all_locations boolean NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT memberships_check CHECK (((role <> 'owner'::text) OR all_locations)),
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'administrator'::text, 'billing'::text, 'front_desk'::text, 'developer'::text, 'viewer'::text])))
);

CREATE TABLE public.notification_recipients (
    practice_id text NOT NULL,
    kind text NOT NULL,
    email text NOT NULL,
    CONSTRAINT notification_recipients_kind_check CHECK ((kind = ANY (ARRAY['disputes'::text, 'refunds'::text, 'payments'::text, 'webhooks'::text])))
);

CREATE TABLE public.page_assets (
    path text NOT NULL,
    type text NOT NULL,
    bytes bytea NOT NULL,
    recorded_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.passkey_challenges (
    hash bytea NOT NULL,
    person_id text,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.passkeys (
    id text NOT NULL,
    person_id text NOT NULL,
    credential_id text NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    name text NOT NULL,
    last_used_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT passkeys_counter_check CHECK ((counter >= 0))
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

CREATE TABLE public.payment_total_changes (
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    payment_method_type text NOT NULL,
    status text NOT NULL,
    payments integer NOT NULL,
    amount_cents integer NOT NULL,
    fee_cents integer NOT NULL,
    unknown_fees integer NOT NULL
);

CREATE TABLE public.payment_totals (
    practice_id text NOT NULL,
    test boolean NOT NULL,
    hour timestamp with time zone NOT NULL,
    location_id text NOT NULL,
    payment_method_type text NOT NULL,
    status text NOT NULL,
    payments bigint NOT NULL,
    amount_cents bigint NOT NULL,
    fee_cents bigint NOT NULL,
    unknown_fees bigint NOT NULL
)
WITH (fillfactor='70');

CREATE TABLE public.people (
    id text NOT NULL,
    email text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT people_email_check CHECK ((email = lower(email)))
);

CREATE TABLE public.practice_logos (
    practice_id text NOT NULL,
    hash text NOT NULL,
    bytes bytea NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT practice_logos_bytes_check CHECK ((octet_length(bytes) <= 400000)),
    CONSTRAINT practice_logos_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT practice_logos_height_check CHECK (((height >= 1) AND (height <= 160))),
    CONSTRAINT practice_logos_width_check CHECK (((width >= 1) AND (width <= 480)))
);

CREATE TABLE public.practice_moves (
    id text NOT NULL,
    practice_id text NOT NULL,
    side text NOT NULL,
    state text NOT NULL,
    target text,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT practice_moves_check CHECK ((state = ANY (
CASE side
    WHEN 'source'::text THEN '{moving,moved,deleted,cancelled}'::text[]
    ELSE '{arrived,cancelled}'::text[]
END))),
    CONSTRAINT practice_moves_side_check CHECK ((side = ANY (ARRAY['source'::text, 'target'::text])))
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
    created_at timestamp(3) with time zone NOT NULL,
    postal_address text,
    brand_color text,
    logo_hash text,
    logo_width integer,
    logo_height integer,
    wallets_enabled boolean DEFAULT false NOT NULL,
    statement_descriptor_suffix text,
    move_state text,
    slot smallint DEFAULT 0 NOT NULL,
    CONSTRAINT practices_brand_color_check CHECK ((brand_color ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT practices_logo_whole CHECK ((num_nulls(logo_hash, logo_width, logo_height) = ANY (ARRAY[0, 3]))),
    CONSTRAINT practices_move_state_check CHECK ((move_state = ANY (ARRAY['draining'::text, 'frozen'::text, 'moved'::text]))),
    CONSTRAINT practices_slot_check CHECK (((slot >= 0) AND (slot <= 1023))),
    CONSTRAINT practices_statement_descriptor_suffix_check CHECK (((statement_descriptor_suffix ~ '^[ -~]{1,10}$'::text) AND (statement_descriptor_suffix ~ '[A-Z]'::text) AND (statement_descriptor_suffix !~ '[<>\\''"*a-z]'::text)))
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

CREATE TABLE public.receipt_requests (
    id text NOT NULL,
    practice_id text NOT NULL,
    payment_link_id text NOT NULL,
    ordinal smallint NOT NULL,
    email text,
    language text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT receipt_requests_ordinal_check CHECK (((ordinal >= 1) AND (ordinal <= 3)))
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
    created_at timestamp(3) with time zone NOT NULL,
    practice_id text NOT NULL
);

CREATE TABLE public.sent_forms (
    practice_id text NOT NULL,
    form_id text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.sign_in_requests (
    id text NOT NULL,
    email text NOT NULL,
    language text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    return_path text,
    device_hash bytea
);

CREATE TABLE public.sign_in_tokens (
    hash bytea NOT NULL,
    person_id text NOT NULL,
    used_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    return_path text,
    request_id text,
    device_hash bytea
);

CREATE TABLE public.test_event_readers (
    practice_id text NOT NULL,
    read_at timestamp(3) with time zone NOT NULL,
    dropped_by xid8,
    moved_by text
);

CREATE TABLE public.test_events (
    id text NOT NULL,
    practice_id text NOT NULL,
    location_id text,
    type text NOT NULL,
    payload text NOT NULL,
    made_by xid8 DEFAULT pg_current_xact_id() NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.uncounted_payment_totals (
    practice_id text NOT NULL
);

CREATE TABLE public.webhook_attempts (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    endpoint_id text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer,
    response_status integer,
    error text,
    lease_epoch bigint NOT NULL,
    practice_id text NOT NULL,
    retry_after_seconds integer
)
PARTITION BY RANGE (delivery_id);

CREATE TABLE public.webhook_attempts_default (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    endpoint_id text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer,
    response_status integer,
    error text,
    lease_epoch bigint NOT NULL,
    practice_id text NOT NULL,
    retry_after_seconds integer
);

CREATE TABLE public.webhook_attempts_first (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    endpoint_id text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer,
    response_status integer,
    error text,
    lease_epoch bigint NOT NULL,
    practice_id text NOT NULL,
    retry_after_seconds integer
);

CREATE TABLE public.webhook_attempts_w20310224 (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    endpoint_id text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer,
    response_status integer,
    error text,
    lease_epoch bigint NOT NULL,
    practice_id text NOT NULL,
    retry_after_seconds integer
);

CREATE TABLE public.webhook_attempts_w20310303 (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    endpoint_id text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer,
    response_status integer,
    error text,
    lease_epoch bigint NOT NULL,
    practice_id text NOT NULL,
    retry_after_seconds integer
);

CREATE TABLE public.webhook_attempts_w20310310 (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    endpoint_id text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer,
    response_status integer,
    error text,
    lease_epoch bigint NOT NULL,
    practice_id text NOT NULL,
    retry_after_seconds integer
);

CREATE TABLE public.webhook_attempts_w20310317 (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    endpoint_id text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer,
    response_status integer,
    error text,
    lease_epoch bigint NOT NULL,
    practice_id text NOT NULL,
    retry_after_seconds integer
);

CREATE TABLE public.webhook_attempts_w20310324 (
    delivery_id text NOT NULL,
    number integer NOT NULL,
    endpoint_id text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    duration_ms integer,
    response_status integer,
    error text,
    lease_epoch bigint NOT NULL,
    practice_id text NOT NULL,
    retry_after_seconds integer
);

CREATE TABLE public.webhook_deliveries_default (
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

CREATE TABLE public.webhook_deliveries_first (
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

CREATE TABLE public.webhook_deliveries_w20310224 (
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

CREATE TABLE public.webhook_deliveries_w20310303 (
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

CREATE TABLE public.webhook_deliveries_w20310310 (
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

CREATE TABLE public.webhook_deliveries_w20310317 (
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

CREATE TABLE public.webhook_deliveries_w20310324 (
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
    statement_descriptor_suffix text,
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

ALTER TABLE ONLY public.webhook_attempts ATTACH PARTITION public.webhook_attempts_default DEFAULT;

ALTER TABLE ONLY public.webhook_attempts ATTACH PARTITION public.webhook_attempts_first FOR VALUES FROM (MINVALUE) TO ('evt_01r548wj000000000000000000');

ALTER TABLE ONLY public.webhook_attempts ATTACH PARTITION public.webhook_attempts_w20310224 FOR VALUES FROM ('evt_01r548wj000000000000000000') TO ('evt_01r5p9nk000000000000000000');

ALTER TABLE ONLY public.webhook_attempts ATTACH PARTITION public.webhook_attempts_w20310303 FOR VALUES FROM ('evt_01r5p9nk000000000000000000') TO ('evt_01r68aem000000000000000000');

ALTER TABLE ONLY public.webhook_attempts ATTACH PARTITION public.webhook_attempts_w20310310 FOR VALUES FROM ('evt_01r68aem000000000000000000') TO ('evt_01r6tb7n000000000000000000');

ALTER TABLE ONLY public.webhook_attempts ATTACH PARTITION public.webhook_attempts_w20310317 FOR VALUES FROM ('evt_01r6tb7n000000000000000000') TO ('evt_01r7cc0p000000000000000000');

ALTER TABLE ONLY public.webhook_attempts ATTACH PARTITION public.webhook_attempts_w20310324 FOR VALUES FROM ('evt_01r7cc0p000000000000000000') TO ('evt_01r7ycsq000000000000000000');

ALTER TABLE ONLY public.webhook_deliveries ATTACH PARTITION public.webhook_deliveries_default DEFAULT;

ALTER TABLE ONLY public.webhook_deliveries ATTACH PARTITION public.webhook_deliveries_first FOR VALUES FROM (MINVALUE) TO ('evt_01r548wj000000000000000000');

ALTER TABLE ONLY public.webhook_deliveries ATTACH PARTITION public.webhook_deliveries_w20310224 FOR VALUES FROM ('evt_01r548wj000000000000000000') TO ('evt_01r5p9nk000000000000000000');

ALTER TABLE ONLY public.webhook_deliveries ATTACH PARTITION public.webhook_deliveries_w20310303 FOR VALUES FROM ('evt_01r5p9nk000000000000000000') TO ('evt_01r68aem000000000000000000');

ALTER TABLE ONLY public.webhook_deliveries ATTACH PARTITION public.webhook_deliveries_w20310310 FOR VALUES FROM ('evt_01r68aem000000000000000000') TO ('evt_01r6tb7n000000000000000000');

ALTER TABLE ONLY public.webhook_deliveries ATTACH PARTITION public.webhook_deliveries_w20310317 FOR VALUES FROM ('evt_01r6tb7n000000000000000000') TO ('evt_01r7cc0p000000000000000000');

ALTER TABLE ONLY public.webhook_deliveries ATTACH PARTITION public.webhook_deliveries_w20310324 FOR VALUES FROM ('evt_01r7cc0p000000000000000000') TO ('evt_01r7ycsq000000000000000000');

ALTER TABLE ONLY public.schema_migrations ALTER COLUMN id SET DEFAULT nextval('public.schema_migrations_id_seq'::regclass);

INSERT INTO archive.bank_reversals VALUES
	('rv_01qgz8agg03pq8tnm8nvdwaw3c', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtp', 'txn_01qgqh4bg0ddxphqg4r49jxkh1', 'sbx_dsp_95c983d68e340a8269d0b748', 5000, '2030-06-18 12:00:00+00', false, '2030-06-15 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'us_bank_account');

INSERT INTO archive.disputes VALUES
	('dp_01qgqh4bg06tkxd3xvs87qg566', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtq', 'txn_01qgqh4bg0ddxphqg4r49jxkh2', 'sbx_dsp_97ef416221472e15e54de92c', 'won', 5000, 'fraudulent', NULL, '2030-06-15 12:00:00+00', '2030-06-18 12:00:00+00', false, '2030-06-15 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card');

INSERT INTO archive.payment_admin_mails VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtq', 'dispute_closed', 'dp_01qgqh4bg06tkxd3xvs87qg566', '2030-06-18 12:00:00+00'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtq', 'dispute_opened', 'dp_01qgqh4bg06tkxd3xvs87qg566', '2030-06-15 12:00:00+00');

INSERT INTO archive.payment_attempts VALUES
	('att_01qgqh4bg00ab875tcam6fqvv5', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtm', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_980712f18cd2c2d20c1b8e5e', 'card', 12550, 'usd', NULL, 'en', '203.0.113.7', NULL, NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:02+00'),
	('att_01qgqh4bg00ab875tcam6fqvv6', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtn', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_9bd38aaa3e78f672d9fb2416', 'card', 12550, 'usd', NULL, 'en', '203.0.113.7', NULL, NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:02+00'),
	('att_01qgqh4bg00ab875tcam6fqvv7', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtp', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_f1838c37d3dec5bc4ab8d970', 'us_bank_account', 12550, 'usd', NULL, 'en', '203.0.113.7', '\x883a39cd94046f2faa0a0864856a65f33056f2128fa54f239398b877bde826b9', 'I authorise this debit, once.', '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:02+00'),
	('att_01qgqh4bg00ab875tcam6fqvv8', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtq', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_8fae87af01dee7174431fdcf', 'card', 12550, 'usd', NULL, 'en', '203.0.113.7', NULL, NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:02+00');

INSERT INTO archive.payment_links VALUES
	('plink_01qgqh4bg06944d2k8761qxgtm', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02rsq1tVcpMY2qwpwB50zbxJPcGUhc4GtN', 'paid', 'api', 12550, 'usd', 'Cleaning', 'INV-0', NULL, 'pat_01qgqh4bg0c9zcym5y9bnkxpsx', 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00'),
	('plink_01qgqh4bg06944d2k8761qxgtn', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02HhJWmYh5OMzgRrV9Tc4Zr6cDcd7xv-Qu', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01qgqh4bg0c9zcym5y9bnkxpsy', 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00'),
	('plink_01qgqh4bg06944d2k8761qxgtp', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02sIXQtAjJOa6gZ2OT8MmkbVmxdSPbcI6A', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01qgqh4bg0c9zcym5y9bnkxpsz', 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00'),
	('plink_01qgqh4bg06944d2k8761qxgtq', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02k-XQvHz7FPEjEpodxhcGF1y6aPJwe49S', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01qgqh4bg0c9zcym5y9bnkxpt0', 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL, '2030-06-15 12:00:00+00'),
	('plink_01qgqh4bg06944d2k8761qxgtr', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02WMmtAGgipCHQB_2LgoWTZee76Q8FvaOb', 'cancelled', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2030-07-15 12:00:00+00', NULL, NULL, '2030-06-15 12:00:00+00', 'api', '2030-06-15 12:00:00+00');

INSERT INTO archive.refunds VALUES
	('re_01qgqh4bg0q440menf03fy3s9f', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtn', 'txn_01qgqh4bg0ddxphqg4r49jxkh0', NULL, 'sbx_ref_dcf7d70f857f7faa4006fb03', 1000, 'succeeded', 'requested_by_customer', '2030-06-15 12:00:00+00', false, '2030-06-15 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card'),
	('re_01qgz8agg0scqsaeqk8m5k1s6s', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtp', 'txn_01qgqh4bg0ddxphqg4r49jxkh1', 'rv_01qgz8agg03pq8tnm8nvdwaw3c', 'sbx_dsp_95c983d68e340a8269d0b748', 5000, 'succeeded', 'bank_reversal', '2030-06-18 12:00:00+00', false, '2030-06-15 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'us_bank_account');

INSERT INTO archive.transactions VALUES
	('txn_01qgqh4bg0ddxphqg4r49jxkgz', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtm', 'att_01qgqh4bg00ab875tcam6fqvv5', 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '440112709', 'PAYLINKS SANDBOX', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL),
	('txn_01qgqh4bg0ddxphqg4r49jxkh0', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtn', 'att_01qgqh4bg00ab875tcam6fqvv6', 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '695292833', 'PAYLINKS SANDBOX', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL),
	('txn_01qgqh4bg0ddxphqg4r49jxkh1', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtp', 'att_01qgqh4bg00ab875tcam6fqvv7', 'succeeded', 12550, 100, 12450, 'us_bank_account', NULL, '6789', '192822139', 'PAYLINKS SANDBOX', NULL, '2030-06-18 12:00:00+00', '2030-06-15 12:00:00+00', NULL),
	('txn_01qgqh4bg0ddxphqg4r49jxkh2', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01qgqh4bg06944d2k8761qxgtq', 'att_01qgqh4bg00ab875tcam6fqvv8', 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '502913385', 'PAYLINKS SANDBOX', NULL, '2030-06-15 12:00:00+00', '2030-06-15 12:00:00+00', NULL);

INSERT INTO graphile_worker._private_job_queues OVERRIDING SYSTEM VALUE VALUES
	(1, 'mails_4', NULL, NULL, DEFAULT),
	(2, 'mails_7', NULL, NULL, DEFAULT),
	(3, 'mails_2', NULL, NULL, DEFAULT);

INSERT INTO graphile_worker._private_jobs OVERRIDING SYSTEM VALUE VALUES
	(1, NULL, 1, '{"id":"sbx_msg_ca28bec7db45e881802d3a9a","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_980712f18cd2c2d20c1b8e5e"}}', 0, '2026-11-23 17:02:00.676344+00', 0, 25, NULL, '2026-11-23 17:02:00.676344+00', '2026-11-23 17:02:00.676344+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(2, NULL, 1, '{"id":"sbx_msg_33802e6dc51675894889b513","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_9bd38aaa3e78f672d9fb2416"}}', 0, '2026-11-23 17:02:00.709752+00', 0, 25, NULL, '2026-11-23 17:02:00.709752+00', '2026-11-23 17:02:00.709752+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(3, NULL, 1, '{"id":"sbx_msg_378f68b900e5c5b2ce310f8e","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_f1838c37d3dec5bc4ab8d970"}}', 0, '2026-11-23 17:02:00.753657+00', 0, 25, NULL, '2026-11-23 17:02:00.753657+00', '2026-11-23 17:02:00.753657+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(4, NULL, 1, '{"id":"sbx_msg_fb490c7b8ac67722fac6be96","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_f1838c37d3dec5bc4ab8d970"}}', 0, '2030-06-18 12:00:00+00', 0, 25, NULL, '2026-11-23 17:02:00.754954+00', '2026-11-23 17:02:00.754954+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(5, NULL, 1, '{"id":"sbx_msg_5260adf39736e110ad5d5038","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_8fae87af01dee7174431fdcf"}}', 0, '2026-11-23 17:02:00.78559+00', 0, 25, NULL, '2026-11-23 17:02:00.78559+00', '2026-11-23 17:02:00.78559+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(6, NULL, 2, '{"processor" : "sandbox", "id" : "sbx_msg_d5baa9e44ff3d83f0c5c8e66"}', 0, '2026-11-23 17:02:00.80542+00', 0, 1, NULL, '2026-11-23 17:02:00.80542+00', '2026-11-23 17:02:00.80542+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(7, 1, 3, '{"kind" : "dispute_opened", "paymentLinkId" : "plink_01qgqh4bg06944d2k8761qxgtq", "subjectId" : "dp_01qgqh4bg06tkxd3xvs87qg566", "amountCents" : 5000}', 1, '2026-11-23 17:02:00.817527+00', 0, 20, NULL, '2026-11-23 17:02:00.817527+00', '2026-11-23 17:02:00.817527+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(8, NULL, 2, '{"processor" : "sandbox", "id" : "sbx_msg_18cebe6fe07eced0f8f297d6"}', 0, '2026-11-23 17:02:00.93883+00', 0, 1, NULL, '2026-11-23 17:02:00.93883+00', '2026-11-23 17:02:00.93883+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(9, NULL, 2, '{"processor" : "sandbox", "id" : "sbx_msg_29a7d1b470b4a71eb06b8f36"}', 0, '2026-11-23 17:02:00.983808+00', 0, 1, NULL, '2026-11-23 17:02:00.983808+00', '2026-11-23 17:02:00.983808+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(10, 2, 3, '{"kind" : "dispute_closed", "paymentLinkId" : "plink_01qgqh4bg06944d2k8761qxgtq", "subjectId" : "dp_01qgqh4bg06tkxd3xvs87qg566", "amountCents" : 5000}', 1, '2026-11-23 17:02:00.991078+00', 0, 20, NULL, '2026-11-23 17:02:00.991078+00', '2026-11-23 17:02:00.991078+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(11, NULL, 1, '{"id":"sbx_msg_aa2036d4933ddcd1ae9c857b","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_f85c3e646dc7a59eb6ebfa7e"}}', 0, '2026-11-23 17:02:01.346593+00', 0, 25, NULL, '2026-11-23 17:02:01.346593+00', '2026-11-23 17:02:01.346593+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(12, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.351451+00', 0, 1, NULL, '2026-11-23 17:02:01.351451+00', '2026-11-23 17:02:01.351451+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(13, NULL, 1, '{"id":"sbx_msg_44b49725fd68ce4d6752494c","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_55965596d7880f0c5c2a75a3"}}', 0, '2026-11-23 17:02:01.374546+00', 0, 25, NULL, '2026-11-23 17:02:01.374546+00', '2026-11-23 17:02:01.374546+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(14, NULL, 1, '{"id":"sbx_msg_3846685a7b329ea284292129","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_55965596d7880f0c5c2a75a3"}}', 0, '2031-02-16 12:00:00+00', 0, 25, NULL, '2026-11-23 17:02:01.377822+00', '2026-11-23 17:02:01.377822+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(15, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.378723+00', 0, 1, NULL, '2026-11-23 17:02:01.378723+00', '2026-11-23 17:02:01.378723+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(16, NULL, 1, '{"id":"sbx_msg_08b4f94bb4f6b1b1b893f903","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_cc02f6ae125dac58bf6fe879"}}', 0, '2026-11-23 17:02:01.401484+00', 0, 25, NULL, '2026-11-23 17:02:01.401484+00', '2026-11-23 17:02:01.401484+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(17, NULL, 1, '{"id":"sbx_msg_eab1351f1cce1a1234fb8b84","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_cc02f6ae125dac58bf6fe879"}}', 0, '2031-02-16 12:00:00+00', 0, 25, NULL, '2026-11-23 17:02:01.402347+00', '2026-11-23 17:02:01.402347+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(18, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.403279+00', 0, 1, NULL, '2026-11-23 17:02:01.403279+00', '2026-11-23 17:02:01.403279+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(19, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.425495+00', 0, 1, NULL, '2026-11-23 17:02:01.425495+00', '2026-11-23 17:02:01.425495+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(20, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.44179+00', 0, 1, NULL, '2026-11-23 17:02:01.44179+00', '2026-11-23 17:02:01.44179+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(21, NULL, 2, '{"processor" : "sandbox", "id" : "sbx_msg_c9d024ebb97edba920abb8e6"}', 0, '2026-11-23 17:02:01.471911+00', 0, 1, NULL, '2026-11-23 17:02:01.471911+00', '2026-11-23 17:02:01.471911+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(22, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.4807+00', 0, 1, NULL, '2026-11-23 17:02:01.4807+00', '2026-11-23 17:02:01.4807+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(23, NULL, 2, '{"processor" : "sandbox", "id" : "sbx_msg_05dcdc5902f017c13831d92f"}', 0, '2026-11-23 17:02:01.517982+00', 0, 1, NULL, '2026-11-23 17:02:01.517982+00', '2026-11-23 17:02:01.517982+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(24, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.525891+00', 0, 1, NULL, '2026-11-23 17:02:01.525891+00', '2026-11-23 17:02:01.525891+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(25, 3, 3, '{"kind" : "dispute_opened", "paymentLinkId" : "plink_01r497q0g0cyfrzz1z64v299ng", "subjectId" : "dp_01r4gyx5g09j4abc8vyntpq7hh", "amountCents" : 5000}', 1, '2026-11-23 17:02:01.525891+00', 0, 20, NULL, '2026-11-23 17:02:01.525891+00', '2026-11-23 17:02:01.525891+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(26, NULL, 1, '{"id":"sbx_msg_9502e81cdfed5e8e37b5cfce","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_5cf54e9aaaf077253747a841"}}', 0, '2026-11-23 17:02:01.819662+00', 0, 25, NULL, '2026-11-23 17:02:01.819662+00', '2026-11-23 17:02:01.819662+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(27, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.827322+00', 0, 1, NULL, '2026-11-23 17:02:01.827322+00', '2026-11-23 17:02:01.827322+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(28, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.848532+00', 0, 1, NULL, '2026-11-23 17:02:01.848532+00', '2026-11-23 17:02:01.848532+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(29, NULL, 1, '{"id":"sbx_msg_ccfa09230a06c2d880eb64ba","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_29decd5197a8b3097c20a7dd"}}', 0, '2026-11-23 17:02:01.862873+00', 0, 25, NULL, '2026-11-23 17:02:01.862873+00', '2026-11-23 17:02:01.862873+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(30, NULL, 1, '{"id":"sbx_msg_780a30d3a43941178c02bb9f","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_50ff1d02fec3645260a50ba7"}}', 0, '2026-11-23 17:02:01.879215+00', 0, 25, NULL, '2026-11-23 17:02:01.879215+00', '2026-11-23 17:02:01.879215+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(31, NULL, 1, '{"id":"sbx_msg_d0da7025699a61f0e0adb29d","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_943de167d2b77a4b9a46b32d"}}', 0, '2026-11-23 17:02:01.893139+00', 0, 25, NULL, '2026-11-23 17:02:01.893139+00', '2026-11-23 17:02:01.893139+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(32, NULL, 1, '{"id":"sbx_msg_1fa4e85ace6364898fb7e570","accountId":"sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb","subject":{"kind":"payment","reference":"sbx_pay_943de167d2b77a4b9a46b32d"}}', 0, '2031-02-27 12:00:00+00', 0, 25, NULL, '2026-11-23 17:02:01.894999+00', '2026-11-23 17:02:01.894999+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(33, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:01.896639+00', 0, 1, NULL, '2026-11-23 17:02:01.896639+00', '2026-11-23 17:02:01.896639+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(34, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:02.005254+00', 0, 1, NULL, '2026-11-23 17:02:02.005254+00', '2026-11-23 17:02:02.005254+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(35, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvm"}', 0, '2026-11-23 17:02:02.005254+00', 0, 1, NULL, '2026-11-23 17:02:02.005254+00', '2026-11-23 17:02:02.005254+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(36, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvm"}', 0, '2031-02-24 14:00:30+00', 0, 1, NULL, '2026-11-23 17:02:02.022071+00', '2026-11-23 17:02:02.022071+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(37, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvm"}', 0, '2031-02-24 14:02:30+00', 0, 1, NULL, '2026-11-23 17:02:02.032078+00', '2026-11-23 17:02:02.032078+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(38, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvm"}', 0, '2031-02-24 14:12:30+00', 0, 1, NULL, '2026-11-23 17:02:02.040499+00', '2026-11-23 17:02:02.040499+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(39, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvm"}', 0, '2031-02-24 15:12:30+00', 0, 1, NULL, '2026-11-23 17:02:02.048402+00', '2026-11-23 17:02:02.048402+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(40, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvm"}', 0, '2031-02-24 21:12:30+00', 0, 1, NULL, '2026-11-23 17:02:02.055091+00', '2026-11-23 17:02:02.055091+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(41, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvm"}', 0, '2031-02-25 21:12:30+00', 0, 1, NULL, '2026-11-23 17:02:02.062445+00', '2026-11-23 17:02:02.062445+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(42, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvm"}', 0, '2031-02-27 21:12:30+00', 0, 1, NULL, '2026-11-23 17:02:02.070455+00', '2026-11-23 17:02:02.070455+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(43, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:02.085318+00', 0, 1, NULL, '2026-11-23 17:02:02.085318+00', '2026-11-23 17:02:02.085318+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(44, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2031-02-27 21:13:00+00', 0, 1, NULL, '2026-11-23 17:02:02.116539+00', '2026-11-23 17:02:02.116539+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(45, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvk"}', 0, '2026-11-23 17:02:02.129518+00', 0, 1, NULL, '2026-11-23 17:02:02.129518+00', '2026-11-23 17:02:02.129518+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(46, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvn"}', 0, '2026-11-23 17:02:02.129518+00', 0, 1, NULL, '2026-11-23 17:02:02.129518+00', '2026-11-23 17:02:02.129518+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(47, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvp"}', 0, '2026-11-23 17:02:02.149077+00', 0, 1, NULL, '2026-11-23 17:02:02.149077+00', '2026-11-23 17:02:02.149077+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(48, NULL, 2, '{"processor" : "sandbox", "id" : "msg_1"}', 0, '2026-11-23 17:02:02.180441+00', 0, 1, NULL, '2026-11-23 17:02:02.180441+00', '2026-11-23 17:02:02.180441+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(49, 2, 5, '{"membershipId" : "mem_01r5e8wqhgt1j2cpxx3hcqyda6"}', 1, '2026-11-23 17:02:02.250689+00', 0, 20, NULL, '2026-11-23 17:02:02.250689+00', '2026-11-23 17:02:02.250689+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(50, 1, 5, '{"membershipId" : "mem_01r5e8wqhgt1j2cpxx3hcqyda7"}', 1, '2026-11-23 17:02:02.264955+00', 0, 20, NULL, '2026-11-23 17:02:02.264955+00', '2026-11-23 17:02:02.264955+00', NULL, NULL, NULL, 0, NULL, DEFAULT),
	(51, NULL, 4, '{"endpointId" : "we_01r497q0g0e6w44tf76gvvdmvp"}', 0, '2026-11-23 17:02:02.306975+00', 0, 1, NULL, '2026-11-23 17:02:02.306975+00', '2026-11-23 17:02:02.306975+00', NULL, NULL, NULL, 0, NULL, DEFAULT);

INSERT INTO graphile_worker._private_tasks OVERRIDING SYSTEM VALUE VALUES
	(1, 'sandbox_notification'),
	(2, 'processor_notification'),
	(3, 'send_payment_admin_mail'),
	(4, 'deliver_webhooks'),
	(5, 'send_invitation_mail');

INSERT INTO graphile_worker.migrations VALUES
	(1, '2026-11-23 17:01:59.816722+00', true),
	(2, '2026-11-23 17:01:59.824858+00', false),
	(3, '2026-11-23 17:01:59.827562+00', true),
	(4, '2026-11-23 17:01:59.829333+00', false),
	(5, '2026-11-23 17:01:59.83094+00', false),
	(6, '2026-11-23 17:01:59.832716+00', false),
	(7, '2026-11-23 17:01:59.834382+00', false),
	(8, '2026-11-23 17:01:59.835728+00', false),
	(9, '2026-11-23 17:01:59.838439+00', false),
	(10, '2026-11-23 17:01:59.839968+00', false),
	(11, '2026-11-23 17:01:59.840893+00', true),
	(12, '2026-11-23 17:01:59.859903+00', false),
	(13, '2026-11-23 17:01:59.861548+00', true),
	(14, '2026-11-23 17:01:59.862972+00', true),
	(15, '2026-11-23 17:01:59.865+00', false),
	(16, '2026-11-23 17:01:59.866256+00', true),
	(17, '2026-11-23 17:01:59.868705+00', false),
	(18, '2026-11-23 17:01:59.870355+00', false),
	(19, '2026-11-23 17:01:59.871999+00', true),
	(20, '2026-11-23 17:01:59.873104+00', false);

INSERT INTO public.api_keys VALUES
	('key_01qgqh4bg092jraqrezqc3d6fr', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, '\x59c1e9531ad3c52b87b353cf2604445e1c778b40b9544591ecfba9fc9d1c8d5a', 'test.v1y3mNvylqNcxKW7.LanihsPC6NkhOr2DOAek99NXDuhUcC1IajV0tUwRi98jKsdKLmx4Gcez.hhXy5uQA5efrI_lwVCWgrQ', 'MEt1', '{payment_links:read,payment_links:write,webhooks:manage}', NULL, 1000000, NULL, NULL, NULL, '2030-06-15 12:00:00+00', true),
	('key_01qgqh4bg092jraqrezqc3d6fs', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '\xeb223e10cf34401982e58c9cb983c6c107ef9f208b78af22eb2963363a7d2181', NULL, 'QNmv', '{payment_links:read,payment_links:write,webhooks:manage}', NULL, 1000000, NULL, NULL, NULL, '2030-06-15 12:00:00+00', true),
	('key_01qgqh4bg092jraqrezqc3d6ft', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '\xacef8ef1848586681675fc5f2b570673e2ce247cb1a711f0aad933d067ac2f14', NULL, 'gOmx', '{payment_links:read,payment_links:write,webhooks:manage}', NULL, 10000, NULL, NULL, '2031-02-27 21:12:30+00', '2030-06-15 12:00:00+00', true),
	('key_01qgqh4bg092jraqrezqc3d6fv', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, '\xe51c74215b8c03b10126d8749a3ca6690b1f7abc0ad42248fdf1241de0e0343d', 'test.j630dnTXHrcz8Yl-.ZnpCZPOuwxAMd0ySK9jiQ9Il4mXtm-jdIX72S88w0d5pPtNW_c4hJlWa.0Mgnmx2QBI6YKRKZQvBWPA', 'EQyg', '{payment_links:read,payment_links:write,webhooks:manage}', NULL, 10000, NULL, NULL, '2031-02-27 21:12:30+00', '2030-06-15 12:00:00+00', true),
	('key_01qgqh4bg092jraqrezqc3d6fw', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '\x5b9d435bac71ba6062bc1f9ef0bd516dd838c8787d208c4e7e811d0ea8790981', NULL, 'Ts_6', '{payment_links:read,payment_links:write,webhooks:manage}', 'loc_01qgqh4bg0h71fdsvywmrqjrgd', 120, NULL, NULL, '2031-02-27 21:12:30+00', '2030-06-15 12:00:00+00', true);

INSERT INTO public.api_requests VALUES
	('areq_01qgqh4bg06g2gpevabxckbpc8', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_Tjz4Wq7MyOqqqsGj', 'createPaymentLink', 201, NULL, 27, '2030-06-15 12:00:00+00'),
	('areq_01qgqh4bg06g2gpevabxckbpc9', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_KvXhCCecy4mON8TJ', 'createPaymentLink', 201, NULL, 6, '2030-06-15 12:00:00+00'),
	('areq_01qgqh4bg06g2gpevabxckbpca', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_6YlSitGL5HF9NVG-', 'createPaymentLink', 201, NULL, 8, '2030-06-15 12:00:00+00'),
	('areq_01qgqh4bg06g2gpevabxckbpcb', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_EIbw5R8VJ91maQbr', 'createPaymentLink', 201, NULL, 5, '2030-06-15 12:00:00+00'),
	('areq_01qgqh4bg06g2gpevabxckbpcc', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_U9Y-1D1QrqVQsWak', 'createPaymentLink', 201, NULL, 5, '2030-06-15 12:00:00+00'),
	('areq_01qgqh4bg06g2gpevabxckbpcd', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_WH9yzMyLPw2wQltS', 'cancelPaymentLink', 200, NULL, 10, '2030-06-15 12:00:00+00'),
	('areq_01r497q0g0wcjc6j6ngf6dzcgz', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_KEZEHi-NOsT-GGu6', 'createWebhookEndpoint', 201, NULL, 13, '2031-02-13 12:00:00+00'),
	('areq_01r497q0g0wcjc6j6ngf6dzch0', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_vUl8_Unc7PeKXlZx', 'createWebhookEndpoint', 201, NULL, 7, '2031-02-13 12:00:00+00'),
	('areq_01r497q0g0wcjc6j6ngf6dzch1', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_aeIZw_bCD4iec8Zg', 'createWebhookEndpoint', 201, NULL, 6, '2031-02-13 12:00:00+00'),
	('areq_01r497q0g0wcjc6j6ngf6dzch2', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_k4RrfixcHCbopnmA', 'createWebhookEndpoint', 201, NULL, 6, '2031-02-13 12:00:00+00'),
	('areq_01r497q0g0wcjc6j6ngf6dzch3', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_qWmqqe85-Pr2lkLX', 'createPaymentLink', 201, NULL, 7, '2031-02-13 12:00:00+00'),
	('areq_01r497q0g0wcjc6j6ngf6dzch4', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_LnpjBY-PjTkoXPE-', 'createPaymentLink', 201, NULL, 6, '2031-02-13 12:00:00+00'),
	('areq_01r497q0g0wcjc6j6ngf6dzch5', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_Rs-UczfERot4nje7', 'createPaymentLink', 201, NULL, 3, '2031-02-13 12:00:00+00'),
	('areq_01r55j2xg0fj4mqkmtcedkb49c', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_wnktCnRkXxWfjnru', 'createPaymentLink', 201, NULL, 5, '2031-02-24 12:00:00+00'),
	('areq_01r55j2xg0fj4mqkmtcedkb49d', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_cYgrvruAhoDFajzi', 'createPaymentLink', 201, NULL, 6, '2031-02-24 12:00:00+00'),
	('areq_01r55j2xg0fj4mqkmtcedkb49e', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_YE0zKsQwt2tz4kq0', 'createPaymentLink', 201, NULL, 4, '2031-02-24 12:00:00+00'),
	('areq_01r55j2xg0fj4mqkmtcedkb49f', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_46zgfwFBfTohYQFB', 'createPaymentLink', 201, NULL, 3, '2031-02-24 12:00:00+00'),
	('areq_01r55j2xg0fj4mqkmtcedkb49g', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_PpvzSJfogQWWVXeM', 'createPaymentLink', 201, NULL, 4, '2031-02-24 12:00:00+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgr8', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_atuKF27w2oiuofW_', 'testWebhookEndpoint', 202, NULL, 12, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgr9', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_w4wxmYVJzH3ww7Q3', 'createPaymentLink', 201, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgra', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_0kUlv23R_ud0UiCt', 'cancelPaymentLink', 200, NULL, 8, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrb', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_JphtnC2vISgO7JDK', 'updateWebhookEndpoint', 400, 'unknown_parameter', 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrc', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_NWufjjtN-yTwNShQ', 'createPaymentLink', 201, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrd', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_zw_sbJnwHYZEf5dj', 'simulatePaymentLink', 200, NULL, 6, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgre', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_ip6PYY_ccgVOOjuU', 'createPaymentLink', 201, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrf', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_T87l5_dfbc3fltyc', 'createPaymentLink', 201, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrg', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6fw', 'req_ySxp0HL7ZMRYoWjn', 'createPaymentLink', 201, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrh', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_yS-9mbgoWySpvjNU', 'createPaymentLink', 201, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrj', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_F6J70rAKNG-8Gjg5', 'rotateWebhookEndpointSecret', 200, NULL, 9, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrk', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_e--FAg8GAE9p4kn9', 'createPaymentLink', 201, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrm', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req__R6vLavRAJ_xQaia', 'listTestEvents', 200, NULL, 6, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrn', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_IERRCA1LFPflprvt', 'createPaymentLink', 201, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrp', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_xtlZdrTZzkdjwyHf', 'simulatePaymentLink', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrq', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_DdXNEky-Tio80xVV', 'listLocations', 200, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrr', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_OtVYMUR_6NI-ta63', 'listPaymentLinks', 200, NULL, 10, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrs', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_npABAcB2ULajmtg2', 'listWebhookEndpoints', 200, NULL, 8, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrt', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_9_YXIfWJ7ieixT0G', 'listWebhookDeliveries', 200, NULL, 18, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrv', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_hCWoFnCI5pkkK4v4', 'listLocations', 200, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrw', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_dMmQDB8Jjj0hSPNx', 'listPaymentLinks', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrx', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_7BAayOl99fcwbZSq', 'listWebhookEndpoints', 200, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgry', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_jrM2QYJmLCd4x0UA', 'listWebhookDeliveries', 200, NULL, 14, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgrz', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_pup8cstpDHL2v-kG', 'getWebhookDelivery', 200, NULL, 7, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs0', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_-spGue_3MZZhDGq6', 'getWebhookDelivery', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs1', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_RxtZXC4G6ZtWxhA3', 'getWebhookDelivery', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs2', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_p3FX2Xzirv-moFtx', 'getWebhookDelivery', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs3', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_HY6sql-nJWQnUNqC', 'getWebhookDelivery', 200, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs4', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_Mgza7mj5xAH4MPtG', 'getWebhookDelivery', 200, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs5', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_S8Hl7nE4QP5HplkM', 'getWebhookDelivery', 200, NULL, 11, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs6', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_WjCi60b8QsRMCguK', 'getWebhookDelivery', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs7', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_Kg5folUkVVgSA4C2', 'getWebhookDelivery', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs8', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_L5TSNUKhtrnOQ7kM', 'getWebhookDelivery', 200, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgs9', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_KehRROJgme9tIz86', 'getWebhookDelivery', 200, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsa', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_Oo-b2fkJBTWXKhUa', 'getWebhookDelivery', 200, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsb', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_MM5wYEdUkHern2Ic', 'getWebhookDelivery', 200, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsc', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_z9EQewiAJOAlUEFc', 'getWebhookDelivery', 200, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsd', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_Km4WoUQloGF_i9F1', 'getWebhookDelivery', 200, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgse', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_n9YoUxkTt0iWcK25', 'listLocations', 200, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsf', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_H87ma5wCXZuJ9f_9', 'listPaymentLinks', 200, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsg', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_XdIrZH9-jitKNnYi', 'listWebhookEndpoints', 200, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsh', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_OnvUcAZSKEAFfQPp', 'listWebhookDeliveries', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsj', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_zrDm9tHYSyCX8C2X', 'listLocations', 200, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsk', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_UJu0LCaaRW_ZVclA', 'listPaymentLinks', 200, NULL, 4, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsm', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_q0GyQvEMZmFskehV', 'listWebhookEndpoints', 200, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsn', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_R1ZOGgqUM0gwYQzd', 'listWebhookDeliveries', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsp', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_57e4wTX0l-p7ytFb', 'getWebhookDelivery', 200, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsq', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'key_01qgqh4bg092jraqrezqc3d6fv', 'req_wigFojd-ekzo-mt-', 'getWebhookDelivery', 200, NULL, 3, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsr', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6fw', 'req_kATYDmjxpZ4oZZx7', 'listLocations', 200, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgss', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6fw', 'req_gcOVcXlH--PbHpG5', 'listPaymentLinks', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgst', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6fw', 'req_BEpNUSucs1zoEJyN', 'listWebhookEndpoints', 200, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsv', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6fw', 'req_PC2QJ1uEW6dBuvQj', 'listWebhookDeliveries', 200, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsw', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6fw', 'req_NHbEt0aYARq987Df', 'listLocations', 200, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsx', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6fw', 'req_3U1srqIOkxrKa2_H', 'listPaymentLinks', 200, NULL, 5, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsy', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6fw', 'req_F386Nr-8zKlJdIBX', 'listWebhookEndpoints', 200, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgsz', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6fw', 'req__09yVxJQjiVKOt5Z', 'listWebhookDeliveries', 200, NULL, 2, '2031-02-27 21:12:30+00'),
	('areq_01r5e8wqhgep4qm32j7hxbqgt0', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'key_01qgqh4bg092jraqrezqc3d6ft', 'req_H0JrDSyd_AWL_IJH', 'listLocations', 200, NULL, 3, '2031-02-27 21:12:30+00');

INSERT INTO public.archive_walk VALUES
	(true, 180, '2031-02-13 12:00:00+00', NULL);

INSERT INTO public.audit_log VALUES
	('aud_01qgqh4bg092z5sgrkez5t0ve0', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01qgqh4bg06944d2k8761qxgtm', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2030-07-15T12:00:00.000Z"}', '2030-06-15 12:00:00+00'),
	('aud_01qgqh4bg092z5sgrkez5t0ve1', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01qgqh4bg06944d2k8761qxgtn', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2030-07-15T12:00:00.000Z"}', '2030-06-15 12:00:00+00'),
	('aud_01qgqh4bg092z5sgrkez5t0ve2', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01qgqh4bg06944d2k8761qxgtp', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2030-07-15T12:00:00.000Z"}', '2030-06-15 12:00:00+00'),
	('aud_01qgqh4bg092z5sgrkez5t0ve3', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01qgqh4bg06944d2k8761qxgtq', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2030-07-15T12:00:00.000Z"}', '2030-06-15 12:00:00+00'),
	('aud_01qgqh4bg092z5sgrkez5t0ve4', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01qgqh4bg06944d2k8761qxgtr', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2030-07-15T12:00:00.000Z"}', '2030-06-15 12:00:00+00'),
	('aud_01qgqh4bg092z5sgrkez5t0ve5', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.cancelled', 'payment_link', 'plink_01qgqh4bg06944d2k8761qxgtr', '127.0.0.1', '{"status":"active"}', '{"status":"cancelled"}', '2030-06-15 12:00:00+00'),
	('aud_01r497q0g09ssz0f4w5vtszjx3', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'endpoint.created', 'webhook_endpoint', 'we_01r497q0g0e6w44tf76gvvdmvk', '127.0.0.1', NULL, '{"url":"http://127.0.0.1:36241/hook","enabledEvents":[],"locationId":null,"status":"enabled","mode":"live"}', '2031-02-13 12:00:00+00'),
	('aud_01r497q0g09ssz0f4w5vtszjx4', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'endpoint.created', 'webhook_endpoint', 'we_01r497q0g0e6w44tf76gvvdmvm', '127.0.0.1', NULL, '{"url":"http://127.0.0.1:36241/hook/exhausted","enabledEvents":["payment_link.expired"],"locationId":null,"status":"enabled","mode":"live"}', '2031-02-13 12:00:00+00'),
	('aud_01r497q0g09ssz0f4w5vtszjx5', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'endpoint.created', 'webhook_endpoint', 'we_01r497q0g0e6w44tf76gvvdmvn', '127.0.0.1', NULL, '{"url":"http://127.0.0.1:36241/hook/disabled","enabledEvents":["payment_link.cancelled"],"locationId":null,"status":"enabled","mode":"live"}', '2031-02-13 12:00:00+00'),
	('aud_01r497q0g09ssz0f4w5vtszjx6', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6fv', 'endpoint.created', 'webhook_endpoint', 'we_01r497q0g0e6w44tf76gvvdmvp', '127.0.0.1', NULL, '{"url":"http://127.0.0.1:36241/hook/test","enabledEvents":[],"locationId":null,"status":"enabled","mode":"test"}', '2031-02-13 12:00:00+00'),
	('aud_01r497q0g09ssz0f4w5vtszjx7', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r497q0g0cyfrzz1z64v299ng', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-15T12:00:00.000Z"}', '2031-02-13 12:00:00+00'),
	('aud_01r497q0g09ssz0f4w5vtszjx8', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r497q0g0cyfrzz1z64v299nh', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-15T12:00:00.000Z"}', '2031-02-13 12:00:00+00'),
	('aud_01r497q0g09ssz0f4w5vtszjx9', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r497q0g0cyfrzz1z64v299nj', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-15T12:00:00.000Z"}', '2031-02-13 12:00:00+00'),
	('aud_01r55j2xg0smmxv3wrjfs266q8', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r55j2xg00xxj8bnbxbdj12e7', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-26T12:00:00.000Z"}', '2031-02-24 12:00:00+00'),
	('aud_01r55j2xg0smmxv3wrjfs266q9', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r55j2xg00xxj8bnbxbdj12e8', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-26T12:00:00.000Z"}', '2031-02-24 12:00:00+00'),
	('aud_01r55j2xg0smmxv3wrjfs266qa', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r55j2xg00xxj8bnbxbdj12e9', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-26T12:00:00.000Z"}', '2031-02-24 12:00:00+00'),
	('aud_01r55j2xg0smmxv3wrjfs266qb', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r55j2xg00xxj8bnbxbdj12ea', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-26T12:00:00.000Z"}', '2031-02-24 12:00:00+00'),
	('aud_01r55j2xg0smmxv3wrjfs266qc', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r55j2xg00xxj8bnbxbdj12eb', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-02-24T13:00:00.000Z"}', '2031-02-24 12:00:00+00'),
	('aud_01r5e8wqhgxre10vd849t69dxr', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'endpoint.tested', 'webhook_endpoint', 'we_01r497q0g0e6w44tf76gvvdmvk', '127.0.0.1', NULL, NULL, '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dxs', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqbw', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-29T21:12:30.000Z"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dxt', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.cancelled', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqbw', '127.0.0.1', '{"status":"active"}', '{"status":"cancelled"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dxv', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6fv', 'link.created', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqbx', '127.0.0.1', NULL, '{"mode":"test","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-29T21:12:30.000Z"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dxw', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6fv', 'link.simulated', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqbx', '127.0.0.1', '{"status":"active"}', '{"status":"paid"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dxx', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6fv', 'link.created', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqby', '127.0.0.1', NULL, '{"mode":"test","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgd","expiresAt":"2031-03-29T21:12:30.000Z"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dxy', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqbz', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-29T21:12:30.000Z"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dxz', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6fw', 'link.created', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqc0', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgd","expiresAt":"2031-03-29T21:12:30.000Z"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dy0', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqc1', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-29T21:12:30.000Z"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dy1', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'endpoint.secret_rotated', 'webhook_endpoint', 'we_01r497q0g0e6w44tf76gvvdmvk', '127.0.0.1', NULL, NULL, '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dy2', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6ft', 'link.created', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqc2', '127.0.0.1', NULL, '{"mode":"live","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-29T21:12:30.000Z"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dy3', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'operator', NULL, 'member.invited', 'membership', 'mem_01r5e8wqhgt1j2cpxx3hcqyda6', NULL, NULL, '{"email":"owner@elm.example","role":"owner","locationIds":null}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dy4', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'operator', NULL, 'member.invited', 'membership', 'mem_01r5e8wqhgt1j2cpxx3hcqyda7', NULL, NULL, '{"email":"front-desk@elm.example","role":"front_desk","locationIds":["loc_01qgqh4bg0h71fdsvywmrqjrgc"]}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dy5', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6fv', 'link.created', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqc3', '127.0.0.1', NULL, '{"mode":"test","amountCents":12550,"locationId":"loc_01qgqh4bg0h71fdsvywmrqjrgc","expiresAt":"2031-03-29T21:12:30.000Z"}', '2031-02-27 21:12:30+00'),
	('aud_01r5e8wqhgxre10vd849t69dy6', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'api_key', 'key_01qgqh4bg092jraqrezqc3d6fv', 'link.simulated', 'payment_link', 'plink_01r5e8wqhgkayad42988h7mqc3', '127.0.0.1', '{"status":"active"}', '{"status":"paid"}', '2031-02-27 21:12:30+00');

INSERT INTO public.bank_reversals VALUES
	('rv_01r4gyx5g0n26na51gwqvrnsz8', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299nj', 'txn_01r497q0g0y5rczzmmcz2m2fgp', 'sbx_dsp_a098dd1f24ce2b30838070e6', 5000, '2031-02-16 12:00:00+00', false, '2031-02-13 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'us_bank_account');

INSERT INTO public.console_sessions VALUES
	('\xa5220e6c67a1315af09a3aeec538dbb888795ee6ab60cfb978341ba003c34f38', 'pers_01r5e8wqhg99h9pe0dmy8ymn0g', '2031-02-27 21:12:30+00', '2031-02-27 21:12:30+00');

INSERT INTO public.daily_link_counts VALUES
	('key_01qgqh4bg092jraqrezqc3d6ft', '2030-06-15', 5, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '2031-02-13', 3, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '2031-02-24', 5, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6fw', '2031-02-27', 1, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '2031-02-27', 4, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6fv', '2031-02-27', 3, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb');

INSERT INTO public.delivery_partitions VALUES
	('first', NULL, 'evt_01r548wj000000000000000000', NULL),
	('w20310224', 'evt_01r548wj000000000000000000', 'evt_01r5p9nk000000000000000000', NULL),
	('w20310303', 'evt_01r5p9nk000000000000000000', 'evt_01r68aem000000000000000000', NULL),
	('w20310310', 'evt_01r68aem000000000000000000', 'evt_01r6tb7n000000000000000000', NULL),
	('w20310317', 'evt_01r6tb7n000000000000000000', 'evt_01r7cc0p000000000000000000', NULL),
	('w20310324', 'evt_01r7cc0p000000000000000000', 'evt_01r7ycsq000000000000000000', NULL);

INSERT INTO public.disputes VALUES
	('dp_01r4gyx5g09j4abc8vyntpq7hh', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299ng', 'txn_01r497q0g0y5rczzmmcz2m2fgm', 'sbx_dsp_a41f063513b97c67679540da', 'open', 5000, 'fraudulent', NULL, '2031-02-16 12:00:00+00', NULL, false, '2031-02-13 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card');

INSERT INTO public.frequent_references VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'INV-1', true);

INSERT INTO public.idempotent_replies VALUES
	('key_01qgqh4bg092jraqrezqc3d6ft', 'e7b900b4-1888-418d-b632-f85dc5b76425', '\x6fa1ac708c9d8d00f392c1cd82bf6681ab9dd964070234149a4ec525e4344d2f', '{"id":"plink_01qgqh4bg06944d2k8761qxgtm","object":"payment_link","url":"https://pay.example.com/pay/02rsq1tVcpMY2qwpwB50zbxJPcGUhc4GtN","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":"INV-0","metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-15T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-15 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', 'b5317d5b-5491-48c9-8bab-22d1ade69b74', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01qgqh4bg06944d2k8761qxgtn","object":"payment_link","url":"https://pay.example.com/pay/02HhJWmYh5OMzgRrV9Tc4Zr6cDcd7xv-Qu","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-15T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-15 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', 'c913d3d7-e8f7-48d8-beb1-ef8d14e825cf', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01qgqh4bg06944d2k8761qxgtp","object":"payment_link","url":"https://pay.example.com/pay/02sIXQtAjJOa6gZ2OT8MmkbVmxdSPbcI6A","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-15T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-15 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '14fe8deb-f901-4932-a5de-512eba03a5e2', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01qgqh4bg06944d2k8761qxgtq","object":"payment_link","url":"https://pay.example.com/pay/02k-XQvHz7FPEjEpodxhcGF1y6aPJwe49S","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-15T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-15 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', 'dd89d6c6-0c1d-40eb-b074-f5551bbdfd0d', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01qgqh4bg06944d2k8761qxgtr","object":"payment_link","url":"https://pay.example.com/pay/02WMmtAGgipCHQB_2LgoWTZee76Q8FvaOb","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2030-07-15T12:00:00.000Z","paidAt":null,"createdAt":"2030-06-15T12:00:00.000Z","transaction":null,"refunds":[]}', '2030-06-15 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '0ea26dc2-d8cc-4270-b63a-90bd29f21a9c', '\xf592eafd5b0a2df061952fd26a536ee7656f85db2ca6a80e8079065a8abe6592', '{"id":"plink_01r497q0g0cyfrzz1z64v299ng","object":"payment_link","url":"https://pay.example.com/pay/029Nbqi6NgB-pIeCG_IcVteRb0XOrHDnQb","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":"INV-1","metadata":{"b":"1","a":"2"},"patient":{"firstName":"Ada","lastName":"Byron","phone":"+13125550100","email":null,"externalId":"pat-1"},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":null,"createdAt":"2031-02-13T12:00:00.000Z","transaction":null,"refunds":[]}', '2031-02-13 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', 'deff11c3-e56f-43ce-a299-dfb7c12558a6', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r497q0g0cyfrzz1z64v299nh","object":"payment_link","url":"https://pay.example.com/pay/02zjYQKqC0ox8C4xKZNF_hR2wsp4YwPBcV","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":null,"createdAt":"2031-02-13T12:00:00.000Z","transaction":null,"refunds":[]}', '2031-02-13 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', 'd6d1f2d8-cbd0-4bb0-9d22-cea338a9e66e', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r497q0g0cyfrzz1z64v299nj","object":"payment_link","url":"https://pay.example.com/pay/02TcZ4aVnevegD4kD6o__PRfYoKhMzBdMY","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":null,"createdAt":"2031-02-13T12:00:00.000Z","transaction":null,"refunds":[]}', '2031-02-13 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '3773fb35-6031-48fb-9a26-e6ac19e52345', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r55j2xg00xxj8bnbxbdj12e7","object":"payment_link","url":"https://pay.example.com/pay/028C7cMAbSdvm5iRLRgGUzEOXuTJM0fC-z","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-26T12:00:00.000Z","paidAt":null,"createdAt":"2031-02-24T12:00:00.000Z","transaction":null,"refunds":[]}', '2031-02-24 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '9cbab147-14e3-47b4-a56f-2e312a43463b', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r55j2xg00xxj8bnbxbdj12e8","object":"payment_link","url":"https://pay.example.com/pay/02aKXThs2uPAEElpzfei6D9Jg4kh4IIkYV","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-26T12:00:00.000Z","paidAt":null,"createdAt":"2031-02-24T12:00:00.000Z","transaction":null,"refunds":[]}', '2031-02-24 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '0d7560de-e55e-4e22-9c5f-ffefdc0bbe56', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r55j2xg00xxj8bnbxbdj12e9","object":"payment_link","url":"https://pay.example.com/pay/020O5Kf3N_-0ISTzIGD6z8BKdbDwj7XV_8","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-26T12:00:00.000Z","paidAt":null,"createdAt":"2031-02-24T12:00:00.000Z","transaction":null,"refunds":[]}', '2031-02-24 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '005c656d-38a8-4538-a61f-5d4d0bd3fe08', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r55j2xg00xxj8bnbxbdj12ea","object":"payment_link","url":"https://pay.example.com/pay/02RUN--BsfuqSAoEh2duTnn45qs4fzF818","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-26T12:00:00.000Z","paidAt":null,"createdAt":"2031-02-24T12:00:00.000Z","transaction":null,"refunds":[]}', '2031-02-24 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '651ff099-1c59-4768-ab65-21cd9b0a4ef3', '\x0b5c246ae1ca6840b5fc9c37aeec9df1c6fb0daebd1541150e1c231e06cb9f38', '{"id":"plink_01r55j2xg00xxj8bnbxbdj12eb","object":"payment_link","url":"https://pay.example.com/pay/02MdHU92UDpAZhMB6U-pERgy3dnPnZPDWC","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-02-24T13:00:00.000Z","paidAt":null,"createdAt":"2031-02-24T12:00:00.000Z","transaction":null,"refunds":[]}', '2031-02-24 12:00:00+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '2df3c424-e88d-440e-927d-58bd6e51b446', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r5e8wqhgkayad42988h7mqbw","object":"payment_link","url":"https://pay.example.com/pay/02ZHERta5H9nMHJkTFDrCu5SEe3hwPuDMd","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]}', '2031-02-27 21:12:30+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6fv', '4fc5861f-e090-477b-9d3c-ffb7cb1cdf82', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r5e8wqhgkayad42988h7mqbx","object":"payment_link","url":"https://pay.example.com/pay/02ksh8VtGO-llrXnbw-sCm3sCs-Ze7c6P5","status":"active","test":true,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]}', '2031-02-27 21:12:30+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6fv', '14f7704c-78d3-4d2f-85d1-4d21d332e46e', '\x68e6c510dc411add06bb8ea55ef7ba19ce19eda5b3f4f803107bef5a6dfd3dca', '{"id":"plink_01r5e8wqhgkayad42988h7mqby","object":"payment_link","url":"https://pay.example.com/pay/02IUjKgNmHEaJdQ6yDwsi_3LE9dFK7YEZv","status":"active","test":true,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgd","name":"Uptown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]}', '2031-02-27 21:12:30+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', '4406dc02-5646-4a9c-b05a-adab888329c2', '\xb57c4dd7340d19ed5c690bde87c934277dae9e69d4a29dfdc53cf966b88ec9ff', '{"id":"plink_01r5e8wqhgkayad42988h7mqbz","object":"payment_link","url":"https://pay.example.com/pay/02q2WlMmaEGXjwvxkKKylP1RJ_EMBWMgJd","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Crown, upper left","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]}', '2031-02-27 21:12:30+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6fw', '8c155b0f-ea6d-4dc1-bf7d-b0bc9556bf7b', '\x68e6c510dc411add06bb8ea55ef7ba19ce19eda5b3f4f803107bef5a6dfd3dca', '{"id":"plink_01r5e8wqhgkayad42988h7mqc0","object":"payment_link","url":"https://pay.example.com/pay/02oHzCn5ulLBbkGxFew7gUBAd1DjSj4ToQ","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgd","name":"Uptown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]}', '2031-02-27 21:12:30+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', 'release-record-1', '\x00734b94943e5138440ccc30afc1676a286dfbd198be74e325cb032bccb35f16', '{"id":"plink_01r5e8wqhgkayad42988h7mqc1","object":"payment_link","url":"https://pay.example.com/pay/02YXdnXAXSnakrw1I6RC2hXfTpxf3WiWag","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Stored under a key","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]}', '2031-02-27 21:12:30+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6ft', 'bc5bec66-4624-4f3e-80e5-cafe7f94cf84', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r5e8wqhgkayad42988h7mqc2","object":"payment_link","url":"https://pay.example.com/pay/02F3k6uNUBvDb3JBBmh6I7CjS9C_D91zZk","status":"active","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]}', '2031-02-27 21:12:30+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb'),
	('key_01qgqh4bg092jraqrezqc3d6fv', '1bfaec21-41be-4f76-a65b-b6e7ca7704cd', '\xe97129381d073447efd0ac560084444a0ec208fb64e10ae64bd0394db9dd7aa8', '{"id":"plink_01r5e8wqhgkayad42988h7mqc3","object":"payment_link","url":"https://pay.example.com/pay/02hYi8MJtmrVuA6Q4J94q3Y1OB-txKRVKs","status":"active","test":true,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]}', '2031-02-27 21:12:30+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb');

INSERT INTO public.job_runner_heartbeats VALUES
	('runner-1', '2030-06-15 12:00:00+00');

INSERT INTO public.list_changes VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '2031-02-27 21:12:30+00', 'plink_01r5e8wqhgkayad42988h7mqc2', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', NULL, NULL, 'active'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'links', '2031-02-27 21:12:30+00', 'plink_01r5e8wqhgkayad42988h7mqc3', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', NULL, NULL, 'active'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'links', '2031-02-27 21:12:30+00', 'plink_01r5e8wqhgkayad42988h7mqc3', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', NULL, 'active', 'paid'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'payments', '2031-02-27 21:12:30+00', 'plink_01r5e8wqhgkayad42988h7mqc3', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', NULL, NULL, 'paid'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'deliveries', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddk', 'we_01r497q0g0e6w44tf76gvvdmvp', 'payment_link.paid', NULL, 'pending');

INSERT INTO public.list_chunks VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvs'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvw'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '2031-02-13 12:00:00+00', 'plink_01r497q0g0cyfrzz1z64v299nh'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12e8'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12eb'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '2031-02-27 21:12:30+00', 'plink_01r5e8wqhgkayad42988h7mqc0'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'payments', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq'),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'payments', '2031-02-13 12:00:00+00', 'plink_01r497q0g0cyfrzz1z64v299nj');

INSERT INTO public.list_counts VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'links', '', '', '-infinity', '', 'active', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvp', '', '-infinity', '', 'pending', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'deliveries', '', 'payment_link.paid', '-infinity', '', 'pending', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '-infinity', '', 'paid', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'links', '', '', '-infinity', '', 'paid', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'payments', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '-infinity', '', 'paid', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgd', '', '-infinity', '', 'active', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'deliveries', '', '', '-infinity', '', 'pending', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvp', 'payment_link.paid', '-infinity', '', 'pending', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', '', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'retrying', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.cancelled', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'pending', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'ping', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'retrying', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', '', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'pending', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', '', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'retrying', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.cancelled', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'pending', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'ping', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'retrying', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, 'payments', '', '', '-infinity', '', 'paid', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', '', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'pending', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvn', '', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'pending', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvn', 'payment_link.cancelled', '2031-02-27 21:12:30+00', 'evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'pending', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.paid', '-infinity', '', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', '', '-infinity', '', 'delivered', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.processing', '-infinity', '', 'delivered', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', '', '-infinity', '', 'delivered', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.processing', '-infinity', '', 'delivered', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.paid', '-infinity', '', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.paid', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvs', 'delivered', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.refunded', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvs', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.refunded', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvs', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', '', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvs', 'delivered', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', '', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvs', 'delivered', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.paid', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvs', 'delivered', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.paid', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvw', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.refunded', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvw', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', '', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvw', 'delivered', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.disputed', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvw', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', '', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvw', 'delivered', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.refunded', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvw', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.disputed', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvw', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.paid', '2031-02-16 12:00:00+00', 'evt_01r4gyx5g01zfkxd19hgwz3rvw', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.expired', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'exhausted', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', '', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'exhausted', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvm', '', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'exhausted', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.expired', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', '', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'delivered', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', 'payment_link.processing', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvk', '', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'delivered', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.processing', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', '', 'payment_link.expired', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'delivered', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'deliveries', 'we_01r497q0g0e6w44tf76gvvdmvm', 'payment_link.expired', '2031-02-24 12:00:00+00', 'evt_01r55j2xg0kemrahzk7s23exbk', 'exhausted', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgd', '', '2031-02-27 21:12:30+00', 'plink_01r5e8wqhgkayad42988h7mqc0', 'active', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '-infinity', '', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '-infinity', '', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2031-02-27 21:12:30+00', 'plink_01r5e8wqhgkayad42988h7mqc0', 'active', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '2031-02-27 21:12:30+00', 'plink_01r5e8wqhgkayad42988h7mqc0', 'active', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq', 'cancelled', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq', 'paid', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq', 'paid', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq', 'cancelled', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '2031-02-13 12:00:00+00', 'plink_01r497q0g0cyfrzz1z64v299nh', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2031-02-13 12:00:00+00', 'plink_01r497q0g0cyfrzz1z64v299nh', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12e8', 'paid', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12e8', 'active', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12e8', 'active', 2),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12e8', 'paid', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12eb', 'expired', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12eb', 'cancelled', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12eb', 'expired', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12eb', 'active', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12eb', 'active', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2031-02-24 12:00:00+00', 'plink_01r55j2xg00xxj8bnbxbdj12eb', 'cancelled', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'payments', '', '', '-infinity', '', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'payments', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '-infinity', '', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'payments', '', '', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'payments', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'payments', '', '', '2031-02-13 12:00:00+00', 'plink_01r497q0g0cyfrzz1z64v299nj', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'payments', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', '', '2031-02-13 12:00:00+00', 'plink_01r497q0g0cyfrzz1z64v299nj', 'paid', 3),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', '', 'INV-1', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq', 'paid', 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, 'links', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'INV-1', '2030-06-15 12:00:00+00', 'plink_01qgqh4bg06944d2k8761qxgtq', 'paid', 1);

INSERT INTO public.locations VALUES
	('loc_01qgqh4bg0h71fdsvywmrqjrgc', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'Downtown', 'Springfield', 'IL', NULL, 'America/Chicago', true, '2030-06-15 12:00:00+00'),
	('loc_01qgqh4bg0h71fdsvywmrqjrgd', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'Uptown', 'Springfield', 'IL', NULL, 'America/Chicago', true, '2030-06-15 12:00:00+00');

INSERT INTO public.membership_locations VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'mem_01r5e8wqhgt1j2cpxx3hcqyda7', 'loc_01qgqh4bg0h71fdsvywmrqjrgc');

INSERT INTO public.memberships VALUES
	('mem_01r5e8wqhgt1j2cpxx3hcqyda6', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'pers_01r5e8wqhg99h9pe0dmy8ymn0g', 'owner', true, '2031-02-27 21:12:30+00'),
	('mem_01r5e8wqhgt1j2cpxx3hcqyda7', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'pers_01r5e8wqhg99h9pe0dmy8ymn0h', 'front_desk', false, '2031-02-27 21:12:30+00');

INSERT INTO public.page_assets VALUES
	('pay-assets/icon-bd7e5e9c84c80353.svg', 'image/svg+xml', '\x78', '2026-11-23 17:02:00.518+00');

INSERT INTO public.patients VALUES
	('pat_01qgqh4bg0c9zcym5y9bnkxpsx', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL, 'Ada', 'Byron', NULL, NULL, '2030-06-15 12:00:00+00'),
	('pat_01qgqh4bg0c9zcym5y9bnkxpsy', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL, 'Ada', 'Byron', NULL, NULL, '2030-06-15 12:00:00+00'),
	('pat_01qgqh4bg0c9zcym5y9bnkxpsz', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL, 'Ada', 'Byron', NULL, NULL, '2030-06-15 12:00:00+00'),
	('pat_01qgqh4bg0c9zcym5y9bnkxpt0', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL, 'Ada', 'Byron', NULL, NULL, '2030-06-15 12:00:00+00'),
	('pat_01r497q0g04ar8vrc1zrnf6dx8', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'pat-1', 'Ada', 'Byron', '+13125550100', NULL, '2031-02-13 12:00:00+00'),
	('pat_01r497q0g04ar8vrc1zrnf6dx9', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL, 'Ada', 'Byron', NULL, NULL, '2031-02-13 12:00:00+00'),
	('pat_01r497q0g04ar8vrc1zrnf6dxa', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL, 'Ada', 'Byron', NULL, NULL, '2031-02-13 12:00:00+00'),
	('pat_01r55j2xg0dbs35ksde289rsb1', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL, 'Ada', 'Byron', NULL, NULL, '2031-02-24 12:00:00+00'),
	('pat_01r55j2xg0dbs35ksde289rsb2', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL, 'Ada', 'Byron', NULL, NULL, '2031-02-24 12:00:00+00');

INSERT INTO public.payment_admin_mails VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299ng', 'dispute_opened', 'dp_01r4gyx5g09j4abc8vyntpq7hh', '2031-02-16 12:00:00+00');

INSERT INTO public.payment_attempts VALUES
	('att_01r497q0g0s5sptfmn03mcd1te', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299ng', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_f85c3e646dc7a59eb6ebfa7e', 'card', 12550, 'usd', NULL, 'en', '203.0.113.7', NULL, NULL, '2031-02-13 12:00:00+00', '2031-02-13 12:00:00+00', NULL, '2031-02-13 12:00:02+00'),
	('att_01r497q0g0s5sptfmn03mcd1tf', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299nh', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_55965596d7880f0c5c2a75a3', 'us_bank_account', 12550, 'usd', NULL, 'en', '203.0.113.7', '\x883a39cd94046f2faa0a0864856a65f33056f2128fa54f239398b877bde826b9', 'I authorise this debit, once.', '2031-02-13 12:00:00+00', '2031-02-13 12:00:00+00', NULL, '2031-02-13 12:00:02+00'),
	('att_01r497q0g0s5sptfmn03mcd1tg', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299nj', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_cc02f6ae125dac58bf6fe879', 'us_bank_account', 12550, 'usd', NULL, 'en', '203.0.113.7', '\x883a39cd94046f2faa0a0864856a65f33056f2128fa54f239398b877bde826b9', 'I authorise this debit, once.', '2031-02-13 12:00:00+00', '2031-02-13 12:00:00+00', NULL, '2031-02-13 12:00:02+00'),
	('att_01r55j2xg091b0q546vxwafphw', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r55j2xg00xxj8bnbxbdj12e7', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_5cf54e9aaaf077253747a841', 'card', 12550, 'usd', NULL, 'en', '203.0.113.7', NULL, NULL, '2031-02-24 12:00:00+00', '2031-02-24 12:00:00+00', NULL, '2031-02-24 12:00:02+00'),
	('att_01r55j2xg091b0q546vxwafphx', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r55j2xg00xxj8bnbxbdj12e8', 'failed', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_29decd5197a8b3097c20a7dd', 'card', 12550, 'usd', 'card_declined', 'en', '203.0.113.7', NULL, NULL, '2031-02-24 12:00:00+00', '2031-02-24 12:00:00+00', NULL, '2031-02-24 12:00:02+00'),
	('att_01r55j2xg091b0q546vxwafphz', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r55j2xg00xxj8bnbxbdj12ea', 'accepted', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_943de167d2b77a4b9a46b32d', 'us_bank_account', 12550, 'usd', NULL, 'en', '203.0.113.7', '\x883a39cd94046f2faa0a0864856a65f33056f2128fa54f239398b877bde826b9', 'I authorise this debit, once.', '2031-02-24 12:00:00+00', '2031-02-24 12:00:00+00', NULL, '2031-02-24 12:00:02+00'),
	('att_01r55j2xg091b0q546vxwafphy', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r55j2xg00xxj8bnbxbdj12e9', 'cancelled', 'sandbox', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'sbx_pay_50ff1d02fec3645260a50ba7', 'card', 12550, 'usd', NULL, 'en', '203.0.113.7', NULL, NULL, '2031-02-24 12:00:00+00', '2031-02-24 14:00:00+00', NULL, NULL);

INSERT INTO public.payment_links VALUES
	('plink_01r55j2xg00xxj8bnbxbdj12e7', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '028C7cMAbSdvm5iRLRgGUzEOXuTJM0fC-z', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01r55j2xg0dbs35ksde289rsb1', 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-26 12:00:00+00', NULL, '2031-02-24 12:00:00+00', '2031-02-24 12:00:00+00', NULL, '2031-02-24 12:00:00+00'),
	('plink_01r55j2xg00xxj8bnbxbdj12e8', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02aKXThs2uPAEElpzfei6D9Jg4kh4IIkYV', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-26 12:00:00+00', NULL, NULL, NULL, NULL, '2031-02-24 12:00:00+00'),
	('plink_01r497q0g0cyfrzz1z64v299ng', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '029Nbqi6NgB-pIeCG_IcVteRb0XOrHDnQb', 'paid', 'api', 12550, 'usd', 'Cleaning', 'INV-1', '{"b":"1","a":"2"}', 'pat_01r497q0g04ar8vrc1zrnf6dx8', 'Ada', 'Byron', '+13125550100', NULL, 'pat-1', '2031-03-15 12:00:00+00', NULL, '2031-02-13 12:00:00+00', '2031-02-13 12:00:00+00', NULL, '2031-02-13 12:00:00+00'),
	('plink_01r497q0g0cyfrzz1z64v299nh', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02zjYQKqC0ox8C4xKZNF_hR2wsp4YwPBcV', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01r497q0g04ar8vrc1zrnf6dx9', 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-15 12:00:00+00', NULL, '2031-02-13 12:00:00+00', '2031-02-13 12:00:00+00', NULL, '2031-02-13 12:00:00+00'),
	('plink_01r55j2xg00xxj8bnbxbdj12ea', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02RUN--BsfuqSAoEh2duTnn45qs4fzF818', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01r55j2xg0dbs35ksde289rsb2', 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-26 12:00:00+00', NULL, '2031-02-24 12:00:00+00', '2031-02-24 12:00:00+00', NULL, '2031-02-24 12:00:00+00'),
	('plink_01r497q0g0cyfrzz1z64v299nj', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02TcZ4aVnevegD4kD6o__PRfYoKhMzBdMY', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, 'pat_01r497q0g04ar8vrc1zrnf6dxa', 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-15 12:00:00+00', NULL, '2031-02-13 12:00:00+00', '2031-02-13 12:00:00+00', NULL, '2031-02-13 12:00:00+00'),
	('plink_01r55j2xg00xxj8bnbxbdj12e9', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '020O5Kf3N_-0ISTzIGD6z8BKdbDwj7XV_8', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-26 12:00:00+00', NULL, NULL, NULL, NULL, '2031-02-24 12:00:00+00'),
	('plink_01r55j2xg00xxj8bnbxbdj12eb', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02MdHU92UDpAZhMB6U-pERgy3dnPnZPDWC', 'expired', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-02-24 13:00:00+00', NULL, NULL, '2031-02-24 14:00:00+00', 'system', '2031-02-24 12:00:00+00'),
	('plink_01r5e8wqhgkayad42988h7mqbw', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02ZHERta5H9nMHJkTFDrCu5SEe3hwPuDMd', 'cancelled', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-29 21:12:30+00', NULL, NULL, '2031-02-27 21:12:30+00', 'api', '2031-02-27 21:12:30+00'),
	('plink_01r5e8wqhgkayad42988h7mqbx', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', true, '02ksh8VtGO-llrXnbw-sCm3sCs-Ze7c6P5', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-29 21:12:30+00', NULL, '2031-02-27 21:12:30+00', '2031-02-27 21:12:30+00', 'simulated', '2031-02-27 21:12:30+00'),
	('plink_01r5e8wqhgkayad42988h7mqby', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgd', true, '02IUjKgNmHEaJdQ6yDwsi_3LE9dFK7YEZv', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-29 21:12:30+00', NULL, NULL, NULL, NULL, '2031-02-27 21:12:30+00'),
	('plink_01r5e8wqhgkayad42988h7mqbz', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02q2WlMmaEGXjwvxkKKylP1RJ_EMBWMgJd', 'active', 'api', 12550, 'usd', 'Crown, upper left', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-29 21:12:30+00', NULL, NULL, NULL, NULL, '2031-02-27 21:12:30+00'),
	('plink_01r5e8wqhgkayad42988h7mqc0', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgd', false, '02oHzCn5ulLBbkGxFew7gUBAd1DjSj4ToQ', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-29 21:12:30+00', NULL, NULL, NULL, NULL, '2031-02-27 21:12:30+00'),
	('plink_01r5e8wqhgkayad42988h7mqc1', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02YXdnXAXSnakrw1I6RC2hXfTpxf3WiWag', 'active', 'api', 12550, 'usd', 'Stored under a key', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-29 21:12:30+00', NULL, NULL, NULL, NULL, '2031-02-27 21:12:30+00'),
	('plink_01r5e8wqhgkayad42988h7mqc2', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', false, '02F3k6uNUBvDb3JBBmh6I7CjS9C_D91zZk', 'active', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-29 21:12:30+00', NULL, NULL, NULL, NULL, '2031-02-27 21:12:30+00'),
	('plink_01r5e8wqhgkayad42988h7mqc3', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', true, '02hYi8MJtmrVuA6Q4J94q3Y1OB-txKRVKs', 'paid', 'api', 12550, 'usd', 'Cleaning', NULL, NULL, NULL, 'Ada', 'Byron', NULL, NULL, NULL, '2031-03-29 21:12:30+00', NULL, '2031-02-27 21:12:30+00', '2031-02-27 21:12:30+00', 'simulated', '2031-02-27 21:12:30+00');

INSERT INTO public.payment_total_changes VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r5e8wqhgkayad42988h7mqc3', 'card', 'succeeded', 1, 12550, 394, 0);

INSERT INTO public.payment_totals VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '2031-02-24 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card', 'succeeded', 1, 12550, 394, 0),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, '2031-02-27 21:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card', 'succeeded', 1, 12550, 394, 0),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '-infinity', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'us_bank_account', 'pending', 1, 12550, 0, 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '2031-02-13 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card', 'succeeded', 1, 12550, 394, 0),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '2031-02-13 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'us_bank_account', 'succeeded', 2, 25100, 200, 0),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '-infinity', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'us_bank_account', 'succeeded', 3, 37650, 300, 0),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '-infinity', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card', 'succeeded', 5, 62750, 1970, 0),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, '-infinity', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card', 'succeeded', 1, 12550, 394, 0),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '2031-02-24 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'us_bank_account', 'pending', 1, 12550, 0, 1),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '2030-06-15 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'us_bank_account', 'succeeded', 1, 12550, 100, 0),
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, '2030-06-15 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card', 'succeeded', 3, 37650, 1182, 0);

INSERT INTO public.people VALUES
	('pers_01r5e8wqhg99h9pe0dmy8ymn0g', 'owner@elm.example', '2031-02-27 21:12:30+00'),
	('pers_01r5e8wqhg99h9pe0dmy8ymn0h', 'front-desk@elm.example', '2031-02-27 21:12:30+00');

INSERT INTO public.practices VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'Elm Street Dental', 'admin@elm.example', NULL, true, true, NULL, true, '2030-06-15 12:00:00+00', NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, 2);

INSERT INTO public.processor_notifications VALUES
	('sandbox', 'sbx_msg_d5baa9e44ff3d83f0c5c8e66', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', '{"kind":"dispute","reference":"sbx_dsp_97ef416221472e15e54de92c"}', '2030-06-15 12:00:00+00', 1, NULL),
	('sandbox', 'sbx_msg_18cebe6fe07eced0f8f297d6', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', '{"kind":"dispute","reference":"sbx_dsp_95c983d68e340a8269d0b748"}', '2030-06-18 12:00:00+00', 1, NULL),
	('sandbox', 'sbx_msg_29a7d1b470b4a71eb06b8f36', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', '{"kind":"dispute","reference":"sbx_dsp_97ef416221472e15e54de92c"}', '2030-06-18 12:00:00+00', 1, NULL),
	('sandbox', 'sbx_msg_c9d024ebb97edba920abb8e6', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', '{"kind":"dispute","reference":"sbx_dsp_a098dd1f24ce2b30838070e6"}', '2031-02-16 12:00:00+00', 1, NULL),
	('sandbox', 'sbx_msg_05dcdc5902f017c13831d92f', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', '{"kind":"dispute","reference":"sbx_dsp_a41f063513b97c67679540da"}', '2031-02-16 12:00:00+00', 1, NULL),
	('sandbox', 'msg_1', 'acct_other', '{"kind":"payment","reference":"sbx_pay_unknown"}', '2031-02-27 21:12:30+00', 1, NULL);

INSERT INTO public.rate_slots VALUES
	('address:127.0.0.1/1000000', 0, '2031-02-27 21:12:30+00'),
	('key:key_01qgqh4bg092jraqrezqc3d6ft/10000', 0, '2031-02-27 21:12:30+00');

INSERT INTO public.rate_windows VALUES
	('address:127.0.0.1/1000000', 1, 0, '2031-02-27 21:12:30+00', '2031-02-27 21:12:30+00'),
	('key:key_01qgqh4bg092jraqrezqc3d6ft/10000', 1, 0, '2031-02-27 21:12:30+00', '2031-02-27 21:12:30+00');

INSERT INTO public.refunds VALUES
	('re_01r4gyx5g0keys026kmt43xax3', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299nj', 'txn_01r497q0g0y5rczzmmcz2m2fgp', 'rv_01r4gyx5g0n26na51gwqvrnsz8', 'sbx_dsp_a098dd1f24ce2b30838070e6', 5000, 'succeeded', 'bank_reversal', '2031-02-16 12:00:00+00', false, '2031-02-13 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'us_bank_account'),
	('re_01r55j2xg0djbdvbx9z6vh49sw', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r55j2xg00xxj8bnbxbdj12e7', 'txn_01r55j2xg0k32bahnwmk20cmt4', NULL, 'sbx_ref_892939013d944e7afa2ead02', 2500, 'succeeded', 'requested_by_customer', '2031-02-24 12:00:00+00', false, '2031-02-24 12:00:00+00', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'card');

INSERT INTO public.schema_functions VALUES
	('functions/archive/archivable-links', 'b2da97e415b1ae5dd206e6acdd30ac5919560435850e38ddafbd0126eff6579f', '{1,0,0}'),
	('functions/archive/archive-candidates', 'cd9d6b880bf246601db90ddda6828bb73d2279aec0cc0cbc597138d548b1acc5', '{1,0,0}'),
	('functions/archive/archive-chosen-links', 'a4aadf1e31ff31104a84963f119c52511c13515c9a61ac4dc444d7bfe7e76761', '{1,0,0}'),
	('functions/archive/archive-links', 'aafb4f7584c768ab67b7760e42caf9b83f66b90f1106c4274948827b7bcd7f6a', '{1,0,0}'),
	('functions/archive/attach-archive', 'ce1be491a4462d4db6bdb458c657cea4436c511731792074721923bdf4075918', '{1,0,0}'),
	('functions/archive/move-links', 'c17537bf8807f69a3833a7ae1c95d983e8df51ed0e702fb2a58ad6847db6d804', '{1,0,0}'),
	('functions/archive/restore-links', 'a732fc6c69147a497d4a81ae3265792b34dc9125b5fe5b95dc2d5c357c38c7a3', '{1,0,0}'),
	('functions/audit/refuse-audit-change', '73cbf5f6cbcb5ffaa8890fd5c618c4abf92cab5033bbb9c5b43d5260d5a9c5ca', '{1,0,0}'),
	('functions/limits/admit-requests', '3920ca47d233ff50a16731ad78c7ef0b917e52b5a1d381f7fcc251efa63ed6db', '{1,0,0}'),
	('functions/limits/fill-rate-windows', '81599516cfb72947e7b99618a04bec2f1e5f9721cdc0e2067afff541c54718d4', '{1,0,0}'),
	('functions/limits/open-rate-windows', 'eec41dc7263d2b09a65643e710bb3ce15940209806e233a5b2760f0a95abeaba', '{1,0,0}'),
	('functions/limits/seconds-until-free', 'd978b5dba0991080be188035f56993ffcee6040833ea53e480e0fc7dfe9ba6ad', '{1,0,0}'),
	('functions/limits/take-rate-slots', 'c779a585b5333e09d061b2a6ee2540d21fc78b7819d18ec9a729858cc1fdf128', '{1,0,0}'),
	('functions/list-changes/append-delivery-status', 'ce1e35b83fe72149d797dd4e4547421f6cf74fa5100559e67f63975f9a42f991', '{1,0,0}'),
	('functions/list-changes/append-former-delivery', '7d17ffee18d1d670a0c422ed3a5789233655931325719819932f42335dc657b0', '{1,0,0}'),
	('functions/list-changes/append-former-link', '22630210667bc3c1ff05e06273f1e7e999156669dc91119d3def6c32327e9b10', '{1,0,0}'),
	('functions/list-changes/append-link-status', 'c52008e7c2a83f9024cc3c6f26af5067095739b52b1fec79f9d2586c3d212b6d', '{1,0,0}'),
	('functions/list-changes/append-new-delivery', 'af7500e7162c1ae3baa55a4f579cc5d6e91230207292f05b801da81230406259', '{1,0,0}'),
	('functions/list-changes/append-new-link', '7b7e27ae8436161eb6470cd54cee19f6d9b2e50105636a070c352c3b341e7e55', '{1,0,0}'),
	('functions/list-changes/append-payment', '1dca6c72ada453e75aeedb9c19fc8f84a3cbcd47cd638bfd998e62e96d5d2c79', '{1,0,0}'),
	('functions/list-counts/check-list-chunk', '37a4b1d347a810b5cd7795874b2941499fab720fe6b9d780f03eca492ad4b580', '{1,0,0}'),
	('functions/list-counts/count-frequent-reference', '1e2f63fb5aa346e17b7fe18e81db229b0c303cf92c51b4f812ca7c46ba2bbcfc', '{1,0,0}'),
	('functions/list-counts/counts-of-row', '503623d996605c80edf5c10bec0d0f06c49ea501a33101f2d517eb6f763ea6fb', '{1,0,0}'),
	('functions/list-counts/fold-changes-of', '18c1027896a318e929b56671804f5ec6f73f607d52d159eea9398be0631b458d', '{1,0,0}'),
	('functions/list-counts/fold-list-changes', '0a4646f5038611de95d54d4f9cece3470326f9c741a76b362620562c505559be', '{1,0,0}'),
	('functions/list-counts/lock-list-counts', 'a0d185a1f8a1daca986b0e257a532328ad261cdb42f51005bc354756c0e49feb', '{1,0,0}'),
	('functions/list-counts/split-large-chunk', '97ccaf79e1f8ea21c3f29e2158ce231dee8a9d52157e21de77c37890a269beda', '{1,0,0}'),
	('functions/list-counts/split-list-chunk', '045eef901ff073d017b46605a62054c21c39dd71a1987346da8e88fa09bdfc41', '{1,0,0}'),
	('functions/list-counts/true-list-counts', 'f4c7de66fd94cfabea9763aeae09ee81cdfaf9fa127ba4465daf8f89e206f7d8', '{1,0,0}'),
	('functions/list-counts/wrong-list-counts', 'bfab69f5e942e39250688190c6fcb67264bea7d335a342bed39538b5452296a8', '{1,0,0}'),
	('functions/partitions/add-delivery-partition', 'fdee0b661eeb0faccfc37c2d9376acc21f8b8c257dc68acdb273e090f2d578e9', '{1,0,0}'),
	('functions/partitions/attach-delivery-tables', '93d3beab1c3d37fe94a8db89b3b03f915c9ead52600b533b3ff604603e8def39', '{1,0,0}'),
	('functions/partitions/bound-whole-deliveries', 'db6f112a4bee70faf2dfa715acf6d7f5db284c1e4c992ed6953d2a074fc30e67', '{1,0,0}'),
	('functions/partitions/create-delivery-tables', '8b2250ea6fa98f1e1ff606eaf644af9043d2e5ae3006fc12e1bfe16217070c54', '{1,0,0}'),
	('functions/partitions/definitions-of-table', 'f5f3f07954efc39599aed062ff1242abf9ab5fb67e44c0552d25ff5145dec90a', '{1,0,0}'),
	('functions/partitions/deliveries-outside-partitions', '30c98738a330bf4fc7d0eacf350f12170d51cc98b90e8f2a14352b84a40dffc6', '{1,0,0}'),
	('functions/partitions/drop-delivery-partition', 'afc2c49fc4795f50018485b393e0bd6b1d38e6e4a354c7961328c640fdef5ae6', '{1,0,0}'),
	('functions/partitions/lock-partitioned-deliveries', 'e5ec32e296fb3bad7ce56431943ba67a3f1211a0d6097c80c43cc9863fce8de0', '{1,0,0}'),
	('functions/partitions/note-delivery-change', 'c4f0cdbc1d1409e53194ae7c44e2bd4a2e9f487d00d60a07930a64f8a490aa99', '{1,0,0}'),
	('functions/partitions/partition-deliveries', '053d13a6e684ffba6a64f5e176a77d1a490d32e34e88a2e11d4cc9c75aa60462', '{1,0,0}'),
	('functions/partitions/partition-table', 'a78a3a7dac4f5cc1a99aaec2796639555690b989effb60dc4afafe5d4fd24c20', '{1,0,0}'),
	('functions/partitions/replace-delivery-partition', '00b2698b4d83357363c595c177948117a270e22514d77b42f66bb7817493ebbc', '{1,0,0}'),
	('functions/partitions/unbound-whole-deliveries', 'f1673c7087a6eddab0f7ed5628dbf437dc8e9baa36aa190f9ac60888db31cc63', '{1,0,0}'),
	('functions/partitions/watch-delivery-partition', '7c0303131419e5738fce8ef591620bb961c3144b70bfb979a4c5d51c89ae76a0', '{1,0,0}'),
	('functions/payment-links/change-links', '960a56800e494358b450c6e7d8c9d152c8243d0b138b34c5dc0f1cfdc51d76a3', '{1,0,0}'),
	('functions/payment-links/create-link', '9be5f56d20efaee8957281df61fdeb1fbf76a86a5693bddadce3d5d77a9013e7', '{1,0,0}'),
	('functions/payment-links/create-links', '69e20ba07a326acf5c9da3e9f4edac90f5710c5a04a3c373e8d9306e25196ce3', '{1,0,0}'),
	('functions/payment-links/lock-patients', '70a9a5becc95b2931b7f38b2e99b92386b97fe10c5c04140331d7f240e705075', '{1,0,0}'),
	('functions/payment-links/match-patient', 'a1f4aee6f1d534d6e789f17731a42955bbf1b592245fbbbb1740dd518e6d3426', '{1,0,0}'),
	('functions/payment-links/pay-links', 'efea3dd08fcce69abfbbd614fe58c49defb41217b0f96c290fe857448d551c3f', '{1,0,0}'),
	('functions/payment-links/payment-for-refund', '430b2799fa96ef5bdf93b470742412f3dd8c567c9ca91a4204d10c294d5bd7d2', '{1,0,0}'),
	('functions/payment-links/practice-snapshot', '09e05f39ac8e3cf72abae41277f5dfc53950fed17c71548223fc480fe9cef30f', '{1,0,0}'),
	('functions/payment-links/record-patient', '5cac930ca914ebb42c12aed58cc577e86ac743ac52fba001bcec96b9e0b40314', '{1,0,0}'),
	('functions/payment-links/refund-link', '9158dc21a95c1692215427c71c60e87815965f9a370bbd5cc4d6760e5acb7d3b', '{1,0,0}'),
	('functions/payment-totals/append-payment-total', '3a0cda164f51831130c3e3095247fc5c84d1284d1fa6d472e743f49a5248895d', '{1,0,0}'),
	('functions/payment-totals/check-payment-hours', 'ae690b107eb29c08685ddea269fd04562bfd7f7b3130685d6ea6283485a23f6a', '{1,0,0}'),
	('functions/payment-totals/check-payment-sums', '0581b0c1c73f49490ec6f69d9991fccb24918b453ccf56495e2de57fdd01cf95', '{1,0,0}'),
	('functions/payment-totals/copy-payment', '5df7abf74285258e8dac5116e17e6359e5db59c04a446d1723ca1bc800feed94', '{1,0,0}'),
	('functions/payment-totals/fold-payment-totals-of', 'c9ef223a06868c26372aa6acf53e5288e2405233a33603a08ec2b3bb798554f6', '{1,0,0}'),
	('functions/payment-totals/fold-payment-totals', 'de6ceb7ea36f23262846438d677ea63d6f8057289a99f85b3586ccc96615c9b0', '{1,0,0}'),
	('functions/practices/fill-practice-of-delivery', 'dbe840a2df2c62adbf4ffea120d04a10619b2241022b62b0e8689c4f394b0290', '{1,0,0}'),
	('functions/practices/fill-practice-of-key', 'e334cd578cf403508952cef094300ac66e6ccfd6e05617aa115418d400689688', '{1,0,0}'),
	('functions/practices/refuse-write-of-moving-practice', 'd9872a4ae97d576cbaae5d322e8938fffd6d77d1abe4d7d8754e872037676b81', '{1,0,0}'),
	('functions/webhooks/queue-deliveries', '8a148af369f788ca083d197eec41251039e1d03c9a67c03abc1af02fb2a755d3', '{1,0,0}'),
	('functions/webhooks/subscription-of', '5254631f79ee3796f5fccecab0429331813c0f770b9a32f79d48d0ebdc8fd1a7', '{1,0,0}'),
	('triggers', '4b2db1d976c83b04a8c50f7551186669f17742ea3eb79abca69dbae5c95ac77b', '{1,0,0}');

INSERT INTO public.schema_migrations VALUES
	(1, '0001-schema', '2026-11-23 17:01:59.916838+00'),
	(2, '0002-test-events', '2026-11-23 17:02:00.032409+00'),
	(3, '0003-console', '2026-11-23 17:02:00.049166+00'),
	(4, '0004-passkeys', '2026-11-23 17:02:00.0795+00'),
	(5, '0005-staff-links', '2026-11-23 17:02:00.104073+00'),
	(6, '0006-payments', '2026-11-23 17:02:00.115895+00'),
	(7, '0007-developers', '2026-11-23 17:02:00.121707+00'),
	(8, '0009-settings', '2026-11-23 17:02:00.135418+00'),
	(9, '0011-test-event-cap', '2026-11-23 17:02:00.149855+00'),
	(10, '0012-disputes-of-links', '2026-11-23 17:02:00.156153+00'),
	(11, '0013-audit-without-lock', '2026-11-23 17:02:00.159288+00'),
	(12, '0014-statements-and-devices', '2026-11-23 17:02:00.163501+00'),
	(13, '0015-payment-totals', '2026-11-23 17:02:00.172208+00'),
	(14, '0016-payments-of-refunds', '2026-11-23 17:02:00.18497+00'),
	(15, '0017-payments-of-former-refunds', '2026-11-23 17:02:00.189644+00'),
	(16, '0018-lists-of-refunds', '2026-11-23 17:02:00.203112+00'),
	(17, '0019-key-of-counts', '2026-11-23 17:02:00.206645+00'),
	(18, '0020-partitions', '2026-11-23 17:02:00.21125+00'),
	(19, '0030-practice-of-each-row', '2026-11-23 17:02:00.224311+00'),
	(20, '0031-slots-of-practices', '2026-11-23 17:02:00.232607+00'),
	(21, '0032-practices-that-move', '2026-11-23 17:02:00.238595+00'),
	(22, '0033-archive', '2026-11-23 17:02:00.245718+00'),
	(23, '0034-archive-walk', '2026-11-23 17:02:00.307558+00'),
	(24, '0037-retry-after', '2026-11-23 17:02:00.315616+00');

INSERT INTO public.sealed_replies VALUES
	('key_01qgqh4bg092jraqrezqc3d6ft', 'rotateWebhookEndpointSecret', 'release-record-1', '\x8669318b57aa5ca9425dcc8d87ee24a9cd20868654522e31c69dcb898176bd38', 'test.vxpNg2-qZbe4C-PP.eiVnav6rSUiWPk3YHDLZj70oEqxtF7aQ5deqkGVJUFVmtRHSAmD2hs4M8cNRY_RcxTVr3YAfg46szGeV5zUDWGvragY0df5rG5Eydvp9xeHQQ80RNkw2hVoPZ-pvUJkof3-G3VwHOwituNksARmYFtz9FdqPWhp3D2C3DKdKr2R9G4JRtIsTRYe0OU9JVOsm47jCztZq-C2KDqTZw8oPkloYC0YnK_a-XrB97OaIou5efC32VqCvhbMLHfNZeZRslKJm8fdwaP1mFqkTRMNLgkRcgHXbmgCNzwvgOKmWwjObmFPFIfac5eI7IN-psmddhBXr6wsTZK61xtY0ehr5HALbm1xaHfukE3OejL9hf2KSQnoSagHXabU_h5xWPy3WiK4.miGXzH8wt4NnAepj2-9lYw', '2031-02-27 21:12:30+00', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb');

INSERT INTO public.sign_in_tokens VALUES
	('\xde61db2b7b5f2474612b6b2d46f3d6c6782c28dc98faadedf99932bae142697d', 'pers_01r5e8wqhg99h9pe0dmy8ymn0g', NULL, '2031-02-27 21:27:30+00', '2031-02-27 21:12:30+00', NULL, NULL, NULL);

INSERT INTO public.test_event_readers VALUES
	('prac_01qgqh4bg0hg2vz3k4m1jp1xvb', '2031-02-27 21:12:30+00', NULL, NULL);

INSERT INTO public.test_events VALUES
	('evt_01r5e8wqhg5a0wfkxb3wv9rddm', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'loc_01qgqh4bg0h71fdsvywmrqjrgc', 'payment_link.paid', '{"id":"evt_01r5e8wqhg5a0wfkxb3wv9rddm","object":"event","type":"payment_link.paid","test":true,"createdAt":"2031-02-27T21:12:30.000Z","data":{"paymentLink":{"id":"plink_01r5e8wqhgkayad42988h7mqc3","object":"payment_link","url":"https://pay.example.com/pay/02hYi8MJtmrVuA6Q4J94q3Y1OB-txKRVKs","status":"paid","test":true,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":"2031-02-27T21:12:30.000Z","createdAt":"2031-02-27T21:12:30.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/02hYi8MJtmrVuA6Q4J94q3Y1OB-txKRVKs","processedAt":"2031-02-27T21:12:30.000Z"},"refunds":[]},"context":{"triggeredBy":"simulated"}}}', '1203', '2031-02-27 21:12:30+00');

INSERT INTO public.transactions VALUES
	('txn_01r55j2xg0k32bahnwmk20cmt5', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r55j2xg00xxj8bnbxbdj12ea', 'att_01r55j2xg091b0q546vxwafphz', 'pending', 12550, NULL, NULL, 'us_bank_account', NULL, '6789', '923321903', NULL, NULL, NULL, '2031-02-24 12:00:00+00', '2031-02-24 18:00:00+00'),
	('txn_01r497q0g0y5rczzmmcz2m2fgn', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299nh', 'att_01r497q0g0s5sptfmn03mcd1tf', 'succeeded', 12550, 100, 12450, 'us_bank_account', NULL, '6789', '687805066', 'PAYLINKS SANDBOX', NULL, '2031-02-16 12:00:00+00', '2031-02-13 12:00:00+00', '2031-03-03 14:00:00+00'),
	('txn_01r497q0g0y5rczzmmcz2m2fgp', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299nj', 'att_01r497q0g0s5sptfmn03mcd1tg', 'succeeded', 12550, 100, 12450, 'us_bank_account', NULL, '6789', '959278368', 'PAYLINKS SANDBOX', NULL, '2031-02-16 12:00:00+00', '2031-02-13 12:00:00+00', '2031-03-03 14:00:00+00'),
	('txn_01r497q0g0y5rczzmmcz2m2fgm', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r497q0g0cyfrzz1z64v299ng', 'att_01r497q0g0s5sptfmn03mcd1te', 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '679289245', 'PAYLINKS SANDBOX', NULL, '2031-02-13 12:00:00+00', '2031-02-13 12:00:00+00', '2031-03-03 14:00:00+00'),
	('txn_01r55j2xg0k32bahnwmk20cmt4', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r55j2xg00xxj8bnbxbdj12e7', 'att_01r55j2xg091b0q546vxwafphw', 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '531916397', 'PAYLINKS SANDBOX', NULL, '2031-02-24 12:00:00+00', '2031-02-24 12:00:00+00', '2031-02-25 14:00:00+00'),
	('txn_01r5e8wqhgpzkbtj0qk3eqf1sa', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r5e8wqhgkayad42988h7mqbx', NULL, 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '556620303', NULL, NULL, '2031-02-27 21:12:30+00', '2031-02-27 21:12:30+00', NULL),
	('txn_01r5e8wqhgpzkbtj0qk3eqf1sb', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'plink_01r5e8wqhgkayad42988h7mqc3', NULL, 'succeeded', 12550, 394, 12156, 'card', 'visa', '4242', '591724737', NULL, NULL, '2031-02-27 21:12:30+00', '2031-02-27 21:12:30+00', NULL);

INSERT INTO public.webhook_attempts_first VALUES
	('evt_01r497q0g0ggxamtnkmhrr2v1b', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-16 12:00:00+00', 18, 200, NULL, 1, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r497q0g0ggxamtnkmhrr2v1c', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-16 12:00:00+00', 7, 200, NULL, 1, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r497q0g0ggxamtnkmhrr2v1d', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-16 12:00:00+00', 2, 200, NULL, 1, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r4gyx5g01zfkxd19hgwz3rvs', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-16 12:00:00+00', 1, 200, NULL, 1, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r4gyx5g01zfkxd19hgwz3rvt', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-16 12:00:00+00', 6, 200, NULL, 1, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r4gyx5g01zfkxd19hgwz3rvv', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-16 12:00:00+00', 9, 200, NULL, 1, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r4gyx5g01zfkxd19hgwz3rvw', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-16 12:00:00+00', 10, 200, NULL, 1, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL);

INSERT INTO public.webhook_attempts_w20310224 VALUES
	('evt_01r55j2xg0kemrahzk7s23exbh', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-24 12:00:00+00', 1, 200, NULL, 2, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55j2xg0kemrahzk7s23exbj', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-24 12:00:00+00', 2, 200, NULL, 2, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55j2xg0kemrahzk7s23exbk', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-24 12:00:00+00', 1, 200, NULL, 2, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55rymr0sc01158w8qm2pwnr', 1, 'we_01r497q0g0e6w44tf76gvvdmvm', '2031-02-24 14:00:00+00', 6, 500, 'http_status', 1, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55rymr0sc01158w8qm2pwnr', 2, 'we_01r497q0g0e6w44tf76gvvdmvm', '2031-02-24 14:00:30+00', 1, 500, 'http_status', 2, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55rymr0sc01158w8qm2pwnr', 3, 'we_01r497q0g0e6w44tf76gvvdmvm', '2031-02-24 14:02:30+00', 1, 500, 'http_status', 3, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55rymr0sc01158w8qm2pwnr', 4, 'we_01r497q0g0e6w44tf76gvvdmvm', '2031-02-24 14:12:30+00', 1, 500, 'http_status', 4, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55rymr0sc01158w8qm2pwnr', 5, 'we_01r497q0g0e6w44tf76gvvdmvm', '2031-02-24 15:12:30+00', 1, 500, 'http_status', 5, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55rymr0sc01158w8qm2pwnr', 6, 'we_01r497q0g0e6w44tf76gvvdmvm', '2031-02-24 21:12:30+00', 1, 500, 'http_status', 6, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55rymr0sc01158w8qm2pwnr', 7, 'we_01r497q0g0e6w44tf76gvvdmvm', '2031-02-25 21:12:30+00', 1, 500, 'http_status', 7, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55rymr0sc01158w8qm2pwnr', 8, 'we_01r497q0g0e6w44tf76gvvdmvm', '2031-02-27 21:12:30+00', 1, 500, 'http_status', 8, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r55rymr0sc01158w8qm2pwnq', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-27 21:12:30+00', 1, 200, NULL, 3, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL),
	('evt_01r5e8wqhg5a0wfkxb3wv9rddf', 1, 'we_01r497q0g0e6w44tf76gvvdmvk', '2031-02-27 21:12:30+00', 12, 500, 'http_status', 4, 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', NULL);

INSERT INTO public.webhook_deliveries_first VALUES
	('evt_01r4gyx5g01zfkxd19hgwz3rvv', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r497q0g0cyfrzz1z64v299nj', 'payment_link.refunded', false, 'delivered', '{"id":"evt_01r4gyx5g01zfkxd19hgwz3rvv","object":"event","type":"payment_link.refunded","test":false,"createdAt":"2031-02-16T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r497q0g0cyfrzz1z64v299nj","object":"payment_link","url":"https://pay.example.com/pay/02TcZ4aVnevegD4kD6o__PRfYoKhMzBdMY","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":"2031-02-13T12:00:00.000Z","createdAt":"2031-02-13T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":1,"net":124.5,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":"https://pay.example.com/pay/02TcZ4aVnevegD4kD6o__PRfYoKhMzBdMY","processedAt":"2031-02-16T12:00:00.000Z"},"refunds":[{"id":"re_01r4gyx5g0keys026kmt43xax3","object":"refund","amount":50,"status":"succeeded","reason":"bank_reversal","createdAt":"2031-02-16T12:00:00.000Z"}]},"context":{"refundAmount":50}}}', 'automatic', 1, 1, NULL, 0, '2031-02-16 12:00:00+00', '2031-02-16 12:00:00+00', 200, NULL, '2031-02-16 12:00:00+00'),
	('evt_01r497q0g0ggxamtnkmhrr2v1d', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r497q0g0cyfrzz1z64v299nj', 'payment_link.processing', false, 'delivered', '{"id":"evt_01r497q0g0ggxamtnkmhrr2v1d","object":"event","type":"payment_link.processing","test":false,"createdAt":"2031-02-13T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r497q0g0cyfrzz1z64v299nj","object":"payment_link","url":"https://pay.example.com/pay/02TcZ4aVnevegD4kD6o__PRfYoKhMzBdMY","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":"2031-02-13T12:00:00.000Z","createdAt":"2031-02-13T12:00:00.000Z","transaction":{"status":"pending","amount":125.5,"fee":null,"net":null,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":null,"processedAt":null},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2031-02-16 12:00:00+00', '2031-02-16 12:00:00+00', 200, NULL, '2031-02-13 12:00:00+00'),
	('evt_01r4gyx5g01zfkxd19hgwz3rvs', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r497q0g0cyfrzz1z64v299nh', 'payment_link.paid', false, 'delivered', '{"id":"evt_01r4gyx5g01zfkxd19hgwz3rvs","object":"event","type":"payment_link.paid","test":false,"createdAt":"2031-02-16T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r497q0g0cyfrzz1z64v299nh","object":"payment_link","url":"https://pay.example.com/pay/02zjYQKqC0ox8C4xKZNF_hR2wsp4YwPBcV","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":"2031-02-13T12:00:00.000Z","createdAt":"2031-02-13T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":1,"net":124.5,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":"https://pay.example.com/pay/02zjYQKqC0ox8C4xKZNF_hR2wsp4YwPBcV","processedAt":"2031-02-16T12:00:00.000Z"},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2031-02-16 12:00:00+00', '2031-02-16 12:00:00+00', 200, NULL, '2031-02-16 12:00:00+00'),
	('evt_01r4gyx5g01zfkxd19hgwz3rvt', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r497q0g0cyfrzz1z64v299nj', 'payment_link.paid', false, 'delivered', '{"id":"evt_01r4gyx5g01zfkxd19hgwz3rvt","object":"event","type":"payment_link.paid","test":false,"createdAt":"2031-02-16T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r497q0g0cyfrzz1z64v299nj","object":"payment_link","url":"https://pay.example.com/pay/02TcZ4aVnevegD4kD6o__PRfYoKhMzBdMY","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":"2031-02-13T12:00:00.000Z","createdAt":"2031-02-13T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":1,"net":124.5,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":"https://pay.example.com/pay/02TcZ4aVnevegD4kD6o__PRfYoKhMzBdMY","processedAt":"2031-02-16T12:00:00.000Z"},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2031-02-16 12:00:00+00', '2031-02-16 12:00:00+00', 200, NULL, '2031-02-16 12:00:00+00'),
	('evt_01r497q0g0ggxamtnkmhrr2v1b', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r497q0g0cyfrzz1z64v299ng', 'payment_link.paid', false, 'delivered', '{"id":"evt_01r497q0g0ggxamtnkmhrr2v1b","object":"event","type":"payment_link.paid","test":false,"createdAt":"2031-02-13T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r497q0g0cyfrzz1z64v299ng","object":"payment_link","url":"https://pay.example.com/pay/029Nbqi6NgB-pIeCG_IcVteRb0XOrHDnQb","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":"INV-1","metadata":{"b":"1","a":"2"},"patient":{"firstName":"Ada","lastName":"Byron","phone":"+13125550100","email":null,"externalId":"pat-1"},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":"2031-02-13T12:00:00.000Z","createdAt":"2031-02-13T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/029Nbqi6NgB-pIeCG_IcVteRb0XOrHDnQb","processedAt":"2031-02-13T12:00:00.000Z"},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2031-02-16 12:00:00+00', '2031-02-16 12:00:00+00', 200, NULL, '2031-02-13 12:00:00+00'),
	('evt_01r497q0g0ggxamtnkmhrr2v1c', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r497q0g0cyfrzz1z64v299nh', 'payment_link.processing', false, 'delivered', '{"id":"evt_01r497q0g0ggxamtnkmhrr2v1c","object":"event","type":"payment_link.processing","test":false,"createdAt":"2031-02-13T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r497q0g0cyfrzz1z64v299nh","object":"payment_link","url":"https://pay.example.com/pay/02zjYQKqC0ox8C4xKZNF_hR2wsp4YwPBcV","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":"2031-02-13T12:00:00.000Z","createdAt":"2031-02-13T12:00:00.000Z","transaction":{"status":"pending","amount":125.5,"fee":null,"net":null,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":null,"processedAt":null},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2031-02-16 12:00:00+00', '2031-02-16 12:00:00+00', 200, NULL, '2031-02-13 12:00:00+00'),
	('evt_01r4gyx5g01zfkxd19hgwz3rvw', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r497q0g0cyfrzz1z64v299ng', 'payment_link.disputed', false, 'delivered', '{"id":"evt_01r4gyx5g01zfkxd19hgwz3rvw","object":"event","type":"payment_link.disputed","test":false,"createdAt":"2031-02-16T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r497q0g0cyfrzz1z64v299ng","object":"payment_link","url":"https://pay.example.com/pay/029Nbqi6NgB-pIeCG_IcVteRb0XOrHDnQb","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":"INV-1","metadata":{"b":"1","a":"2"},"patient":{"firstName":"Ada","lastName":"Byron","phone":"+13125550100","email":null,"externalId":"pat-1"},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-15T12:00:00.000Z","paidAt":"2031-02-13T12:00:00.000Z","createdAt":"2031-02-13T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/029Nbqi6NgB-pIeCG_IcVteRb0XOrHDnQb","processedAt":"2031-02-13T12:00:00.000Z"},"refunds":[]},"context":{"disputeReason":"fraudulent","disputeAmount":50,"evidenceDueBy":null}}}', 'automatic', 1, 1, NULL, 0, '2031-02-16 12:00:00+00', '2031-02-16 12:00:00+00', 200, NULL, '2031-02-16 12:00:00+00');

INSERT INTO public.webhook_deliveries_w20310224 VALUES
	('evt_01r55j2xg0kemrahzk7s23exbh', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r55j2xg00xxj8bnbxbdj12e7', 'payment_link.paid', false, 'delivered', '{"id":"evt_01r55j2xg0kemrahzk7s23exbh","object":"event","type":"payment_link.paid","test":false,"createdAt":"2031-02-24T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r55j2xg00xxj8bnbxbdj12e7","object":"payment_link","url":"https://pay.example.com/pay/028C7cMAbSdvm5iRLRgGUzEOXuTJM0fC-z","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-26T12:00:00.000Z","paidAt":"2031-02-24T12:00:00.000Z","createdAt":"2031-02-24T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/028C7cMAbSdvm5iRLRgGUzEOXuTJM0fC-z","processedAt":"2031-02-24T12:00:00.000Z"},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2031-02-24 12:00:00+00', '2031-02-24 12:00:00+00', 200, NULL, '2031-02-24 12:00:00+00'),
	('evt_01r55j2xg0kemrahzk7s23exbj', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r55j2xg00xxj8bnbxbdj12e7', 'payment_link.refunded', false, 'delivered', '{"id":"evt_01r55j2xg0kemrahzk7s23exbj","object":"event","type":"payment_link.refunded","test":false,"createdAt":"2031-02-24T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r55j2xg00xxj8bnbxbdj12e7","object":"payment_link","url":"https://pay.example.com/pay/028C7cMAbSdvm5iRLRgGUzEOXuTJM0fC-z","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-26T12:00:00.000Z","paidAt":"2031-02-24T12:00:00.000Z","createdAt":"2031-02-24T12:00:00.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/028C7cMAbSdvm5iRLRgGUzEOXuTJM0fC-z","processedAt":"2031-02-24T12:00:00.000Z"},"refunds":[{"id":"re_01r55j2xg0djbdvbx9z6vh49sw","object":"refund","amount":25,"status":"succeeded","reason":"requested_by_customer","createdAt":"2031-02-24T12:00:00.000Z"}]},"context":{"refundAmount":25}}}', 'automatic', 1, 1, NULL, 0, '2031-02-24 12:00:00+00', '2031-02-24 12:00:00+00', 200, NULL, '2031-02-24 12:00:00+00'),
	('evt_01r55j2xg0kemrahzk7s23exbk', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r55j2xg00xxj8bnbxbdj12ea', 'payment_link.processing', false, 'delivered', '{"id":"evt_01r55j2xg0kemrahzk7s23exbk","object":"event","type":"payment_link.processing","test":false,"createdAt":"2031-02-24T12:00:00.000Z","data":{"paymentLink":{"id":"plink_01r55j2xg00xxj8bnbxbdj12ea","object":"payment_link","url":"https://pay.example.com/pay/02RUN--BsfuqSAoEh2duTnn45qs4fzF818","status":"paid","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-26T12:00:00.000Z","paidAt":"2031-02-24T12:00:00.000Z","createdAt":"2031-02-24T12:00:00.000Z","transaction":{"status":"pending","amount":125.5,"fee":null,"net":null,"paymentMethodType":"us_bank_account","paymentMethodBrand":null,"paymentMethodLast4":"6789","receiptUrl":null,"processedAt":null},"refunds":[]},"context":null}}', 'automatic', 1, 1, NULL, 0, '2031-02-24 12:00:00+00', '2031-02-24 12:00:00+00', 200, NULL, '2031-02-24 12:00:00+00'),
	('evt_01r55rymr0sc01158w8qm2pwnq', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r55j2xg00xxj8bnbxbdj12eb', 'payment_link.expired', false, 'delivered', '{"id":"evt_01r55rymr0sc01158w8qm2pwnq","object":"event","type":"payment_link.expired","test":false,"createdAt":"2031-02-24T14:00:00.000Z","data":{"paymentLink":{"id":"plink_01r55j2xg00xxj8bnbxbdj12eb","object":"payment_link","url":"https://pay.example.com/pay/02MdHU92UDpAZhMB6U-pERgy3dnPnZPDWC","status":"expired","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-02-24T13:00:00.000Z","paidAt":null,"createdAt":"2031-02-24T12:00:00.000Z","transaction":null,"refunds":[]},"context":{"triggeredBy":"system"}}}', 'automatic', 1, 1, NULL, 0, '2031-02-27 21:12:30+00', '2031-02-27 21:12:30+00', 200, NULL, '2031-02-24 14:00:00+00'),
	('evt_01r55rymr0sc01158w8qm2pwnr', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvm', 'plink_01r55j2xg00xxj8bnbxbdj12eb', 'payment_link.expired', false, 'exhausted', '{"id":"evt_01r55rymr0sc01158w8qm2pwnr","object":"event","type":"payment_link.expired","test":false,"createdAt":"2031-02-24T14:00:00.000Z","data":{"paymentLink":{"id":"plink_01r55j2xg00xxj8bnbxbdj12eb","object":"payment_link","url":"https://pay.example.com/pay/02MdHU92UDpAZhMB6U-pERgy3dnPnZPDWC","status":"expired","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-02-24T13:00:00.000Z","paidAt":null,"createdAt":"2031-02-24T12:00:00.000Z","transaction":null,"refunds":[]},"context":{"triggeredBy":"system"}}}', 'automatic', 8, 8, NULL, 1, '2031-02-27 21:12:30+00', NULL, 500, 'http_status', '2031-02-24 14:00:00+00'),
	('evt_01r5e8wqhg5a0wfkxb3wv9rddf', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', NULL, 'ping', false, 'retrying', '{"id":"evt_01r5e8wqhg5a0wfkxb3wv9rddf","object":"event","type":"ping","test":false,"createdAt":"2031-02-27T21:12:30.000Z","data":{}}', 'automatic', 1, 1, '2031-02-27 21:13:00+00', 1, '2031-02-27 21:12:30+00', NULL, 500, 'http_status', '2031-02-27 21:12:30+00'),
	('evt_01r5e8wqhg5a0wfkxb3wv9rddg', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvk', 'plink_01r5e8wqhgkayad42988h7mqbw', 'payment_link.cancelled', false, 'pending', '{"id":"evt_01r5e8wqhg5a0wfkxb3wv9rddg","object":"event","type":"payment_link.cancelled","test":false,"createdAt":"2031-02-27T21:12:30.000Z","data":{"paymentLink":{"id":"plink_01r5e8wqhgkayad42988h7mqbw","object":"payment_link","url":"https://pay.example.com/pay/02ZHERta5H9nMHJkTFDrCu5SEe3hwPuDMd","status":"cancelled","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]},"context":{"triggeredBy":"api"}}}', 'automatic', 0, 0, '2031-02-27 21:12:30+00', 0, NULL, NULL, NULL, NULL, '2031-02-27 21:12:30+00'),
	('evt_01r5e8wqhg5a0wfkxb3wv9rddh', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvn', 'plink_01r5e8wqhgkayad42988h7mqbw', 'payment_link.cancelled', false, 'pending', '{"id":"evt_01r5e8wqhg5a0wfkxb3wv9rddh","object":"event","type":"payment_link.cancelled","test":false,"createdAt":"2031-02-27T21:12:30.000Z","data":{"paymentLink":{"id":"plink_01r5e8wqhgkayad42988h7mqbw","object":"payment_link","url":"https://pay.example.com/pay/02ZHERta5H9nMHJkTFDrCu5SEe3hwPuDMd","status":"cancelled","test":false,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":null,"createdAt":"2031-02-27T21:12:30.000Z","transaction":null,"refunds":[]},"context":{"triggeredBy":"api"}}}', 'automatic', 0, 0, '2031-02-27 21:12:30+00', 0, NULL, NULL, NULL, NULL, '2031-02-27 21:12:30+00'),
	('evt_01r5e8wqhg5a0wfkxb3wv9rddj', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvp', 'plink_01r5e8wqhgkayad42988h7mqbx', 'payment_link.paid', true, 'pending', '{"id":"evt_01r5e8wqhg5a0wfkxb3wv9rddj","object":"event","type":"payment_link.paid","test":true,"createdAt":"2031-02-27T21:12:30.000Z","data":{"paymentLink":{"id":"plink_01r5e8wqhgkayad42988h7mqbx","object":"payment_link","url":"https://pay.example.com/pay/02ksh8VtGO-llrXnbw-sCm3sCs-Ze7c6P5","status":"paid","test":true,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":"2031-02-27T21:12:30.000Z","createdAt":"2031-02-27T21:12:30.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/02ksh8VtGO-llrXnbw-sCm3sCs-Ze7c6P5","processedAt":"2031-02-27T21:12:30.000Z"},"refunds":[]},"context":{"triggeredBy":"simulated"}}}', 'automatic', 0, 0, '2031-02-27 21:12:30+00', 0, NULL, NULL, NULL, NULL, '2031-02-27 21:12:30+00'),
	('evt_01r5e8wqhg5a0wfkxb3wv9rddk', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'we_01r497q0g0e6w44tf76gvvdmvp', 'plink_01r5e8wqhgkayad42988h7mqc3', 'payment_link.paid', true, 'pending', '{"id":"evt_01r5e8wqhg5a0wfkxb3wv9rddk","object":"event","type":"payment_link.paid","test":true,"createdAt":"2031-02-27T21:12:30.000Z","data":{"paymentLink":{"id":"plink_01r5e8wqhgkayad42988h7mqc3","object":"payment_link","url":"https://pay.example.com/pay/02hYi8MJtmrVuA6Q4J94q3Y1OB-txKRVKs","status":"paid","test":true,"amount":125.5,"currency":"usd","description":"Cleaning","externalReference":null,"metadata":null,"patient":{"firstName":"Ada","lastName":"Byron","phone":null,"email":null,"externalId":null},"location":{"id":"loc_01qgqh4bg0h71fdsvywmrqjrgc","name":"Downtown"},"source":"api","expiresAt":"2031-03-29T21:12:30.000Z","paidAt":"2031-02-27T21:12:30.000Z","createdAt":"2031-02-27T21:12:30.000Z","transaction":{"status":"succeeded","amount":125.5,"fee":3.94,"net":121.56,"paymentMethodType":"card","paymentMethodBrand":"visa","paymentMethodLast4":"4242","receiptUrl":"https://pay.example.com/pay/02hYi8MJtmrVuA6Q4J94q3Y1OB-txKRVKs","processedAt":"2031-02-27T21:12:30.000Z"},"refunds":[]},"context":{"triggeredBy":"simulated"}}}', 'automatic', 0, 0, '2031-02-27 21:12:30+00', 0, NULL, NULL, NULL, NULL, '2031-02-27 21:12:30+00');

INSERT INTO public.webhook_endpoints VALUES
	('we_01r497q0g0e6w44tf76gvvdmvn', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, NULL, 'http://127.0.0.1:36241/hook/disabled', '{payment_link.cancelled}', NULL, 'enabled', 'test.-CSUF5pPbnLnVNqR.sen4b_fht-VhHeDCfFzakKItBVeynyGB_cTbXcoadTgNh_zBRGS82IVMEw4LsVJfKA.4mJdAtppGEX-xTXchuO21w', NULL, NULL, 0, NULL, '2031-02-13 12:00:00+00', 0, NULL, 0, NULL),
	('we_01r497q0g0e6w44tf76gvvdmvp', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', true, NULL, 'http://127.0.0.1:36241/hook/test', '{}', NULL, 'enabled', 'test.h0HFTOoCNhcMLUwq.bAYnN50OMoaz5oU9i8vDgrahhKmENGtRU9b67OblVTSd1QH4XQ6R2ijhZrZuvvAs3Q.HOhrn3sYQ31Ed60VdF51SA', NULL, NULL, 0, NULL, '2031-02-13 12:00:00+00', 0, NULL, 0, NULL),
	('we_01r497q0g0e6w44tf76gvvdmvm', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, NULL, 'http://127.0.0.1:36241/hook/exhausted', '{payment_link.expired}', NULL, 'enabled', 'test.e4aqiRaGkZzOLDip.gEs2i2DYA4SGX5_5H3iTVeO4GjnhCQF4nxdU0Zw8PaTUMv_HgL4ldbxHJneIi7pzhA.bEdIKE0sT29yf0VEwnr-ow', NULL, NULL, 1, NULL, '2031-02-13 12:00:00+00', 8, NULL, 8, NULL),
	('we_01r497q0g0e6w44tf76gvvdmvk', 'prac_01qgqh4bg0hg2vz3k4m1jp1xvb', false, NULL, 'http://127.0.0.1:36241/hook', '{}', NULL, 'enabled', 'test.310UuwKYN2hzaSrF.oAuoThTuRgPnK5I6ieTL9h42D8YB1UriPUfZurc0K82NGaeziQx0FbDTSWG2JqxAPQ.Vlxzu6aBRGTggCwiZ48KlA', 'test.7vYUNOWm3000Py2h.h8Me3MIvZYrsVRwzDy5qT0uHasskYR1YBT4EGu8PPsveBL7kEmD_NL85buFtrT-dpA.e2il6DS32lvrDXbDSSctSQ', '2031-02-28 21:12:30+00', 0, NULL, '2031-02-13 12:00:00+00', 4, NULL, 4, NULL);

INSERT INTO sandbox.disputes VALUES
	('sbx_dsp_95c983d68e340a8269d0b748', 'sbx_pay_f1838c37d3dec5bc4ab8d970', 5000, 'insufficient_funds', 'open', NULL, true),
	('sbx_dsp_97ef416221472e15e54de92c', 'sbx_pay_8fae87af01dee7174431fdcf', 5000, 'fraudulent', 'won', NULL, false),
	('sbx_dsp_a098dd1f24ce2b30838070e6', 'sbx_pay_cc02f6ae125dac58bf6fe879', 5000, 'insufficient_funds', 'open', NULL, true),
	('sbx_dsp_a41f063513b97c67679540da', 'sbx_pay_f85c3e646dc7a59eb6ebfa7e', 5000, 'fraudulent', 'open', NULL, false);

INSERT INTO sandbox.payments VALUES
	('sbx_pay_980712f18cd2c2d20c1b8e5e', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01qgqh4bg00ab875tcam6fqvv5', 12550, 'card_success', 'card', 'succeeded', NULL, NULL, NULL),
	('sbx_pay_9bd38aaa3e78f672d9fb2416', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01qgqh4bg00ab875tcam6fqvv6', 12550, 'card_success', 'card', 'succeeded', NULL, NULL, NULL),
	('sbx_pay_f1838c37d3dec5bc4ab8d970', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01qgqh4bg00ab875tcam6fqvv7', 12550, 'bank_settles', 'us_bank_account', 'processing', NULL, '2030-06-18 12:00:00+00', NULL),
	('sbx_pay_8fae87af01dee7174431fdcf', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01qgqh4bg00ab875tcam6fqvv8', 12550, 'card_success', 'card', 'succeeded', NULL, NULL, NULL),
	('sbx_pay_f85c3e646dc7a59eb6ebfa7e', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01r497q0g0s5sptfmn03mcd1te', 12550, 'card_success', 'card', 'succeeded', NULL, NULL, NULL),
	('sbx_pay_55965596d7880f0c5c2a75a3', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01r497q0g0s5sptfmn03mcd1tf', 12550, 'bank_settles', 'us_bank_account', 'processing', NULL, '2031-02-16 12:00:00+00', NULL),
	('sbx_pay_cc02f6ae125dac58bf6fe879', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01r497q0g0s5sptfmn03mcd1tg', 12550, 'bank_settles', 'us_bank_account', 'processing', NULL, '2031-02-16 12:00:00+00', NULL),
	('sbx_pay_5cf54e9aaaf077253747a841', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01r55j2xg091b0q546vxwafphw', 12550, 'card_success', 'card', 'succeeded', NULL, NULL, NULL),
	('sbx_pay_29decd5197a8b3097c20a7dd', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01r55j2xg091b0q546vxwafphx', 12550, 'card_declined', 'card', 'failed', 'card_declined', NULL, NULL),
	('sbx_pay_943de167d2b77a4b9a46b32d', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01r55j2xg091b0q546vxwafphz', 12550, 'bank_settles', 'us_bank_account', 'processing', NULL, '2031-02-27 12:00:00+00', NULL),
	('sbx_pay_50ff1d02fec3645260a50ba7', 'sandbox_prac_01qgqh4bg0hg2vz3k4m1jp1xvb', 'att_01r55j2xg091b0q546vxwafphy', 12550, 'card_challenge', 'card', 'cancelled', NULL, NULL, NULL);

INSERT INTO sandbox.refunds OVERRIDING SYSTEM VALUE VALUES
	('sbx_ref_dcf7d70f857f7faa4006fb03', 'sbx_pay_9bd38aaa3e78f672d9fb2416', 're_01qgqh4bg0q440menf03fy3s9f', 1000, 'succeeded', NULL, true, 1),
	('sbx_ref_892939013d944e7afa2ead02', 'sbx_pay_5cf54e9aaaf077253747a841', 're_01r55j2xg0djbdvbx9z6vh49sw', 2500, 'succeeded', NULL, true, 2);

INSERT INTO sandbox.secret VALUES
	('96d5a5aa-5f30-4eba-92c5-ef45119d4cf2.bea901de-085e-46d3-b008-dec553c23e38');

SELECT pg_catalog.setval('graphile_worker.job_queues_id_seq', 3, true);

SELECT pg_catalog.setval('graphile_worker.jobs_id_seq1', 51, true);

SELECT pg_catalog.setval('graphile_worker.tasks_id_seq', 5, true);

SELECT pg_catalog.setval('public.delivery_partition_changes_number_seq', 1, false);

SELECT pg_catalog.setval('public.schema_migrations_id_seq', 24, true);

SELECT pg_catalog.setval('sandbox.refunds_number_seq', 2, true);

ALTER TABLE ONLY archive.bank_reversals
    ADD CONSTRAINT bank_reversals_pkey PRIMARY KEY (id);

ALTER TABLE ONLY archive.bank_reversals
    ADD CONSTRAINT bank_reversals_practice_id_payment_link_id_id_key UNIQUE (practice_id, payment_link_id, id);

ALTER TABLE ONLY archive.bank_reversals
    ADD CONSTRAINT bank_reversals_processor_reference_key UNIQUE (processor_reference);

ALTER TABLE ONLY archive.disputes
    ADD CONSTRAINT disputes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY archive.disputes
    ADD CONSTRAINT disputes_processor_reference_key UNIQUE (processor_reference);

ALTER TABLE ONLY archive.payment_admin_mails
    ADD CONSTRAINT payment_admin_mails_pkey PRIMARY KEY (payment_link_id, kind, subject_id);

ALTER TABLE ONLY archive.payment_attempts
    ADD CONSTRAINT payment_attempts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY archive.payment_attempts
    ADD CONSTRAINT payment_attempts_practice_id_payment_link_id_id_key UNIQUE (practice_id, payment_link_id, id);

ALTER TABLE ONLY archive.payment_attempts
    ADD CONSTRAINT payment_attempts_processor_processor_reference_key UNIQUE (processor, processor_reference);

ALTER TABLE ONLY archive.payment_links
    ADD CONSTRAINT payment_links_pkey PRIMARY KEY (id);

ALTER TABLE ONLY archive.payment_links
    ADD CONSTRAINT payment_links_practice_id_id_key UNIQUE (practice_id, id);

ALTER TABLE ONLY archive.payment_links
    ADD CONSTRAINT payment_links_token_key UNIQUE (token);

ALTER TABLE ONLY archive.refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (id);

ALTER TABLE ONLY archive.refunds
    ADD CONSTRAINT refunds_processor_reference_key UNIQUE (processor_reference);

ALTER TABLE ONLY archive.transactions
    ADD CONSTRAINT transactions_attempt_id_key UNIQUE (attempt_id);

ALTER TABLE ONLY archive.transactions
    ADD CONSTRAINT transactions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY archive.transactions
    ADD CONSTRAINT transactions_practice_id_payment_link_id_id_key UNIQUE (practice_id, payment_link_id, id);

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

ALTER TABLE ONLY public.api_requests
    ADD CONSTRAINT api_requests_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.archive_walk
    ADD CONSTRAINT archive_walk_pkey PRIMARY KEY (is_only);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.bank_reversals
    ADD CONSTRAINT bank_reversals_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.bank_reversals
    ADD CONSTRAINT bank_reversals_practice_id_payment_link_id_id_key UNIQUE (practice_id, payment_link_id, id);

ALTER TABLE ONLY public.bank_reversals
    ADD CONSTRAINT bank_reversals_processor_reference_key UNIQUE (processor_reference);

ALTER TABLE ONLY public.console_devices
    ADD CONSTRAINT console_devices_pkey PRIMARY KEY (hash, person_id);

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.daily_link_counts
    ADD CONSTRAINT daily_link_counts_pkey PRIMARY KEY (api_key_id, day);

ALTER TABLE ONLY public.delivery_partition_changes
    ADD CONSTRAINT delivery_partition_changes_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.delivery_partitions
    ADD CONSTRAINT delivery_partitions_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.delivery_partitions
    ADD CONSTRAINT delivery_partitions_to_id_key UNIQUE (to_id);

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
    ADD CONSTRAINT list_counts_pkey PRIMARY KEY (practice_id, test, list, group_id, label, start_at, start_id, status) INCLUDE (row_count);

ALTER TABLE ONLY public.locations
    ADD CONSTRAINT locations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.locations
    ADD CONSTRAINT locations_practice_id_id_key UNIQUE (practice_id, id);

ALTER TABLE ONLY public.membership_locations
    ADD CONSTRAINT membership_locations_pkey PRIMARY KEY (membership_id, location_id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_practice_id_id_key UNIQUE (practice_id, id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_practice_id_person_id_key UNIQUE (practice_id, person_id);

ALTER TABLE ONLY public.notification_recipients
    ADD CONSTRAINT notification_recipients_pkey PRIMARY KEY (practice_id, kind, email);

ALTER TABLE ONLY public.page_assets
    ADD CONSTRAINT page_assets_pkey PRIMARY KEY (path);

ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id);

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);

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

ALTER TABLE ONLY public.payment_totals
    ADD CONSTRAINT payment_totals_pkey PRIMARY KEY (practice_id, test, hour, location_id, payment_method_type, status);

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_email_key UNIQUE (email);

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.practice_logos
    ADD CONSTRAINT practice_logos_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.practice_logos
    ADD CONSTRAINT practice_logos_pkey PRIMARY KEY (practice_id, hash);

ALTER TABLE ONLY public.practice_moves
    ADD CONSTRAINT practice_moves_pkey PRIMARY KEY (id, practice_id);

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

ALTER TABLE ONLY public.receipt_requests
    ADD CONSTRAINT receipt_requests_payment_link_id_ordinal_key UNIQUE (payment_link_id, ordinal);

ALTER TABLE ONLY public.receipt_requests
    ADD CONSTRAINT receipt_requests_pkey PRIMARY KEY (id);

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

ALTER TABLE ONLY public.sent_forms
    ADD CONSTRAINT sent_forms_pkey PRIMARY KEY (practice_id, form_id);

ALTER TABLE ONLY public.sign_in_requests
    ADD CONSTRAINT sign_in_requests_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sign_in_tokens
    ADD CONSTRAINT sign_in_tokens_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.test_event_readers
    ADD CONSTRAINT test_event_readers_pkey PRIMARY KEY (practice_id);

ALTER TABLE ONLY public.test_events
    ADD CONSTRAINT test_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_attempt_id_key UNIQUE (attempt_id);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_practice_id_payment_link_id_id_key UNIQUE (practice_id, payment_link_id, id);

ALTER TABLE ONLY public.uncounted_payment_totals
    ADD CONSTRAINT uncounted_payment_totals_pkey PRIMARY KEY (practice_id);

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.webhook_attempts_default
    ADD CONSTRAINT webhook_attempts_default_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.webhook_attempts_first
    ADD CONSTRAINT webhook_attempts_pkey_first PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.webhook_attempts_w20310224
    ADD CONSTRAINT webhook_attempts_w20310224_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.webhook_attempts_w20310303
    ADD CONSTRAINT webhook_attempts_w20310303_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.webhook_attempts_w20310310
    ADD CONSTRAINT webhook_attempts_w20310310_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.webhook_attempts_w20310317
    ADD CONSTRAINT webhook_attempts_w20310317_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.webhook_attempts_w20310324
    ADD CONSTRAINT webhook_attempts_w20310324_pkey PRIMARY KEY (delivery_id, number);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries_default
    ADD CONSTRAINT webhook_deliveries_default_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries_first
    ADD CONSTRAINT webhook_deliveries_pkey_first PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries_w20310224
    ADD CONSTRAINT webhook_deliveries_w20310224_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries_w20310303
    ADD CONSTRAINT webhook_deliveries_w20310303_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries_w20310310
    ADD CONSTRAINT webhook_deliveries_w20310310_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries_w20310317
    ADD CONSTRAINT webhook_deliveries_w20310317_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries_w20310324
    ADD CONSTRAINT webhook_deliveries_w20310324_pkey PRIMARY KEY (id);

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

CREATE INDEX bank_reversals_link ON archive.bank_reversals USING btree (payment_link_id);

CREATE INDEX bank_reversals_practice_id_created_at_idx ON archive.bank_reversals USING btree (practice_id, created_at);

CREATE INDEX bank_reversals_practice_id_test_paid_at_payment_link_id_idx ON archive.bank_reversals USING btree (practice_id, test, paid_at DESC, payment_link_id DESC);

CREATE INDEX bank_reversals_transaction_id_idx ON archive.bank_reversals USING btree (transaction_id);

CREATE UNIQUE INDEX disputes_payment_link_id_idx ON archive.disputes USING btree (payment_link_id) WHERE ((status = 'open'::text) AND (processor_reference IS NULL));

CREATE INDEX disputes_payment_link_id_idx1 ON archive.disputes USING btree (payment_link_id);

CREATE INDEX disputes_practice_id_status_created_at_idx ON archive.disputes USING btree (practice_id, status, created_at);

CREATE INDEX disputes_practice_id_test_paid_at_payment_link_id_idx ON archive.disputes USING btree (practice_id, test, paid_at DESC, payment_link_id DESC) WHERE (status = ANY (ARRAY['open'::text, 'lost'::text]));

CREATE INDEX payment_attempts_created_at_idx ON archive.payment_attempts USING btree (created_at) WHERE (address IS NOT NULL);

CREATE INDEX payment_attempts_payment_link_id_created_at_id_idx ON archive.payment_attempts USING btree (payment_link_id, created_at DESC, id DESC);

CREATE UNIQUE INDEX payment_attempts_payment_link_id_idx ON archive.payment_attempts USING btree (payment_link_id) WHERE (status = ANY (ARRAY['open'::text, 'requires_action'::text]));

CREATE INDEX payment_attempts_practice_id_created_at_payment_link_id_idx ON archive.payment_attempts USING btree (practice_id, created_at DESC, payment_link_id DESC) WHERE (status = ANY (ARRAY['open'::text, 'requires_action'::text]));

CREATE INDEX payment_attempts_reconcile_at_idx ON archive.payment_attempts USING btree (reconcile_at) WHERE (reconcile_at IS NOT NULL);

CREATE INDEX payment_links_expires_at_idx ON archive.payment_links USING btree (expires_at) WHERE (status = 'active'::text);

CREATE INDEX payment_links_practice_id_location_id_test_paid_at_id_idx ON archive.payment_links USING btree (practice_id, location_id, test, paid_at, id) WHERE (paid_at IS NOT NULL);

CREATE INDEX payment_links_practice_id_location_id_test_status_created_a_idx ON archive.payment_links USING btree (practice_id, location_id, test, status, created_at DESC, id DESC);

CREATE INDEX payment_links_practice_id_lower_idx ON archive.payment_links USING btree (practice_id, lower(patient_email) COLLATE "C") WHERE (patient_email IS NOT NULL);

CREATE INDEX payment_links_practice_id_patient_external_id_idx ON archive.payment_links USING btree (practice_id, patient_external_id) WHERE (patient_external_id IS NOT NULL);

CREATE INDEX payment_links_practice_id_patient_phone_idx ON archive.payment_links USING btree (practice_id, patient_phone) WHERE (patient_phone IS NOT NULL);

CREATE INDEX payment_links_practice_id_test_closed_at_id_status_location_idx ON archive.payment_links USING btree (practice_id, test, closed_at, id) INCLUDE (status, location_id) WHERE (closed_at IS NOT NULL);

CREATE INDEX payment_links_practice_id_test_created_at_id_idx ON archive.payment_links USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX payment_links_practice_id_test_expires_at_idx ON archive.payment_links USING btree (practice_id, test, expires_at) WHERE (status = 'active'::text);

CREATE INDEX payment_links_practice_id_test_external_reference_status_cr_idx ON archive.payment_links USING btree (practice_id, test, external_reference, status, created_at DESC, id DESC) WHERE (external_reference IS NOT NULL);

CREATE INDEX payment_links_practice_id_test_paid_at_id_idx ON archive.payment_links USING btree (practice_id, test, paid_at, id) WHERE (paid_at IS NOT NULL);

CREATE INDEX payment_links_practice_id_test_status_created_at_id_idx ON archive.payment_links USING btree (practice_id, test, status, created_at DESC, id DESC);

CREATE INDEX payment_links_practice_id_test_translate_translate1_created_idx ON archive.payment_links USING btree (practice_id, test, translate(lower(patient_last_name), 'ÁÉÍÓÚÜÑáéíóúüñ'::text, 'aeiouunaeiouun'::text) COLLATE "C", translate(lower(patient_first_name), 'ÁÉÍÓÚÜÑáéíóúüñ'::text, 'aeiouunaeiouun'::text) COLLATE "C", created_at DESC);

CREATE INDEX refunds_bank_reversal_id_idx ON archive.refunds USING btree (bank_reversal_id) WHERE (bank_reversal_id IS NOT NULL);

CREATE INDEX refunds_payment_link_id_created_at_id_idx ON archive.refunds USING btree (payment_link_id, created_at, id);

CREATE INDEX refunds_practice_id_created_at_idx ON archive.refunds USING btree (practice_id, created_at);

CREATE INDEX refunds_practice_id_test_paid_at_payment_link_id_idx ON archive.refunds USING btree (practice_id, test, paid_at DESC, payment_link_id DESC);

CREATE INDEX refunds_transaction_id_idx ON archive.refunds USING btree (transaction_id);

CREATE INDEX transactions_payment_link_id_created_at_idx ON archive.transactions USING btree (payment_link_id, created_at);

CREATE UNIQUE INDEX transactions_payment_link_id_idx ON archive.transactions USING btree (payment_link_id) WHERE (status <> 'failed'::text);

CREATE INDEX transactions_payment_number_idx ON archive.transactions USING btree (payment_number) WHERE (payment_number IS NOT NULL);

CREATE INDEX transactions_practice_id_processed_at_idx ON archive.transactions USING btree (practice_id, processed_at) WHERE (processed_at > created_at);

CREATE INDEX transactions_practice_id_status_created_at_payment_link_id_idx ON archive.transactions USING btree (practice_id, status, created_at DESC, payment_link_id DESC) WHERE (status = ANY (ARRAY['pending'::text, 'failed'::text]));

CREATE INDEX transactions_reconcile_at_idx ON archive.transactions USING btree (reconcile_at) WHERE (reconcile_at IS NOT NULL);

CREATE INDEX jobs_main_index ON graphile_worker._private_jobs USING btree (priority, run_at) INCLUDE (id, task_id, job_queue_id) WHERE (is_available = true);

CREATE INDEX jobs_no_queue_index ON graphile_worker._private_jobs USING btree (priority, run_at) INCLUDE (id, task_id) WHERE ((is_available = true) AND (job_queue_id IS NULL));

CREATE INDEX api_requests_key ON public.api_requests USING btree (practice_id, api_key_id, id);

CREATE INDEX api_requests_practice ON public.api_requests USING btree (practice_id, test, id);

CREATE INDEX api_requests_refused ON public.api_requests USING btree (practice_id, test, id) WHERE (status >= 400);

CREATE INDEX audit_log_action ON public.audit_log USING btree (practice_id, action, id);

CREATE INDEX audit_log_actor ON public.audit_log USING btree (practice_id, actor_id, id);

CREATE INDEX audit_log_practice ON public.audit_log USING btree (practice_id, id);

CREATE INDEX audit_log_target ON public.audit_log USING btree (practice_id, target_id, id);

CREATE INDEX bank_reversals_link ON public.bank_reversals USING btree (payment_link_id);

CREATE INDEX bank_reversals_paid ON public.bank_reversals USING btree (practice_id, test, paid_at DESC, payment_link_id DESC);

CREATE INDEX bank_reversals_practice ON public.bank_reversals USING btree (practice_id, created_at);

CREATE INDEX bank_reversals_transaction ON public.bank_reversals USING btree (transaction_id);

CREATE INDEX console_devices_age ON public.console_devices USING btree (used_at);

CREATE INDEX console_devices_person ON public.console_devices USING btree (person_id);

CREATE INDEX console_sessions_age ON public.console_sessions USING btree (last_used_at);

CREATE INDEX console_sessions_person ON public.console_sessions USING btree (person_id);

CREATE INDEX disputes_link ON public.disputes USING btree (payment_link_id);

CREATE UNIQUE INDEX disputes_one_open ON public.disputes USING btree (payment_link_id) WHERE ((status = 'open'::text) AND (processor_reference IS NULL));

CREATE INDEX disputes_paid ON public.disputes USING btree (practice_id, test, paid_at DESC, payment_link_id DESC) WHERE (status = ANY (ARRAY['open'::text, 'lost'::text]));

CREATE INDEX disputes_practice ON public.disputes USING btree (practice_id, status, created_at);

CREATE INDEX frequent_references_uncounted ON public.frequent_references USING btree (practice_id) WHERE (NOT is_counted);

CREATE INDEX idempotent_replies_age ON public.idempotent_replies USING btree (created_at);

CREATE INDEX list_changes_list ON public.list_changes USING btree (practice_id, test, list);

CREATE INDEX memberships_person ON public.memberships USING btree (person_id);

CREATE INDEX passkey_challenges_age ON public.passkey_challenges USING btree (expires_at);

CREATE INDEX passkeys_person ON public.passkeys USING btree (person_id, id);

CREATE INDEX patients_external_id ON public.patients USING btree (practice_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX patients_phone ON public.patients USING btree (practice_id, phone) WHERE (phone IS NOT NULL);

CREATE INDEX payment_attempts_evidence ON public.payment_attempts USING btree (created_at) WHERE (address IS NOT NULL);

CREATE INDEX payment_attempts_link ON public.payment_attempts USING btree (payment_link_id, created_at DESC, id DESC);

CREATE UNIQUE INDEX payment_attempts_one_open ON public.payment_attempts USING btree (payment_link_id) WHERE (status = ANY (ARRAY['open'::text, 'requires_action'::text]));

CREATE INDEX payment_attempts_reconcile ON public.payment_attempts USING btree (reconcile_at) WHERE (reconcile_at IS NOT NULL);

CREATE INDEX payment_attempts_under_way ON public.payment_attempts USING btree (practice_id, created_at DESC, payment_link_id DESC) WHERE (status = ANY (ARRAY['open'::text, 'requires_action'::text]));

CREATE INDEX payment_links_closed ON public.payment_links USING btree (practice_id, test, closed_at, id) INCLUDE (status, location_id) WHERE (closed_at IS NOT NULL);

CREATE INDEX payment_links_due ON public.payment_links USING btree (expires_at) WHERE (status = 'active'::text);

CREATE INDEX payment_links_external_reference ON public.payment_links USING btree (practice_id, test, external_reference, status, created_at DESC, id DESC) WHERE (external_reference IS NOT NULL);

CREATE INDEX payment_links_location ON public.payment_links USING btree (practice_id, location_id, test, status, created_at DESC, id DESC);

CREATE INDEX payment_links_location_paid ON public.payment_links USING btree (practice_id, location_id, test, paid_at, id) WHERE (paid_at IS NOT NULL);

CREATE INDEX payment_links_newest ON public.payment_links USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX payment_links_overdue ON public.payment_links USING btree (practice_id, test, expires_at) WHERE (status = 'active'::text);

CREATE INDEX payment_links_paid ON public.payment_links USING btree (practice_id, test, paid_at, id) WHERE (paid_at IS NOT NULL);

CREATE INDEX payment_links_patient_email ON public.payment_links USING btree (practice_id, lower(patient_email) COLLATE "C") WHERE (patient_email IS NOT NULL);

CREATE INDEX payment_links_patient_external_id ON public.payment_links USING btree (practice_id, patient_external_id) WHERE (patient_external_id IS NOT NULL);

CREATE INDEX payment_links_patient_name ON public.payment_links USING btree (practice_id, test, translate(lower(patient_last_name), 'ÁÉÍÓÚÜÑáéíóúüñ'::text, 'aeiouunaeiouun'::text) COLLATE "C", translate(lower(patient_first_name), 'ÁÉÍÓÚÜÑáéíóúüñ'::text, 'aeiouunaeiouun'::text) COLLATE "C", created_at DESC);

CREATE INDEX payment_links_patient_phone ON public.payment_links USING btree (practice_id, patient_phone) WHERE (patient_phone IS NOT NULL);

CREATE INDEX payment_links_status ON public.payment_links USING btree (practice_id, test, status, created_at DESC, id DESC);

CREATE INDEX payment_total_changes_practice ON public.payment_total_changes USING btree (practice_id);

CREATE UNIQUE INDEX practice_moves_one ON public.practice_moves USING btree (practice_id) WHERE ((side = 'source'::text) AND (state = ANY (ARRAY['moving'::text, 'moved'::text])));

CREATE INDEX practices_moving ON public.practices USING btree (id) WHERE (move_state IS NOT NULL);

CREATE INDEX processor_notifications_due ON public.processor_notifications USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX processor_notifications_handled ON public.processor_notifications USING btree (received_at) WHERE (due_at IS NULL);

CREATE INDEX receipt_requests_age ON public.receipt_requests USING btree (created_at);

CREATE INDEX refunds_bank_reversal ON public.refunds USING btree (bank_reversal_id) WHERE (bank_reversal_id IS NOT NULL);

CREATE INDEX refunds_link ON public.refunds USING btree (payment_link_id, created_at, id);

CREATE INDEX refunds_paid ON public.refunds USING btree (practice_id, test, paid_at DESC, payment_link_id DESC);

CREATE INDEX refunds_practice ON public.refunds USING btree (practice_id, created_at);

CREATE INDEX refunds_transaction ON public.refunds USING btree (transaction_id);

CREATE INDEX sealed_replies_age ON public.sealed_replies USING btree (created_at);

CREATE INDEX sent_forms_age ON public.sent_forms USING btree (created_at);

CREATE INDEX sign_in_requests_age ON public.sign_in_requests USING btree (created_at);

CREATE INDEX sign_in_tokens_age ON public.sign_in_tokens USING btree (expires_at);

CREATE INDEX sign_in_tokens_person ON public.sign_in_tokens USING btree (person_id, created_at);

CREATE INDEX test_events_order ON public.test_events USING btree (practice_id, made_by, id);

CREATE INDEX transactions_link ON public.transactions USING btree (payment_link_id, created_at);

CREATE UNIQUE INDEX transactions_one_payment ON public.transactions USING btree (payment_link_id) WHERE (status <> 'failed'::text);

CREATE INDEX transactions_payment_number ON public.transactions USING btree (payment_number) WHERE (payment_number IS NOT NULL);

CREATE INDEX transactions_reconcile ON public.transactions USING btree (reconcile_at) WHERE (reconcile_at IS NOT NULL);

CREATE INDEX transactions_settled_later ON public.transactions USING btree (practice_id, processed_at) WHERE (processed_at > created_at);

CREATE INDEX transactions_unsettled ON public.transactions USING btree (practice_id, status, created_at DESC, payment_link_id DESC) WHERE (status = ANY (ARRAY['pending'::text, 'failed'::text]));

CREATE INDEX webhook_attempts_open ON ONLY public.webhook_attempts USING btree (endpoint_id) WHERE (duration_ms IS NULL);

CREATE INDEX webhook_attempts_default_endpoint_id_idx ON public.webhook_attempts_default USING btree (endpoint_id) WHERE (duration_ms IS NULL);

CREATE INDEX webhook_attempts_open_first ON public.webhook_attempts_first USING btree (endpoint_id) WHERE (duration_ms IS NULL);

CREATE INDEX webhook_attempts_w20310224_endpoint_id_idx ON public.webhook_attempts_w20310224 USING btree (endpoint_id) WHERE (duration_ms IS NULL);

CREATE INDEX webhook_attempts_w20310303_endpoint_id_idx ON public.webhook_attempts_w20310303 USING btree (endpoint_id) WHERE (duration_ms IS NULL);

CREATE INDEX webhook_attempts_w20310310_endpoint_id_idx ON public.webhook_attempts_w20310310 USING btree (endpoint_id) WHERE (duration_ms IS NULL);

CREATE INDEX webhook_attempts_w20310317_endpoint_id_idx ON public.webhook_attempts_w20310317 USING btree (endpoint_id) WHERE (duration_ms IS NULL);

CREATE INDEX webhook_attempts_w20310324_endpoint_id_idx ON public.webhook_attempts_w20310324 USING btree (endpoint_id) WHERE (duration_ms IS NULL);

CREATE INDEX webhook_deliveries_delivered ON ONLY public.webhook_deliveries USING btree (delivered_at) WHERE (status = 'delivered'::text);

CREATE INDEX webhook_deliveries_default_delivered_at_idx ON public.webhook_deliveries_default USING btree (delivered_at) WHERE (status = 'delivered'::text);

CREATE INDEX webhook_deliveries_endpoint ON ONLY public.webhook_deliveries USING btree (endpoint_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_default_endpoint_id_created_at_id_idx ON public.webhook_deliveries_default USING btree (endpoint_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_due ON ONLY public.webhook_deliveries USING btree (endpoint_id, rank, due_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));

CREATE INDEX webhook_deliveries_default_endpoint_id_rank_due_at_id_idx ON public.webhook_deliveries_default USING btree (endpoint_id, rank, due_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));

CREATE INDEX webhook_deliveries_status ON ONLY public.webhook_deliveries USING btree (endpoint_id, status, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_default_endpoint_id_status_created_at_id_idx ON public.webhook_deliveries_default USING btree (endpoint_id, status, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_type ON ONLY public.webhook_deliveries USING btree (endpoint_id, type, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_default_endpoint_id_type_created_at_id_idx ON public.webhook_deliveries_default USING btree (endpoint_id, type, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_link ON ONLY public.webhook_deliveries USING btree (payment_link_id, endpoint_id, type) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX webhook_deliveries_default_payment_link_id_endpoint_id_type_idx ON public.webhook_deliveries_default USING btree (payment_link_id, endpoint_id, type) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX webhook_deliveries_newest ON ONLY public.webhook_deliveries USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_default_practice_id_test_created_at_id_idx ON public.webhook_deliveries_default USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_delivered_first ON public.webhook_deliveries_first USING btree (delivered_at) WHERE (status = 'delivered'::text);

CREATE INDEX webhook_deliveries_due_first ON public.webhook_deliveries_first USING btree (endpoint_id, rank, due_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));

CREATE INDEX webhook_deliveries_endpoint_first ON public.webhook_deliveries_first USING btree (endpoint_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_link_first ON public.webhook_deliveries_first USING btree (payment_link_id, endpoint_id, type) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX webhook_deliveries_newest_first ON public.webhook_deliveries_first USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_status_first ON public.webhook_deliveries_first USING btree (endpoint_id, status, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_type_first ON public.webhook_deliveries_first USING btree (endpoint_id, type, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310224_delivered_at_idx ON public.webhook_deliveries_w20310224 USING btree (delivered_at) WHERE (status = 'delivered'::text);

CREATE INDEX webhook_deliveries_w20310224_endpoint_id_created_at_id_idx ON public.webhook_deliveries_w20310224 USING btree (endpoint_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310224_endpoint_id_rank_due_at_id_idx ON public.webhook_deliveries_w20310224 USING btree (endpoint_id, rank, due_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));

CREATE INDEX webhook_deliveries_w20310224_endpoint_id_status_created_at__idx ON public.webhook_deliveries_w20310224 USING btree (endpoint_id, status, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310224_endpoint_id_type_created_at_id_idx ON public.webhook_deliveries_w20310224 USING btree (endpoint_id, type, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310224_payment_link_id_endpoint_id_ty_idx ON public.webhook_deliveries_w20310224 USING btree (payment_link_id, endpoint_id, type) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX webhook_deliveries_w20310224_practice_id_test_created_at_id_idx ON public.webhook_deliveries_w20310224 USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310303_delivered_at_idx ON public.webhook_deliveries_w20310303 USING btree (delivered_at) WHERE (status = 'delivered'::text);

CREATE INDEX webhook_deliveries_w20310303_endpoint_id_created_at_id_idx ON public.webhook_deliveries_w20310303 USING btree (endpoint_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310303_endpoint_id_rank_due_at_id_idx ON public.webhook_deliveries_w20310303 USING btree (endpoint_id, rank, due_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));

CREATE INDEX webhook_deliveries_w20310303_endpoint_id_status_created_at__idx ON public.webhook_deliveries_w20310303 USING btree (endpoint_id, status, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310303_endpoint_id_type_created_at_id_idx ON public.webhook_deliveries_w20310303 USING btree (endpoint_id, type, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310303_payment_link_id_endpoint_id_ty_idx ON public.webhook_deliveries_w20310303 USING btree (payment_link_id, endpoint_id, type) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX webhook_deliveries_w20310303_practice_id_test_created_at_id_idx ON public.webhook_deliveries_w20310303 USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310310_delivered_at_idx ON public.webhook_deliveries_w20310310 USING btree (delivered_at) WHERE (status = 'delivered'::text);

CREATE INDEX webhook_deliveries_w20310310_endpoint_id_created_at_id_idx ON public.webhook_deliveries_w20310310 USING btree (endpoint_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310310_endpoint_id_rank_due_at_id_idx ON public.webhook_deliveries_w20310310 USING btree (endpoint_id, rank, due_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));

CREATE INDEX webhook_deliveries_w20310310_endpoint_id_status_created_at__idx ON public.webhook_deliveries_w20310310 USING btree (endpoint_id, status, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310310_endpoint_id_type_created_at_id_idx ON public.webhook_deliveries_w20310310 USING btree (endpoint_id, type, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310310_payment_link_id_endpoint_id_ty_idx ON public.webhook_deliveries_w20310310 USING btree (payment_link_id, endpoint_id, type) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX webhook_deliveries_w20310310_practice_id_test_created_at_id_idx ON public.webhook_deliveries_w20310310 USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310317_delivered_at_idx ON public.webhook_deliveries_w20310317 USING btree (delivered_at) WHERE (status = 'delivered'::text);

CREATE INDEX webhook_deliveries_w20310317_endpoint_id_created_at_id_idx ON public.webhook_deliveries_w20310317 USING btree (endpoint_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310317_endpoint_id_rank_due_at_id_idx ON public.webhook_deliveries_w20310317 USING btree (endpoint_id, rank, due_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));

CREATE INDEX webhook_deliveries_w20310317_endpoint_id_status_created_at__idx ON public.webhook_deliveries_w20310317 USING btree (endpoint_id, status, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310317_endpoint_id_type_created_at_id_idx ON public.webhook_deliveries_w20310317 USING btree (endpoint_id, type, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310317_payment_link_id_endpoint_id_ty_idx ON public.webhook_deliveries_w20310317 USING btree (payment_link_id, endpoint_id, type) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX webhook_deliveries_w20310317_practice_id_test_created_at_id_idx ON public.webhook_deliveries_w20310317 USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310324_delivered_at_idx ON public.webhook_deliveries_w20310324 USING btree (delivered_at) WHERE (status = 'delivered'::text);

CREATE INDEX webhook_deliveries_w20310324_endpoint_id_created_at_id_idx ON public.webhook_deliveries_w20310324 USING btree (endpoint_id, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310324_endpoint_id_rank_due_at_id_idx ON public.webhook_deliveries_w20310324 USING btree (endpoint_id, rank, due_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'retrying'::text]));

CREATE INDEX webhook_deliveries_w20310324_endpoint_id_status_created_at__idx ON public.webhook_deliveries_w20310324 USING btree (endpoint_id, status, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310324_endpoint_id_type_created_at_id_idx ON public.webhook_deliveries_w20310324 USING btree (endpoint_id, type, created_at DESC, id DESC);

CREATE INDEX webhook_deliveries_w20310324_payment_link_id_endpoint_id_ty_idx ON public.webhook_deliveries_w20310324 USING btree (payment_link_id, endpoint_id, type) WHERE (payment_link_id IS NOT NULL);

CREATE INDEX webhook_deliveries_w20310324_practice_id_test_created_at_id_idx ON public.webhook_deliveries_w20310324 USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX webhook_endpoints_deleted ON public.webhook_endpoints USING btree (id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX webhook_endpoints_mode ON public.webhook_endpoints USING btree (practice_id, test, created_at DESC, id DESC);

CREATE INDEX sandbox_disputes_payment ON sandbox.disputes USING btree (payment);

CREATE INDEX sandbox_refunds_payment ON sandbox.refunds USING btree (payment);

ALTER INDEX public.webhook_attempts_open ATTACH PARTITION public.webhook_attempts_default_endpoint_id_idx;

ALTER INDEX public.webhook_attempts_pkey ATTACH PARTITION public.webhook_attempts_default_pkey;

ALTER INDEX public.webhook_attempts_open ATTACH PARTITION public.webhook_attempts_open_first;

ALTER INDEX public.webhook_attempts_pkey ATTACH PARTITION public.webhook_attempts_pkey_first;

ALTER INDEX public.webhook_attempts_open ATTACH PARTITION public.webhook_attempts_w20310224_endpoint_id_idx;

ALTER INDEX public.webhook_attempts_pkey ATTACH PARTITION public.webhook_attempts_w20310224_pkey;

ALTER INDEX public.webhook_attempts_open ATTACH PARTITION public.webhook_attempts_w20310303_endpoint_id_idx;

ALTER INDEX public.webhook_attempts_pkey ATTACH PARTITION public.webhook_attempts_w20310303_pkey;

ALTER INDEX public.webhook_attempts_open ATTACH PARTITION public.webhook_attempts_w20310310_endpoint_id_idx;

ALTER INDEX public.webhook_attempts_pkey ATTACH PARTITION public.webhook_attempts_w20310310_pkey;

ALTER INDEX public.webhook_attempts_open ATTACH PARTITION public.webhook_attempts_w20310317_endpoint_id_idx;

ALTER INDEX public.webhook_attempts_pkey ATTACH PARTITION public.webhook_attempts_w20310317_pkey;

ALTER INDEX public.webhook_attempts_open ATTACH PARTITION public.webhook_attempts_w20310324_endpoint_id_idx;

ALTER INDEX public.webhook_attempts_pkey ATTACH PARTITION public.webhook_attempts_w20310324_pkey;

ALTER INDEX public.webhook_deliveries_delivered ATTACH PARTITION public.webhook_deliveries_default_delivered_at_idx;

ALTER INDEX public.webhook_deliveries_endpoint ATTACH PARTITION public.webhook_deliveries_default_endpoint_id_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_due ATTACH PARTITION public.webhook_deliveries_default_endpoint_id_rank_due_at_id_idx;

ALTER INDEX public.webhook_deliveries_status ATTACH PARTITION public.webhook_deliveries_default_endpoint_id_status_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_type ATTACH PARTITION public.webhook_deliveries_default_endpoint_id_type_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_link ATTACH PARTITION public.webhook_deliveries_default_payment_link_id_endpoint_id_type_idx;

ALTER INDEX public.webhook_deliveries_pkey ATTACH PARTITION public.webhook_deliveries_default_pkey;

ALTER INDEX public.webhook_deliveries_newest ATTACH PARTITION public.webhook_deliveries_default_practice_id_test_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_delivered ATTACH PARTITION public.webhook_deliveries_delivered_first;

ALTER INDEX public.webhook_deliveries_due ATTACH PARTITION public.webhook_deliveries_due_first;

ALTER INDEX public.webhook_deliveries_endpoint ATTACH PARTITION public.webhook_deliveries_endpoint_first;

ALTER INDEX public.webhook_deliveries_link ATTACH PARTITION public.webhook_deliveries_link_first;

ALTER INDEX public.webhook_deliveries_newest ATTACH PARTITION public.webhook_deliveries_newest_first;

ALTER INDEX public.webhook_deliveries_pkey ATTACH PARTITION public.webhook_deliveries_pkey_first;

ALTER INDEX public.webhook_deliveries_status ATTACH PARTITION public.webhook_deliveries_status_first;

ALTER INDEX public.webhook_deliveries_type ATTACH PARTITION public.webhook_deliveries_type_first;

ALTER INDEX public.webhook_deliveries_delivered ATTACH PARTITION public.webhook_deliveries_w20310224_delivered_at_idx;

ALTER INDEX public.webhook_deliveries_endpoint ATTACH PARTITION public.webhook_deliveries_w20310224_endpoint_id_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_due ATTACH PARTITION public.webhook_deliveries_w20310224_endpoint_id_rank_due_at_id_idx;

ALTER INDEX public.webhook_deliveries_status ATTACH PARTITION public.webhook_deliveries_w20310224_endpoint_id_status_created_at__idx;

ALTER INDEX public.webhook_deliveries_type ATTACH PARTITION public.webhook_deliveries_w20310224_endpoint_id_type_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_link ATTACH PARTITION public.webhook_deliveries_w20310224_payment_link_id_endpoint_id_ty_idx;

ALTER INDEX public.webhook_deliveries_pkey ATTACH PARTITION public.webhook_deliveries_w20310224_pkey;

ALTER INDEX public.webhook_deliveries_newest ATTACH PARTITION public.webhook_deliveries_w20310224_practice_id_test_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_delivered ATTACH PARTITION public.webhook_deliveries_w20310303_delivered_at_idx;

ALTER INDEX public.webhook_deliveries_endpoint ATTACH PARTITION public.webhook_deliveries_w20310303_endpoint_id_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_due ATTACH PARTITION public.webhook_deliveries_w20310303_endpoint_id_rank_due_at_id_idx;

ALTER INDEX public.webhook_deliveries_status ATTACH PARTITION public.webhook_deliveries_w20310303_endpoint_id_status_created_at__idx;

ALTER INDEX public.webhook_deliveries_type ATTACH PARTITION public.webhook_deliveries_w20310303_endpoint_id_type_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_link ATTACH PARTITION public.webhook_deliveries_w20310303_payment_link_id_endpoint_id_ty_idx;

ALTER INDEX public.webhook_deliveries_pkey ATTACH PARTITION public.webhook_deliveries_w20310303_pkey;

ALTER INDEX public.webhook_deliveries_newest ATTACH PARTITION public.webhook_deliveries_w20310303_practice_id_test_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_delivered ATTACH PARTITION public.webhook_deliveries_w20310310_delivered_at_idx;

ALTER INDEX public.webhook_deliveries_endpoint ATTACH PARTITION public.webhook_deliveries_w20310310_endpoint_id_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_due ATTACH PARTITION public.webhook_deliveries_w20310310_endpoint_id_rank_due_at_id_idx;

ALTER INDEX public.webhook_deliveries_status ATTACH PARTITION public.webhook_deliveries_w20310310_endpoint_id_status_created_at__idx;

ALTER INDEX public.webhook_deliveries_type ATTACH PARTITION public.webhook_deliveries_w20310310_endpoint_id_type_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_link ATTACH PARTITION public.webhook_deliveries_w20310310_payment_link_id_endpoint_id_ty_idx;

ALTER INDEX public.webhook_deliveries_pkey ATTACH PARTITION public.webhook_deliveries_w20310310_pkey;

ALTER INDEX public.webhook_deliveries_newest ATTACH PARTITION public.webhook_deliveries_w20310310_practice_id_test_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_delivered ATTACH PARTITION public.webhook_deliveries_w20310317_delivered_at_idx;

ALTER INDEX public.webhook_deliveries_endpoint ATTACH PARTITION public.webhook_deliveries_w20310317_endpoint_id_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_due ATTACH PARTITION public.webhook_deliveries_w20310317_endpoint_id_rank_due_at_id_idx;

ALTER INDEX public.webhook_deliveries_status ATTACH PARTITION public.webhook_deliveries_w20310317_endpoint_id_status_created_at__idx;

ALTER INDEX public.webhook_deliveries_type ATTACH PARTITION public.webhook_deliveries_w20310317_endpoint_id_type_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_link ATTACH PARTITION public.webhook_deliveries_w20310317_payment_link_id_endpoint_id_ty_idx;

ALTER INDEX public.webhook_deliveries_pkey ATTACH PARTITION public.webhook_deliveries_w20310317_pkey;

ALTER INDEX public.webhook_deliveries_newest ATTACH PARTITION public.webhook_deliveries_w20310317_practice_id_test_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_delivered ATTACH PARTITION public.webhook_deliveries_w20310324_delivered_at_idx;

ALTER INDEX public.webhook_deliveries_endpoint ATTACH PARTITION public.webhook_deliveries_w20310324_endpoint_id_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_due ATTACH PARTITION public.webhook_deliveries_w20310324_endpoint_id_rank_due_at_id_idx;

ALTER INDEX public.webhook_deliveries_status ATTACH PARTITION public.webhook_deliveries_w20310324_endpoint_id_status_created_at__idx;

ALTER INDEX public.webhook_deliveries_type ATTACH PARTITION public.webhook_deliveries_w20310324_endpoint_id_type_created_at_id_idx;

ALTER INDEX public.webhook_deliveries_link ATTACH PARTITION public.webhook_deliveries_w20310324_payment_link_id_endpoint_id_ty_idx;

ALTER INDEX public.webhook_deliveries_pkey ATTACH PARTITION public.webhook_deliveries_w20310324_pkey;

ALTER INDEX public.webhook_deliveries_newest ATTACH PARTITION public.webhook_deliveries_w20310324_practice_id_test_created_at_id_idx;

CREATE STATISTICS archive.disputes_practice_id_payment_link_id_transaction_id_stat (dependencies) ON practice_id, payment_link_id, transaction_id FROM archive.disputes;

CREATE STATISTICS archive.payment_attempts_practice_id_payment_link_id_stat (dependencies) ON practice_id, payment_link_id FROM archive.payment_attempts;

CREATE STATISTICS archive.payment_links_practice_id_external_reference_stat (dependencies) ON practice_id, external_reference FROM archive.payment_links;

CREATE STATISTICS archive.payment_links_practice_id_location_id_test_stat (ndistinct, dependencies) ON practice_id, location_id, test FROM archive.payment_links;

CREATE STATISTICS archive.payment_links_practice_id_test_status_stat (mcv) ON practice_id, test, status FROM archive.payment_links;

CREATE STATISTICS archive.refunds_practice_id_payment_link_id_transaction_id_stat (dependencies) ON practice_id, payment_link_id, transaction_id FROM archive.refunds;

CREATE STATISTICS archive.transactions_practice_id_payment_link_id_stat (dependencies) ON practice_id, payment_link_id FROM archive.transactions;

CREATE STATISTICS public.api_keys_owner (dependencies) ON practice_id, test, location_id FROM public.api_keys;

CREATE STATISTICS public.disputes_owner (dependencies) ON practice_id, payment_link_id, transaction_id FROM public.disputes;

CREATE STATISTICS public.payment_attempts_owner (dependencies) ON practice_id, payment_link_id FROM public.payment_attempts;

CREATE STATISTICS public.payment_links_owner (ndistinct, dependencies) ON practice_id, location_id, test FROM public.payment_links;

CREATE STATISTICS public.payment_links_reference (dependencies) ON practice_id, external_reference FROM public.payment_links;

CREATE STATISTICS public.payment_links_state (mcv) ON practice_id, test, status FROM public.payment_links;

CREATE STATISTICS public.refunds_owner (dependencies) ON practice_id, payment_link_id, transaction_id FROM public.refunds;

CREATE STATISTICS public.transactions_owner (dependencies) ON practice_id, payment_link_id FROM public.transactions;

CREATE STATISTICS public.webhook_attempts_owner (dependencies) ON delivery_id, endpoint_id FROM public.webhook_attempts;

CREATE STATISTICS public.webhook_attempts_owner_first (dependencies) ON delivery_id, endpoint_id FROM public.webhook_attempts_first;

CREATE STATISTICS public.webhook_attempts_w20310224_delivery_id_endpoint_id_stat (dependencies) ON delivery_id, endpoint_id FROM public.webhook_attempts_w20310224;

CREATE STATISTICS public.webhook_attempts_w20310303_delivery_id_endpoint_id_stat (dependencies) ON delivery_id, endpoint_id FROM public.webhook_attempts_w20310303;

CREATE STATISTICS public.webhook_attempts_w20310310_delivery_id_endpoint_id_stat (dependencies) ON delivery_id, endpoint_id FROM public.webhook_attempts_w20310310;

CREATE STATISTICS public.webhook_attempts_w20310317_delivery_id_endpoint_id_stat (dependencies) ON delivery_id, endpoint_id FROM public.webhook_attempts_w20310317;

CREATE STATISTICS public.webhook_attempts_w20310324_delivery_id_endpoint_id_stat (dependencies) ON delivery_id, endpoint_id FROM public.webhook_attempts_w20310324;

CREATE STATISTICS public.webhook_deliveries_owner (ndistinct, dependencies) ON practice_id, endpoint_id, test FROM public.webhook_deliveries;

CREATE STATISTICS public.webhook_deliveries_owner_first (ndistinct, dependencies) ON practice_id, endpoint_id, test FROM public.webhook_deliveries_first;

CREATE STATISTICS public.webhook_deliveries_state (mcv) ON endpoint_id, type, status FROM public.webhook_deliveries;

CREATE STATISTICS public.webhook_deliveries_state_first (mcv) ON endpoint_id, type, status FROM public.webhook_deliveries_first;

CREATE STATISTICS public.webhook_deliveries_w20310224_endpoint_id_type_status_stat (mcv) ON endpoint_id, type, status FROM public.webhook_deliveries_w20310224;

CREATE STATISTICS public.webhook_deliveries_w20310224_practice_id_endpoint_id_test_stat (ndistinct, dependencies) ON practice_id, endpoint_id, test FROM public.webhook_deliveries_w20310224;

CREATE STATISTICS public.webhook_deliveries_w20310303_endpoint_id_type_status_stat (mcv) ON endpoint_id, type, status FROM public.webhook_deliveries_w20310303;

CREATE STATISTICS public.webhook_deliveries_w20310303_practice_id_endpoint_id_test_stat (ndistinct, dependencies) ON practice_id, endpoint_id, test FROM public.webhook_deliveries_w20310303;

CREATE STATISTICS public.webhook_deliveries_w20310310_endpoint_id_type_status_stat (mcv) ON endpoint_id, type, status FROM public.webhook_deliveries_w20310310;

CREATE STATISTICS public.webhook_deliveries_w20310310_practice_id_endpoint_id_test_stat (ndistinct, dependencies) ON practice_id, endpoint_id, test FROM public.webhook_deliveries_w20310310;

CREATE STATISTICS public.webhook_deliveries_w20310317_endpoint_id_type_status_stat (mcv) ON endpoint_id, type, status FROM public.webhook_deliveries_w20310317;

CREATE STATISTICS public.webhook_deliveries_w20310317_practice_id_endpoint_id_test_stat (ndistinct, dependencies) ON practice_id, endpoint_id, test FROM public.webhook_deliveries_w20310317;

CREATE STATISTICS public.webhook_deliveries_w20310324_endpoint_id_type_status_stat (mcv) ON endpoint_id, type, status FROM public.webhook_deliveries_w20310324;

CREATE STATISTICS public.webhook_deliveries_w20310324_practice_id_endpoint_id_test_stat (ndistinct, dependencies) ON practice_id, endpoint_id, test FROM public.webhook_deliveries_w20310324;

CREATE STATISTICS public.webhook_endpoints_owner (dependencies) ON practice_id, test, location_id FROM public.webhook_endpoints;

CREATE TRIGGER payment_links_count_changed AFTER UPDATE OF status ON archive.payment_links FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.append_link_status();

CREATE TRIGGER payment_links_count_deleted AFTER DELETE ON archive.payment_links FOR EACH ROW EXECUTE FUNCTION public.append_former_link();

CREATE TRIGGER payment_links_count_moved AFTER UPDATE OF id, practice_id, test, created_at, location_id, external_reference ON archive.payment_links FOR EACH ROW EXECUTE FUNCTION public.append_former_link();

CREATE TRIGGER payment_links_count_new AFTER INSERT ON archive.payment_links FOR EACH ROW WHEN ((current_setting('paylinks.archives_links'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION public.append_new_link();

CREATE TRIGGER payment_links_count_paid AFTER UPDATE OF paid_at ON archive.payment_links FOR EACH ROW WHEN ((old.paid_at IS DISTINCT FROM new.paid_at)) EXECUTE FUNCTION public.append_payment();

CREATE TRIGGER transactions_total_changed AFTER UPDATE OF practice_id, payment_link_id, payment_method_type, status, amount_cents, fee_cents ON archive.transactions FOR EACH ROW EXECUTE FUNCTION public.append_payment_total();

CREATE TRIGGER transactions_total_deleted AFTER DELETE ON archive.transactions FOR EACH ROW EXECUTE FUNCTION public.append_payment_total();

CREATE TRIGGER transactions_total_new AFTER INSERT ON archive.transactions FOR EACH ROW WHEN ((current_setting('paylinks.archives_links'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION public.append_payment_total();

CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();

CREATE TRIGGER audit_log_unchanged BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.refuse_audit_change();

CREATE TRIGGER bank_reversals_payment BEFORE INSERT ON public.bank_reversals FOR EACH ROW WHEN ((new.test IS NULL)) EXECUTE FUNCTION public.copy_payment();

CREATE TRIGGER daily_link_counts_practice BEFORE INSERT ON public.daily_link_counts FOR EACH ROW WHEN ((new.practice_id IS NULL)) EXECUTE FUNCTION public.fill_practice_of_key();

CREATE TRIGGER disputes_payment BEFORE INSERT ON public.disputes FOR EACH ROW WHEN ((new.test IS NULL)) EXECUTE FUNCTION public.copy_payment();

CREATE TRIGGER idempotent_replies_practice BEFORE INSERT ON public.idempotent_replies FOR EACH ROW WHEN ((new.practice_id IS NULL)) EXECUTE FUNCTION public.fill_practice_of_key();

CREATE TRIGGER payment_links_count_changed AFTER UPDATE OF status ON public.payment_links FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.append_link_status();

CREATE TRIGGER payment_links_count_deleted AFTER DELETE ON public.payment_links FOR EACH ROW WHEN ((current_setting('paylinks.archives_links'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION public.append_former_link();

CREATE TRIGGER payment_links_count_moved AFTER UPDATE OF id, practice_id, test, created_at, location_id, external_reference ON public.payment_links FOR EACH ROW EXECUTE FUNCTION public.append_former_link();

CREATE TRIGGER payment_links_count_new AFTER INSERT ON public.payment_links FOR EACH ROW EXECUTE FUNCTION public.append_new_link();

CREATE TRIGGER payment_links_count_paid AFTER UPDATE OF paid_at ON public.payment_links FOR EACH ROW WHEN ((old.paid_at IS DISTINCT FROM new.paid_at)) EXECUTE FUNCTION public.append_payment();

CREATE TRIGGER refunds_payment BEFORE INSERT ON public.refunds FOR EACH ROW WHEN ((new.test IS NULL)) EXECUTE FUNCTION public.copy_payment();

CREATE TRIGGER sealed_replies_practice BEFORE INSERT ON public.sealed_replies FOR EACH ROW WHEN ((new.practice_id IS NULL)) EXECUTE FUNCTION public.fill_practice_of_key();

CREATE TRIGGER transactions_total_changed AFTER UPDATE OF practice_id, payment_link_id, payment_method_type, status, amount_cents, fee_cents ON public.transactions FOR EACH ROW EXECUTE FUNCTION public.append_payment_total();

CREATE TRIGGER transactions_total_deleted AFTER DELETE ON public.transactions FOR EACH ROW WHEN ((current_setting('paylinks.archives_links'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION public.append_payment_total();

CREATE TRIGGER transactions_total_new AFTER INSERT ON public.transactions FOR EACH ROW EXECUTE FUNCTION public.append_payment_total();

CREATE TRIGGER webhook_attempts_practice BEFORE INSERT ON public.webhook_attempts FOR EACH ROW WHEN ((new.practice_id IS NULL)) EXECUTE FUNCTION public.fill_practice_of_delivery();

CREATE TRIGGER webhook_deliveries_count_changed AFTER UPDATE OF status ON public.webhook_deliveries FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.append_delivery_status();

CREATE TRIGGER webhook_deliveries_count_deleted AFTER DELETE ON public.webhook_deliveries FOR EACH ROW EXECUTE FUNCTION public.append_former_delivery();

CREATE TRIGGER webhook_deliveries_count_moved AFTER UPDATE OF id, practice_id, test, created_at, endpoint_id, type ON public.webhook_deliveries FOR EACH ROW EXECUTE FUNCTION public.append_former_delivery();

CREATE TRIGGER webhook_deliveries_count_new AFTER INSERT ON public.webhook_deliveries FOR EACH ROW EXECUTE FUNCTION public.append_new_delivery();

ALTER TABLE ONLY archive.bank_reversals
    ADD CONSTRAINT bank_reversals_practice_id_payment_link_id_transaction_id_fkey FOREIGN KEY (practice_id, payment_link_id, transaction_id) REFERENCES archive.transactions(practice_id, payment_link_id, id);

ALTER TABLE ONLY archive.disputes
    ADD CONSTRAINT disputes_practice_id_payment_link_id_transaction_id_fkey FOREIGN KEY (practice_id, payment_link_id, transaction_id) REFERENCES archive.transactions(practice_id, payment_link_id, id);

ALTER TABLE ONLY archive.payment_admin_mails
    ADD CONSTRAINT payment_admin_mails_practice_id_payment_link_id_fkey FOREIGN KEY (practice_id, payment_link_id) REFERENCES archive.payment_links(practice_id, id);

ALTER TABLE ONLY archive.payment_attempts
    ADD CONSTRAINT payment_attempts_practice_id_payment_link_id_fkey FOREIGN KEY (practice_id, payment_link_id) REFERENCES archive.payment_links(practice_id, id);

ALTER TABLE ONLY archive.payment_links
    ADD CONSTRAINT payment_links_practice_id_location_id_fkey FOREIGN KEY (practice_id, location_id) REFERENCES public.locations(practice_id, id);

ALTER TABLE ONLY archive.payment_links
    ADD CONSTRAINT payment_links_practice_id_patient_id_fkey FOREIGN KEY (practice_id, patient_id) REFERENCES public.patients(practice_id, id);

ALTER TABLE ONLY archive.refunds
    ADD CONSTRAINT refunds_practice_id_payment_link_id_bank_reversal_id_fkey FOREIGN KEY (practice_id, payment_link_id, bank_reversal_id) REFERENCES archive.bank_reversals(practice_id, payment_link_id, id);

ALTER TABLE ONLY archive.refunds
    ADD CONSTRAINT refunds_practice_id_payment_link_id_transaction_id_fkey FOREIGN KEY (practice_id, payment_link_id, transaction_id) REFERENCES archive.transactions(practice_id, payment_link_id, id);

ALTER TABLE ONLY archive.transactions
    ADD CONSTRAINT transactions_practice_id_payment_link_id_attempt_id_fkey FOREIGN KEY (practice_id, payment_link_id, attempt_id) REFERENCES archive.payment_attempts(practice_id, payment_link_id, id);

ALTER TABLE ONLY archive.transactions
    ADD CONSTRAINT transactions_practice_id_payment_link_id_fkey FOREIGN KEY (practice_id, payment_link_id) REFERENCES archive.payment_links(practice_id, id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_practice_id_location_id_fkey FOREIGN KEY (practice_id, location_id) REFERENCES public.locations(practice_id, id);

ALTER TABLE ONLY public.bank_reversals
    ADD CONSTRAINT bank_reversals_practice_id_payment_link_id_transaction_id_fkey FOREIGN KEY (practice_id, payment_link_id, transaction_id) REFERENCES public.transactions(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.console_devices
    ADD CONSTRAINT console_devices_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(id);

ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(id);

ALTER TABLE ONLY public.daily_link_counts
    ADD CONSTRAINT daily_link_counts_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.disputes
    ADD CONSTRAINT disputes_practice_id_payment_link_id_transaction_id_fkey FOREIGN KEY (practice_id, payment_link_id, transaction_id) REFERENCES public.transactions(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.idempotent_replies
    ADD CONSTRAINT idempotent_replies_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.locations
    ADD CONSTRAINT locations_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.membership_locations
    ADD CONSTRAINT membership_locations_practice_id_location_id_fkey FOREIGN KEY (practice_id, location_id) REFERENCES public.locations(practice_id, id);

ALTER TABLE ONLY public.membership_locations
    ADD CONSTRAINT membership_locations_practice_id_membership_id_fkey FOREIGN KEY (practice_id, membership_id) REFERENCES public.memberships(practice_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.notification_recipients
    ADD CONSTRAINT notification_recipients_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(id);

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(id);

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

ALTER TABLE ONLY public.practice_logos
    ADD CONSTRAINT practice_logos_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.practices
    ADD CONSTRAINT practices_logo FOREIGN KEY (id, logo_hash) REFERENCES public.practice_logos(practice_id, hash);

ALTER TABLE ONLY public.receipt_requests
    ADD CONSTRAINT receipt_requests_practice_id_payment_link_id_fkey FOREIGN KEY (practice_id, payment_link_id) REFERENCES public.payment_links(practice_id, id);

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_practice_id_payment_link_id_bank_reversal_id_fkey FOREIGN KEY (practice_id, payment_link_id, bank_reversal_id) REFERENCES public.bank_reversals(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.refunds
    ADD CONSTRAINT refunds_practice_id_payment_link_id_transaction_id_fkey FOREIGN KEY (practice_id, payment_link_id, transaction_id) REFERENCES public.transactions(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.sealed_replies
    ADD CONSTRAINT sealed_replies_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id);

ALTER TABLE ONLY public.sent_forms
    ADD CONSTRAINT sent_forms_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.sign_in_tokens
    ADD CONSTRAINT sign_in_tokens_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.people(id);

ALTER TABLE ONLY public.test_event_readers
    ADD CONSTRAINT test_event_readers_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.test_events
    ADD CONSTRAINT test_events_practice_id_fkey FOREIGN KEY (practice_id) REFERENCES public.practices(id);

ALTER TABLE ONLY public.test_events
    ADD CONSTRAINT test_events_practice_id_location_id_fkey FOREIGN KEY (practice_id, location_id) REFERENCES public.locations(practice_id, id);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_practice_id_payment_link_id_attempt_id_fkey FOREIGN KEY (practice_id, payment_link_id, attempt_id) REFERENCES public.payment_attempts(practice_id, payment_link_id, id);

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_practice_id_payment_link_id_fkey FOREIGN KEY (practice_id, payment_link_id) REFERENCES public.payment_links(practice_id, id);

ALTER TABLE ONLY public.webhook_attempts_default
    ADD CONSTRAINT webhook_attempts_default_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries_default(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_attempts_first
    ADD CONSTRAINT webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries_first(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_attempts_w20310224
    ADD CONSTRAINT webhook_attempts_w20310224_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries_w20310224(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_attempts_w20310303
    ADD CONSTRAINT webhook_attempts_w20310303_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries_w20310303(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_attempts_w20310310
    ADD CONSTRAINT webhook_attempts_w20310310_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries_w20310310(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_attempts_w20310317
    ADD CONSTRAINT webhook_attempts_w20310317_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries_w20310317(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_attempts_w20310324
    ADD CONSTRAINT webhook_attempts_w20310324_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries_w20310324(id) ON DELETE CASCADE;

ALTER TABLE public.webhook_deliveries
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

