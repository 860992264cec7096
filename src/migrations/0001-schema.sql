-- Every row of a tenant carries its practice, and composite foreign keys keep rows of two practices apart.
-- Times have millisecond precision, the precision of the Dates that go in and out.

create table practices (
  id text primary key,
  name text not null,
  admin_email text not null,
  payments_enabled boolean not null,
  api_access_enabled boolean not null,
  created_at timestamptz(3) not null
);

create table locations (
  id text primary key,
  practice_id text not null references practices (id),
  name text not null,
  city text not null,
  state text not null,
  time_zone text not null,
  active boolean not null,
  created_at timestamptz(3) not null,
  unique (practice_id, id)
);

create table api_keys (
  id text primary key,
  practice_id text not null references practices (id),
  test boolean not null,
  -- SHA-256 of the key. Keys carry 190 random bits, so a slow hash would protect nothing.
  hash bytea not null unique,
  -- Test keys only: they can be viewed again.
  ciphertext text check (ciphertext is null or test),
  last_four text not null,
  scopes text[] not null,
  location_id text,
  requests_per_minute integer not null check (requests_per_minute > 0),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null,
  unique (practice_id, id),
  foreign key (practice_id, location_id) references locations (practice_id, id)
);

-- Exact sliding windows of rate limits. Unlogged: they matter for a minute, and a restart of a crashed database takes
-- them away without harm. A window is a ring of as many slots as its limit; its row is the lock.
create unlogged table rate_windows (
  subject text primary key,
  -- Requests ever admitted; the next goes to slot admitted % limit.
  admitted bigint not null,
  -- The first admission that may still lie inside the window.
  oldest bigint not null,
  newest_at timestamptz not null
) with (fillfactor = 60);

create unlogged table rate_slots (
  subject text not null,
  slot integer not null,
  admitted_at timestamptz not null,
  primary key (subject, slot)
) with (fillfactor = 60);

create table patients (
  id text primary key,
  practice_id text not null references practices (id),
  external_id text,
  first_name text not null,
  last_name text not null,
  phone text,
  email text,
  created_at timestamptz(3) not null,
  unique (practice_id, id)
);
create index patients_external_id on patients (practice_id, external_id) where external_id is not null;
create index patients_phone on patients (practice_id, phone) where phone is not null;

create table payment_links (
  id text primary key,
  practice_id text not null references practices (id),
  location_id text not null,
  test boolean not null,
  -- The secret part of the page's address.
  token text not null unique,
  status text not null check (status in ('active', 'paid', 'expired', 'cancelled')),
  source text not null check (source in ('api', 'staff', 'website')),
  amount_cents integer not null check (amount_cents between 1 and 99999999),
  currency text not null check (currency = 'usd'),
  description text not null,
  external_reference text,
  -- json, not jsonb: the caller gets the keys back in the order they were sent.
  metadata json,
  -- The patient's record, where one was matched or made; the details on the link are the caller's words.
  patient_id text,
  patient_first_name text not null,
  patient_last_name text not null,
  patient_phone text,
  patient_email text,
  patient_external_id text,
  expires_at timestamptz(3) not null,
  paid_at timestamptz(3),
  -- When the link stopped being active, and who saw to it; null for the patient.
  closed_at timestamptz(3),
  closed_by text check (closed_by in ('api', 'staff', 'system', 'simulated')),
  created_at timestamptz(3) not null,
  unique (practice_id, id),
  foreign key (practice_id, location_id) references locations (practice_id, id),
  foreign key (practice_id, patient_id) references patients (practice_id, id),
  check (test = false or patient_id is null),
  check ((status = 'paid') = (paid_at is not null)),
  check ((status = 'active') = (closed_at is null))
);
create index payment_links_newest on payment_links (practice_id, test, created_at desc, id desc);
create index payment_links_status on payment_links (practice_id, test, status, created_at desc, id desc);
create index payment_links_location on payment_links (practice_id, location_id, test, created_at desc, id desc);
create index payment_links_external_reference on payment_links (practice_id, test, external_reference)
  where external_reference is not null;
create index payment_links_paid on payment_links (practice_id, test, paid_at) where paid_at is not null;
-- Replay walks it, a million links at times, without looking at the links themselves.
create index payment_links_closed on payment_links (practice_id, test, closed_at, id) include (status, location_id)
  where closed_at is not null;
create index payment_links_due on payment_links (expires_at) where status = 'active';

create table transactions (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'refunded')),
  amount_cents integer not null,
  -- Null until the processor tells its fee.
  fee_cents integer,
  net_cents integer,
  payment_method_type text not null,
  payment_method_brand text,
  payment_method_last4 text,
  failure_reason text check ((failure_reason is not null) = (status = 'failed')),
  processed_at timestamptz(3),
  created_at timestamptz(3) not null,
  unique (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
);
create unique index transactions_one_payment on transactions (payment_link_id) where status <> 'failed';
create index transactions_link on transactions (payment_link_id, created_at);
-- Bank debits: what settled later than it was submitted.
create index transactions_settled_later on transactions (practice_id, processed_at) where processed_at > created_at;

create table refunds (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  transaction_id text not null,
  amount_cents integer not null check (amount_cents > 0),
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  reason text,
  created_at timestamptz(3) not null,
  foreign key (practice_id, payment_link_id, transaction_id) references transactions (practice_id, payment_link_id, id)
);
create index refunds_link on refunds (payment_link_id, created_at, id);

create table disputes (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  transaction_id text not null,
  status text not null check (status in ('open', 'won', 'lost')),
  amount_cents integer not null check (amount_cents > 0),
  reason text not null,
  evidence_due_by timestamptz(3),
  created_at timestamptz(3) not null,
  closed_at timestamptz(3),
  foreign key (practice_id, payment_link_id, transaction_id) references transactions (practice_id, payment_link_id, id)
);
create unique index disputes_one_open on disputes (payment_link_id) where status = 'open';

create table idempotent_replies (
  api_key_id text not null references api_keys (id),
  idempotency_key text not null,
  -- SHA-256 of the body's canonical JSON.
  body_hash bytea not null,
  -- The 201's exact bytes.
  reply text not null,
  created_at timestamptz(3) not null,
  primary key (api_key_id, idempotency_key)
);
create index idempotent_replies_age on idempotent_replies (created_at);

create table daily_link_counts (
  api_key_id text not null references api_keys (id),
  day date not null,
  created_count integer not null,
  primary key (api_key_id, day)
) with (fillfactor = 60);

create table webhook_endpoints (
  id text primary key,
  practice_id text not null references practices (id),
  test boolean not null,
  location_id text,
  url text not null,
  -- Empty means every type, those to come included.
  enabled_events text[] not null,
  description text,
  status text not null check (status in ('enabled', 'disabled')),
  secret_ciphertext text not null,
  previous_secret_ciphertext text,
  previous_secret_until timestamptz(3),
  -- Consecutive events whose automatic delivery run was exhausted.
  consecutive_exhausted integer not null default 0,
  replayed_at timestamptz(3),
  created_at timestamptz(3) not null,
  -- The lease: the right of one worker to deliver to this endpoint. Only the worker with the present epoch may write.
  lease_epoch bigint not null default 0,
  lease_until timestamptz,
  -- Number of wake-ups. A worker releases its lease only if the count is unchanged.
  wake_count bigint not null default 0,
  -- Time of deletion. The API hides the endpoint and its secrets are erased. The row is deleted after its last delivery.
  deleted_at timestamptz(3),
  unique (practice_id, id),
  foreign key (practice_id, location_id) references locations (practice_id, id),
  check (deleted_at is null or (status = 'disabled' and url = '' and secret_ciphertext = ''
    and previous_secret_ciphertext is null))
) with (fillfactor = 60);
create index webhook_endpoints_mode on webhook_endpoints (practice_id, test, created_at desc, id desc);
create index webhook_endpoints_deleted on webhook_endpoints (id) where deleted_at is not null;

create table webhook_deliveries (
  -- The event's id. Each endpoint gets its own event, so event and delivery are one row.
  id text primary key,
  practice_id text not null,
  endpoint_id text not null,
  -- No foreign key: webhooks know nothing of payments. Null for pings.
  payment_link_id text,
  type text not null,
  test boolean not null,
  status text not null check (status in ('pending', 'retrying', 'delivered', 'exhausted', 'skipped')),
  -- The exact bytes of the body. text, because jsonb would reorder them.
  payload text not null,
  -- Reason of the present delivery run: the event itself, a redelivery, or a replay.
  delivery_run text not null check (delivery_run in ('automatic', 'redelivery', 'replay')),
  -- Attempts of the present delivery run, 0 to 8, and of all delivery runs.
  run_attempts integer not null default 0,
  attempt_count integer not null default 0,
  -- When the next attempt is due; set while pending and retrying.
  due_at timestamptz(3),
  -- 0 first attempts, 1 retries, 2 replays: the order in which an endpoint's due deliveries are taken.
  rank smallint not null default 0,
  last_attempt_at timestamptz(3),
  delivered_at timestamptz(3),
  last_response_status integer,
  last_error text,
  created_at timestamptz(3) not null,
  unique (practice_id, id),
  -- No cascade: a long history is deleted in batches, never by one statement.
  foreign key (practice_id, endpoint_id) references webhook_endpoints (practice_id, id),
  check ((status = 'delivered') <= (delivered_at is not null)),
  check ((due_at is not null) = (status in ('pending', 'retrying')))
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, rank, due_at, id)
  where status in ('pending', 'retrying');
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, created_at desc, id desc);
create index webhook_deliveries_newest on webhook_deliveries (practice_id, test, created_at desc, id desc);
-- What retention takes after 30 days. The rest is taken after 90, by the primary key, whose order is that of time.
create index webhook_deliveries_delivered on webhook_deliveries (delivered_at) where status = 'delivered';
-- Answers from the index alone whether an endpoint has a delivery of a link's event: replay asks it of every link.
create index webhook_deliveries_link on webhook_deliveries (payment_link_id, endpoint_id, type)
  where payment_link_id is not null;
-- What replay queues again and what lists are most often narrowed to, few among millions; deliveries that succeed never
-- enter these. Waiting ones are found by webhook_deliveries_due.
create index webhook_deliveries_unsuccessful on webhook_deliveries (endpoint_id, status, created_at, id)
  where status in ('exhausted', 'skipped');
create index webhook_deliveries_unsuccessful_newest on webhook_deliveries
  (practice_id, test, status, created_at desc, id desc) where status in ('exhausted', 'skipped');

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  number integer not null,
  endpoint_id text not null,
  started_at timestamptz(3) not null,
  -- Null while the attempt is under way.
  duration_ms integer,
  response_status integer,
  error text,
  -- The lease under which it was sent.
  lease_epoch bigint not null,
  primary key (delivery_id, number)
);
create index webhook_attempts_open on webhook_attempts (endpoint_id) where duration_ms is null;

-- Takes one place in a sliding window of 60 seconds, or refuses and changes nothing. `p_now` null reads the database's
-- clock, after the lock, so that admissions of all processes stand in one order. The subject names the limit too:
-- another limit is another window.
create function take_rate_slot(
  p_subject text, p_limit integer, p_now timestamptz,
  out granted boolean, out remaining integer, out reset_seconds integer
) language plpgsql as $$
declare
  w rate_windows;
  moment timestamptz;
  leaves_after timestamptz;
begin
  select * into w from rate_windows where subject = p_subject for update;
  if not found then
    insert into rate_windows (subject, admitted, oldest, newest_at) values (p_subject, 0, 0, '-infinity')
      on conflict (subject) do nothing;
    select * into w from rate_windows where subject = p_subject for update;
  end if;
  moment := coalesce(p_now, clock_timestamp());
  if w.newest_at <= moment - interval '60 seconds' or w.newest_at > moment + interval '60 seconds' then
    -- Long ago; or the clock was set back, and what was written before says nothing any more.
    w.oldest := w.admitted;
  else
    -- Small steps back are evened out.
    moment := greatest(moment, w.newest_at);
  end if;
  while w.oldest < w.admitted loop
    select admitted_at into leaves_after from rate_slots
      where subject = p_subject and slot = (w.oldest % p_limit)::integer;
    exit when leaves_after > moment - interval '60 seconds';
    w.oldest := w.oldest + 1;
  end loop;
  granted := w.admitted - w.oldest < p_limit;
  if granted then
    if w.oldest = w.admitted then leaves_after := moment; end if;
    insert into rate_slots (subject, slot, admitted_at) values (p_subject, (w.admitted % p_limit)::integer, moment)
      on conflict (subject, slot) do update set admitted_at = excluded.admitted_at;
    update rate_windows set admitted = w.admitted + 1, oldest = w.oldest, newest_at = moment where subject = p_subject;
    remaining := p_limit - (w.admitted + 1 - w.oldest);
  else
    remaining := 0;
  end if;
  reset_seconds := greatest(1, ceil(extract(epoch from leaves_after + interval '60 seconds' - moment)));
end $$;

-- Admits a request in one round trip: address window, key, API access, key window, in this order. A null hash asks for
-- the address alone. A key that isn't accepted takes a place among the failures of its address; when those are used up,
-- the refusal is failures_limited instead of unknown_key.
create function admit_request(
  p_address text, p_address_limit integer, p_failure_limit integer, p_hash bytea, p_now timestamptz,
  out verdict text, out api_key_id text, out practice_id text, out test boolean, out scopes text[],
  out location_id text, out key_limit integer, out remaining integer, out reset_seconds integer
) language plpgsql as $$
declare
  k record;
  taken record;
begin
  select * into taken from take_rate_slot('address:' || p_address || '/' || p_address_limit, p_address_limit, p_now);
  reset_seconds := taken.reset_seconds;
  if not taken.granted then verdict := 'address_limited'; return; end if;
  if p_hash is null then verdict := 'no_key'; return; end if;
  select a.*, p.api_access_enabled into k
    from api_keys a join practices p on p.id = a.practice_id
    where a.hash = p_hash and a.revoked_at is null
      and (a.expires_at is null or a.expires_at > coalesce(p_now, clock_timestamp()));
  if not found then
    select * into taken from take_rate_slot('failures:' || p_address || '/' || p_failure_limit, p_failure_limit, p_now);
    reset_seconds := taken.reset_seconds;
    verdict := case when taken.granted then 'unknown_key' else 'failures_limited' end;
    return;
  end if;
  api_key_id := k.id; practice_id := k.practice_id; test := k.test; scopes := k.scopes; location_id := k.location_id;
  if not k.api_access_enabled then verdict := 'access_disabled'; return; end if;
  key_limit := k.requests_per_minute;
  select * into taken from take_rate_slot('key:' || k.id || '/' || key_limit, key_limit, p_now);
  remaining := taken.remaining;
  reset_seconds := taken.reset_seconds;
  if not taken.granted then verdict := 'key_limited'; return; end if;
  -- Last used is told to the minute, so that a busy key doesn't cost a durable write per request.
  if k.last_used_at is null or k.last_used_at < coalesce(p_now, clock_timestamp()) - interval '1 minute' then
    update api_keys set last_used_at = coalesce(p_now, clock_timestamp()) where id = k.id;
  end if;
  verdict := 'accepted';
end $$;
