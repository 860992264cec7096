-- The schema of version 1.0.0: tables, constraints, indexes and statistics, grouped by room.
-- SQL functions lie in ../functions/, one per file; triggers in ../triggers.sql.
--
-- Every row of a tenant carries its practice, and composite foreign keys keep rows of two practices apart.
-- Times of the API have millisecond precision, as the Dates that go in and out. Leases and rate windows read the clock of
-- the database and have its precision.

----------------------------------------------------------------------------------------------------
-- database: what `migrate` has deployed. The ORM keeps the applied files of this folder in schema_migrations.
----------------------------------------------------------------------------------------------------

-- The files of SQL functions and triggers that are deployed. One row per file: a newer release replaces it, an older
-- release leaves it alone.
create table schema_functions (
  -- Path below src/database/, without the extension.
  name text primary key,
  -- SHA-256 of the file, in hexadecimal.
  hash text not null,
  -- Version of the release that deployed it: {1, 0, 0}. PostgreSQL compares arrays number by number.
  release integer[] not null
);

----------------------------------------------------------------------------------------------------
-- practices
----------------------------------------------------------------------------------------------------

-- The tenants. The unique account keeps two practices from sharing one account at the processor.
create table practices (
  id text primary key,
  name text not null,
  admin_email text not null,
  -- Number that patients call, in E.164; a location's own takes precedence.
  phone text,
  payments_enabled boolean not null,
  api_access_enabled boolean not null,
  -- The practice's account at the processor; null before onboarding begins, and always null with the sandbox.
  processor_account_id text unique,
  -- The processor reports whether the account accepts bank debits.
  bank_debits_enabled boolean not null,
  created_at timestamptz(3) not null
);

-- Places of a practice. The unique pair is the target of foreign keys, so no row names a location of another practice.
create table locations (
  id text primary key,
  practice_id text not null references practices (id),
  name text not null,
  city text not null,
  state text not null,
  phone text,
  time_zone text not null,
  active boolean not null,
  created_at timestamptz(3) not null,
  unique (practice_id, id)
);

----------------------------------------------------------------------------------------------------
-- keys: API keys, and replies stored under idempotency keys
----------------------------------------------------------------------------------------------------

-- Credentials of clients. A live key is stored as a hash only, and a pinned key names a location of its own practice.
create table api_keys (
  id text primary key,
  practice_id text not null references practices (id),
  test boolean not null,
  -- SHA-256 of the key. Keys carry 190 random bits, so a slow hash would add no protection.
  hash bytea not null unique,
  -- Test keys only: they can be shown again.
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

-- Replies to created links, for 24 hours. The primary key lets an idempotency key create one link.
create table idempotent_replies (
  api_key_id text not null references api_keys (id),
  idempotency_key text not null,
  -- SHA-256 of the body's canonical JSON.
  body_hash bytea not null,
  -- The exact bytes of the 201.
  reply text not null,
  created_at timestamptz(3) not null,
  primary key (api_key_id, idempotency_key)
);
create index idempotent_replies_age on idempotent_replies (created_at);

-- Replies that contain a webhook secret, for 24 hours, encrypted under the first key of SECRETS_KEY. The primary key lets
-- an idempotency key run once per API key and operation.
create table sealed_replies (
  api_key_id text not null references api_keys (id),
  operation text not null,
  idempotency_key text not null,
  -- SHA-256 of the resource's id and the body, as canonical JSON.
  request_hash bytea not null,
  reply_ciphertext text not null,
  created_at timestamptz(3) not null,
  primary key (api_key_id, operation, idempotency_key)
);
create index sealed_replies_age on sealed_replies (created_at);

-- Links that a key created per UTC day, for the daily cap. create_link counts, inserts and stores in one transaction.
create table daily_link_counts (
  api_key_id text not null references api_keys (id),
  day date not null,
  created_count integer not null,
  primary key (api_key_id, day)
) with (fillfactor = 60);

----------------------------------------------------------------------------------------------------
-- limits: sliding windows of 60 seconds
----------------------------------------------------------------------------------------------------

-- Rate windows, each a ring of as many slots as its limit. The row is the lock of its slots. Both tables are unlogged: they
-- matter for a minute, and a crash of the database may empty them.
create unlogged table rate_windows (
  -- The key or address with its limit: another limit is another window.
  subject text primary key,
  -- Requests ever admitted; the next one goes to slot admitted % limit.
  admitted bigint not null,
  -- Number of the first admission that may still lie inside the window, and its time.
  oldest bigint not null,
  newest_at timestamptz not null,
  oldest_at timestamptz not null default '-infinity'
) with (fillfactor = 60);

-- Times of the admissions of a window. The primary key gives each slot one time.
create unlogged table rate_slots (
  subject text not null,
  slot integer not null,
  admitted_at timestamptz not null,
  primary key (subject, slot)
) with (fillfactor = 60);

-- The answer of admit_requests for one request.
create type admission as (
  verdict text, api_key_id text, practice_id text, test boolean, scopes text[], location_id text, key_limit integer,
  remaining integer, reset_seconds integer
);

----------------------------------------------------------------------------------------------------
-- payment-links: patients, links, payments
----------------------------------------------------------------------------------------------------

-- Patient records of a practice. The unique pair keeps a link from naming a patient of another practice.
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

-- Payment links. The checks keep status, paid_at and closed_at in agreement, and patient records out of test mode.
create table payment_links (
  id text primary key,
  practice_id text not null references practices (id),
  location_id text not null,
  test boolean not null,
  -- The secret part of the hosted page's address.
  token text not null unique,
  status text not null check (status in ('active', 'paid', 'expired', 'cancelled')),
  source text not null check (source in ('api', 'staff', 'website')),
  amount_cents integer not null check (amount_cents between 1 and 99999999),
  currency text not null check (currency = 'usd'),
  description text not null,
  external_reference text,
  -- json, not jsonb: the caller gets the keys back in the order that it sent.
  metadata json,
  -- The patient record that was matched or created. The other columns of the patient are the caller's words.
  patient_id text,
  patient_first_name text not null,
  patient_last_name text not null,
  patient_phone text,
  patient_email text,
  patient_external_id text,
  expires_at timestamptz(3) not null,
  -- The open payment attempt. While there is one, the link neither expires nor starts another.
  open_attempt_id text,
  paid_at timestamptz(3),
  -- The time at which the link stopped being active, and who closed it; null for the patient.
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
-- Orders of the list of links; each index begins with the columns that a filter compares.
create index payment_links_newest on payment_links (practice_id, test, created_at desc, id desc);
create index payment_links_status on payment_links (practice_id, test, status, created_at desc, id desc);
create index payment_links_location on payment_links
  (practice_id, location_id, test, status, created_at desc, id desc);
create index payment_links_external_reference on payment_links
  (practice_id, test, external_reference, status, created_at desc, id desc) where external_reference is not null;
create index payment_links_paid on payment_links (practice_id, test, paid_at, id) where paid_at is not null;
-- Replay walks this index, up to a million links, without reading the links themselves.
create index payment_links_closed on payment_links (practice_id, test, closed_at, id) include (status, location_id)
  where closed_at is not null;
-- Links that a job expires.
create index payment_links_due on payment_links (expires_at) where status = 'active';
-- Overdue links count as expired before the job has closed them.
create index payment_links_overdue on payment_links (practice_id, test, expires_at) where status = 'active';

-- Payments that patients submitted. A row exists before the processor is asked, and is open until the outcome is known. The
-- unique index payment_attempts_one_open allows a link one open attempt.
create table payment_attempts (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  status text not null check (status in ('open', 'requires_action', 'accepted', 'failed', 'cancelled')),
  processor text not null,
  processor_account_id text not null,
  -- The processor's id of the payment; null until it has answered.
  processor_reference text,
  method_type text not null check (method_type in ('card', 'us_bank_account')),
  amount_cents integer not null check (amount_cents > 0),
  currency text not null,
  -- Machine-readable; set when the processor declines.
  failure_reason text check ((failure_reason is not null) = (status = 'failed')),
  -- The record of the authorisation: language of the page, the patient's address, SHA-256 and text of the debit's
  -- authorisation (null for cards). After two years, address, language and text are null.
  locale text,
  address text,
  authorisation_hash bytea,
  authorisation_text text,
  created_at timestamptz(3) not null,
  closed_at timestamptz(3),
  -- The time of the sweep's next question about the outcome. A closed attempt with a time is abandoned: the outcome is
  -- unknown.
  reconcile_at timestamptz(3),
  -- End of the submission lease, by the database's clock: until then the process that submits the payment counts as alive. The process extends it
  -- while it works, and clears it at the end.
  submitting_until timestamptz(3),
  unique (processor, processor_reference),
  unique (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id),
  check ((closed_at is null) = (status in ('open', 'requires_action'))),
  check (closed_at is not null or reconcile_at is not null)
);
create unique index payment_attempts_one_open on payment_attempts (payment_link_id)
  where status in ('open', 'requires_action');
create index payment_attempts_link on payment_attempts (payment_link_id, created_at desc, id desc);
create index payment_attempts_reconcile on payment_attempts (reconcile_at) where reconcile_at is not null;
-- Finds the records of authorisation that are left to delete.
create index payment_attempts_evidence on payment_attempts (created_at) where address is not null;

-- An open attempt belongs to its own link.
alter table payment_links
  add foreign key (practice_id, id, open_attempt_id) references payment_attempts (practice_id, payment_link_id, id);

-- Payments behind paid links. The unique index transactions_one_payment allows a link one payment that did not fail.
create table transactions (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  -- Null for simulated payments, which have no processor.
  attempt_id text unique,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'refunded')),
  amount_cents integer not null,
  -- Null until the processor reports its fee.
  fee_cents integer,
  net_cents integer,
  payment_method_type text not null,
  payment_method_brand text,
  payment_method_last4 text,
  -- The number that patients read out on the telephone: nine digits, the first not zero, and no letters to mistake them for.
  -- Not unique: two payments of one number differ by practice, day and amount.
  payment_number text default (100000000 + floor(random() * 900000000))::integer::text,
  -- Name of the payment on the patient's statement; null until the processor reports it.
  statement_descriptor text,
  failure_reason text check ((failure_reason is not null) = (status = 'failed')),
  processed_at timestamptz(3),
  created_at timestamptz(3) not null,
  -- The time of the sweep's next question to the processor: while a debit is pending, a fee is unknown, or refunds may come.
  reconcile_at timestamptz(3),
  unique (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id),
  foreign key (practice_id, payment_link_id, attempt_id)
    references payment_attempts (practice_id, payment_link_id, id)
);
create unique index transactions_one_payment on transactions (payment_link_id) where status <> 'failed';
create index transactions_link on transactions (payment_link_id, created_at);
-- Bank debits: payments that settled after they were submitted.
create index transactions_settled_later on transactions (practice_id, processed_at) where processed_at > created_at;
create index transactions_reconcile on transactions (reconcile_at) where reconcile_at is not null;
create index transactions_payment_number on transactions (payment_number) where payment_number is not null;

-- Amounts that banks took back of settled debits. Refunds record the part that no other refund has given back. If one of those
-- fails, a further refund records the rest. The unique reference records a reversal once.
create table bank_reversals (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  transaction_id text not null,
  -- The processor's id of the dispute that reported the reversal.
  processor_reference text not null unique,
  amount_cents integer not null check (amount_cents > 0),
  created_at timestamptz(3) not null,
  unique (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id, transaction_id) references transactions (practice_id, payment_link_id, id)
);
create index bank_reversals_transaction on bank_reversals (transaction_id);

-- Refunds of payments. The unique reference records a refund of the processor once.
create table refunds (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  transaction_id text not null,
  -- The reversal that the refund is part of; null for refunds that staff or the processor made.
  bank_reversal_id text,
  -- The processor's id of the refund, or of the dispute by which a bank took a settled debit back.
  processor_reference text unique,
  amount_cents integer not null check (amount_cents > 0),
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  reason text,
  created_at timestamptz(3) not null,
  foreign key (practice_id, payment_link_id, transaction_id) references transactions (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id, bank_reversal_id)
    references bank_reversals (practice_id, payment_link_id, id)
);
create index refunds_link on refunds (payment_link_id, created_at, id);
-- The refundable rest adds up the refunds of a transaction.
create index refunds_transaction on refunds (transaction_id);
create index refunds_bank_reversal on refunds (bank_reversal_id) where bank_reversal_id is not null;

-- Disputes of payments. Banks may open a second dispute of another part of a payment, so the unique reference
-- separates the processor's disputes. Simulated disputes have none; disputes_one_open allows a link one open one.
create table disputes (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  transaction_id text not null,
  processor_reference text unique,
  status text not null check (status in ('open', 'won', 'lost')),
  amount_cents integer not null check (amount_cents > 0),
  reason text not null,
  evidence_due_by timestamptz(3),
  created_at timestamptz(3) not null,
  closed_at timestamptz(3),
  foreign key (practice_id, payment_link_id, transaction_id) references transactions (practice_id, payment_link_id, id)
);
create unique index disputes_one_open on disputes (payment_link_id) where status = 'open' and processor_reference is null;

-- Mails to administrators about payments. The primary key queues each mail once; a job sends it.
create table payment_admin_mails (
  practice_id text not null,
  payment_link_id text not null,
  kind text not null,
  -- Id of the dispute, refund or attempt that the mail is about: ours or the processor's.
  subject_id text not null,
  queued_at timestamptz(3) not null,
  primary key (payment_link_id, kind, subject_id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
);

-- The inbox: notifications of processors. The primary key stores each once. A job only triggers the processing.
create table processor_notifications (
  processor text not null,
  id text not null,
  account_id text,
  -- The object that changed. Its new state is read from the processor.
  subject json not null,
  received_at timestamptz(3) not null,
  tries integer not null default 0,
  -- The time of the next try to process it; null once it is processed or abandoned.
  due_at timestamptz(3),
  primary key (processor, id)
);
create index processor_notifications_due on processor_notifications (due_at) where due_at is not null;
-- Retention deletes only what needs no more processing.
create index processor_notifications_handled on processor_notifications (received_at) where due_at is null;

-- The answer of create_links for one link. The snapshot is that of the practice, if it was compared.
create type written_link as (outcome text, stored_reply text, snapshot text);

----------------------------------------------------------------------------------------------------
-- webhooks
----------------------------------------------------------------------------------------------------

-- Webhook endpoints. The lease allows one worker to deliver to an endpoint; the check erases what a deleted one contained.
create table webhook_endpoints (
  id text primary key,
  practice_id text not null references practices (id),
  test boolean not null,
  location_id text,
  url text not null,
  -- Empty means every type, also future ones.
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

-- Events with their deliveries: the truth about what is due. The checks keep status, due_at and delivered_at in agreement.
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
  -- The time of the next attempt; set while pending and retrying.
  due_at timestamptz(3),
  -- 0 first attempts, 1 retries, 2 replays: the order in which an endpoint's due deliveries are taken.
  rank smallint not null default 0,
  last_attempt_at timestamptz(3),
  delivered_at timestamptz(3),
  last_response_status integer,
  last_error text,
  created_at timestamptz(3) not null,
  -- No cascade: a long history is deleted in batches, never by one statement.
  foreign key (practice_id, endpoint_id) references webhook_endpoints (practice_id, id),
  check ((status = 'delivered') <= (delivered_at is not null)),
  check ((due_at is not null) = (status in ('pending', 'retrying')))
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, rank, due_at, id)
  where status in ('pending', 'retrying');
-- Orders of the lists of deliveries; replay reads the second one, too.
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, created_at desc, id desc);
create index webhook_deliveries_status on webhook_deliveries (endpoint_id, status, created_at desc, id desc);
create index webhook_deliveries_type on webhook_deliveries (endpoint_id, type, created_at desc, id desc);
create index webhook_deliveries_newest on webhook_deliveries (practice_id, test, created_at desc, id desc);
-- Deliveries that retention deletes after 30 days. The primary key, which is in order of time, finds the others after 90.
create index webhook_deliveries_delivered on webhook_deliveries (delivered_at) where status = 'delivered';
-- Replay asks of every link whether an endpoint has a delivery of its event. The index alone answers.
create index webhook_deliveries_link on webhook_deliveries (payment_link_id, endpoint_id, type)
  where payment_link_id is not null;

-- Attempts of deliveries. The primary key gives each number of a delivery one attempt.
create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  number integer not null,
  endpoint_id text not null,
  started_at timestamptz(3) not null,
  -- Null while the attempt is in flight.
  duration_ms integer,
  response_status integer,
  error text,
  -- The lease under which it was sent.
  lease_epoch bigint not null,
  primary key (delivery_id, number)
);
create index webhook_attempts_open on webhook_attempts (endpoint_id) where duration_ms is null;

----------------------------------------------------------------------------------------------------
-- jobs
----------------------------------------------------------------------------------------------------

-- Heartbeats of job runners. Jobs that a runner without a recent heartbeat has locked are unlocked.
create table job_runner_heartbeats (
  runner_id text primary key,
  seen_at timestamptz not null
);

----------------------------------------------------------------------------------------------------
-- pages
----------------------------------------------------------------------------------------------------

-- Scripts, styles and images of the hosted pages, of every release that ran on this database. During a deploy, browsers ask
-- a process of one release for a file of the other.
create table page_assets (
  -- Path below the public address. It contains the hash of the bytes.
  path text primary key,
  type text not null,
  bytes bytea not null,
  recorded_at timestamptz(3) not null default now()
);

----------------------------------------------------------------------------------------------------
-- database/query: exact totals of long lists, and where a far page begins (docs/decisions/0012-kept-counts.md)
--
-- Three lists are counted: 'links' by creation, 'payments' (paid links) by payment, 'deliveries' by creation. A count is the
-- sum of list_counts and list_changes, read in one snapshot, so it is exact at all times.
----------------------------------------------------------------------------------------------------

-- Starts of the chunks of a list. The list of a practice and mode is cut into chunks of some thousand rows. A chunk begins
-- at a position (time, id) and ends before the next one. The oldest begins at ('-infinity', ''), without a row here.
create table list_chunks (
  practice_id text not null,
  test boolean not null,
  list text not null,
  start_at timestamptz not null,
  start_id text not null,
  primary key (practice_id, test, list, start_at, start_id)
);

-- Rows of each chunk by status. A row counts the whole chunk (group_id '' and label ''), a group (location or endpoint), a
-- label (external reference or event type), or both. The primary key keeps one count of each.
create table list_counts (
  practice_id text not null,
  test boolean not null,
  list text not null,
  group_id text not null,
  label text not null,
  start_at timestamptz not null,
  start_id text not null,
  status text not null,
  row_count bigint not null,
  primary key (practice_id, test, list, group_id, label, start_at, start_id, status)
) with (fillfactor = 70);

-- Changes that are not yet part of list_counts. Triggers append them without waiting for anybody; fold_list_changes adds
-- them. No key: two changes of one row are two rows.
create table list_changes (
  practice_id text not null,
  test boolean not null,
  list text not null,
  at timestamptz not null,
  id text not null,
  group_id text not null,
  label text,
  -- Null for a new row.
  status_before text,
  -- Null for a deleted row.
  status_after text
);
create index list_changes_list on list_changes (practice_id, test, list);

-- External references that thousands of links share; counted once is_counted. Rarer ones are counted row by row.
create table frequent_references (
  practice_id text not null,
  test boolean not null,
  reference text not null,
  is_counted boolean not null default false,
  primary key (practice_id, test, reference)
);
create index frequent_references_uncounted on frequent_references (practice_id) where not is_counted;

-- The rows that lists show, by list.
create view listed_rows as
  select 'links' as list, practice_id, test, created_at as at, id, location_id as group_id,
    external_reference as label, status
  from payment_links
  union all
  select 'payments', practice_id, test, paid_at, id, location_id, null, 'paid'
  from payment_links where paid_at is not null
  union all
  select 'deliveries', practice_id, test, created_at, id, endpoint_id, type, status
  from webhook_deliveries;

----------------------------------------------------------------------------------------------------
-- Plan hint DEPENDENT_COLUMNS: statistics on several columns (docs/decisions/0022-query-plans.md). An endpoint or location belongs to one practice and
-- mostly has rows of one mode. Without these the planner multiplies the shares of both and expects almost no rows.
----------------------------------------------------------------------------------------------------

create statistics webhook_deliveries_owner (dependencies, ndistinct)
  on practice_id, test, endpoint_id from webhook_deliveries;
create statistics webhook_deliveries_state (mcv) on endpoint_id, status, type from webhook_deliveries;
create statistics payment_links_owner (dependencies, ndistinct) on practice_id, test, location_id from payment_links;
create statistics payment_links_state (mcv) on practice_id, test, status from payment_links;
create statistics payment_links_reference (dependencies) on practice_id, external_reference from payment_links;
create statistics transactions_owner (dependencies) on practice_id, payment_link_id from transactions;
create statistics payment_attempts_owner (dependencies) on practice_id, payment_link_id from payment_attempts;
create statistics refunds_owner (dependencies) on practice_id, payment_link_id, transaction_id from refunds;
create statistics disputes_owner (dependencies) on practice_id, payment_link_id, transaction_id from disputes;
create statistics webhook_endpoints_owner (dependencies) on practice_id, test, location_id from webhook_endpoints;
create statistics webhook_attempts_owner (dependencies) on delivery_id, endpoint_id from webhook_attempts;
create statistics api_keys_owner (dependencies) on practice_id, test, location_id from api_keys;

----------------------------------------------------------------------------------------------------
-- processors: the sandbox stands for an outside system. Its tables and ours do not refer to each other.
----------------------------------------------------------------------------------------------------

create schema sandbox;

-- The secret that signs the sandbox's notifications: one row.
create table sandbox.secret (secret text primary key);
insert into sandbox.secret values (gen_random_uuid() || '.' || gen_random_uuid());

-- Payments at the sandbox. The unique attempt makes each payment happen once.
create table sandbox.payments (
  reference text primary key,
  account text not null,
  -- The caller's id of the payment.
  attempt text not null unique,
  amount_cents integer not null,
  method_token text not null,
  method_type text not null,
  state text not null check (state in ('created', 'requires_action', 'processing', 'succeeded', 'failed', 'cancelled')),
  failure_reason text,
  -- The time at which a pending debit becomes final: failed if there is a reason, else succeeded.
  final_at timestamptz(3)
);

-- Refunds at the sandbox. The unique refund makes each refund happen once.
create table sandbox.refunds (
  reference text primary key,
  payment text not null references sandbox.payments (reference),
  -- The caller's id of the refund; null if it was made at the sandbox.
  refund text unique,
  amount_cents integer not null,
  state text not null check (state in ('pending', 'succeeded', 'failed')),
  -- The time at which a pending refund becomes final: succeeded if it arrives, else failed.
  final_at timestamptz(3),
  arrives boolean not null default true,
  -- The order in which refunds were made.
  number bigint generated always as identity
);
create index sandbox_refunds_payment on sandbox.refunds (payment);

-- Disputes at the sandbox.
create table sandbox.disputes (
  reference text primary key,
  payment text not null references sandbox.payments (reference),
  amount_cents integer not null,
  reason text not null,
  state text not null check (state in ('open', 'won', 'lost')),
  evidence_due_by timestamptz(3),
  is_bank_reversal boolean not null
);
create index sandbox_disputes_payment on sandbox.disputes (payment);
