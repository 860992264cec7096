-- The schema of this release, grouped by room. `migrate` makes an empty database with this file. Another one comes to the
-- same schema by the files of `upgrades/` (CONTRIBUTING.md, "Changing the schema"). SQL functions stand beside their callers.
-- Every row of a tenant carries its practice, and composite foreign keys keep rows of two practices apart. Times of the
-- API have millisecond precision. Leases and rate windows read the clock of the database and have its precision.
-- The comment behind an index names its user: the page, job or operation that reads it.

-- database: what `migrate` has deployed ------------------------------------------------------------

create table if not exists schema_migrations (
  id serial primary key,
  name varchar(255) not null,
  executed_at timestamptz(6) not null default current_timestamp(6)
);

-- The files of SQL functions and triggers that are deployed. Rows of files that moved stay under their former names:
-- without them, `migrate` of the older release would deploy its functions again.
create table schema_functions (
  name text primary key,
  hash text not null,
  -- The oldest major version whose processes may run beside it, then the version of the release that deployed it: {2, 3, 0, 0}.
  release integer[] not null
);

-- practices ----------------------------------------------------------------------------------------

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
  bank_debits_enabled boolean not null,
  created_at timestamptz(3) not null,
  postal_address text,
  brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
  logo_hash text,
  logo_width integer,
  logo_height integer,
  wallets_enabled boolean not null default false,
  -- Addition to the name of the account on card statements. These have 22 characters: the name has at most 10, and the processor
  -- puts an asterisk and a space behind it.
  statement_descriptor_suffix text check (
    statement_descriptor_suffix ~ '^[ -~]{1,10}$' and statement_descriptor_suffix ~ '[A-Z]'
    and statement_descriptor_suffix !~ '[<>\\''"*a-z]'
  ),
  -- True: only administrators of the practice make live keys that read payment links.
  reading_keys_for_administrators boolean not null default false,
  mails_description boolean not null default false,
  expired_links_mailed_on date,
  -- Unused since 3.0.0. Processes of 2.0.0 write it.
  slot smallint not null default 0 check (slot between 0 and 1023),
  constraint practices_logo_whole check (num_nulls(logo_hash, logo_width, logo_height) in (0, 3))
);

-- Logos, as this service encoded them. An address names the hash, so the bytes of an address never change.
create table practice_logos (
  practice_id text not null references practices (id),
  -- SHA-256 of the practice's id and the bytes, in hexadecimal. Two practices with the same picture have two hashes.
  hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
  bytes bytea not null check (octet_length(bytes) <= 400000),
  width integer not null check (width between 1 and 480),
  height integer not null check (height between 1 and 160),
  created_at timestamptz(3) not null,
  primary key (practice_id, hash)
);
alter table practices add constraint practices_logo foreign key (id, logo_hash) references practice_logos (practice_id, hash);

-- Mail addresses that get notifications instead of the administrator. A kind without a row goes to the administrator.
create table notification_recipients (
  practice_id text not null references practices (id),
  kind text not null
    check (kind in ('disputes', 'refunds', 'payments', 'webhooks', 'each_payment', 'expired_links')),
  email text not null,
  primary key (practice_id, kind, email)
);

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

-- keys: API keys, and replies stored under idempotency keys ----------------------------------------

create table api_keys (
  id text primary key,
  practice_id text not null references practices (id),
  test boolean not null,
  -- SHA-256 of the key. Keys carry 190 random bits, so a slow hash would add no protection.
  hash bytea not null unique,
  ciphertext text check (ciphertext is null or test),
  last_four text not null,
  scopes text[] not null,
  location_id text,
  requests_per_minute integer not null check (requests_per_minute > 0),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null,
  name text,
  -- The person who made the key in the console; null for keys of the operator. A removed person still knows it.
  created_by text,
  -- Unused since 3.0.0. Processes of 2.0.0 write it.
  carries_slot boolean not null default false,
  unique (practice_id, id),
  foreign key (practice_id, location_id) references locations (practice_id, id)
);

-- The primary key lets an idempotency key create one link within 24 hours.
create table idempotent_replies (
  api_key_id text not null references api_keys (id),
  practice_id text not null,
  idempotency_key text not null,
  body_hash bytea not null,
  reply text not null,
  created_at timestamptz(3) not null,
  primary key (api_key_id, idempotency_key)
);
create index idempotent_replies_age on idempotent_replies (created_at); -- job purge_expired_data

-- Replies that contain a webhook secret, for 24 hours, encrypted under the first key of SECRETS_KEY.
create table sealed_replies (
  api_key_id text not null references api_keys (id),
  practice_id text not null,
  operation text not null,
  idempotency_key text not null,
  request_hash bytea not null,
  reply_ciphertext text not null,
  created_at timestamptz(3) not null,
  primary key (api_key_id, operation, idempotency_key)
);
create index sealed_replies_age on sealed_replies (created_at); -- job purge_expired_data

create table daily_link_counts (
  api_key_id text not null references api_keys (id),
  practice_id text not null,
  day date not null,
  created_count integer not null,
  primary key (api_key_id, day)
) with (fillfactor = 60);

-- One row per logged request, without path, query and body, so that no row names a patient. Practices and keys are not
-- referenced, because the check would wait for their locks.
create table api_requests (
  id text primary key,
  practice_id text not null,
  test boolean not null,
  api_key_id text not null,
  request_id text not null,
  operation text not null,
  status integer not null,
  error_code text,
  duration_ms integer not null,
  created_at timestamptz(3) not null
);
create index api_requests_practice on api_requests (practice_id, test, id); -- console: log of API requests
create index api_requests_refused on api_requests (practice_id, test, id) where status >= 400; -- console: log of API requests

-- limits: sliding windows of 60 seconds ------------------------------------------------------------

-- Rate windows, each a ring of as many slots as its limit. The row is the lock of its slots. A crash of the database may empty both.
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

create unlogged table rate_slots (
  subject text not null,
  slot integer not null,
  admitted_at timestamptz not null,
  primary key (subject, slot)
) with (fillfactor = 60);

create type admission as (
  verdict text, api_key_id text, practice_id text, test boolean, scopes text[], location_id text, key_limit integer,
  remaining integer, reset_seconds integer
);

-- payment-links: patients, links, payments ---------------------------------------------------------

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
create index patients_external_id on patients (practice_id, external_id) where external_id is not null; -- payment of a patient
create index patients_phone on patients (practice_id, phone) where phone is not null; -- payment of a patient

-- Folds text, so that a search finds it in any spelling: lower case, no accents, points of vowels, format characters and
-- apostrophes. Separators become blanks, and dashes become hyphens. Letters with a stroke or without a dot have no mark to remove,
-- and a final sigma is like any other. A database with the locale C knows no lower case of the capitals in the list. Most text is
-- ASCII and takes the short way. An index holds the results, so another rule needs a function and an index of another name.
create function fold_search_text(p_text text) returns text language plpgsql immutable parallel safe as $$
begin
  if octet_length(p_text) = length(p_text) then return translate(lower(p_text), E',\t\n\u000b\f\r''', '      '); end if;
  return translate(lower(regexp_replace(normalize(p_text, nfd),
    '[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0600-\u0605\u0610-\u061a\u061c\u064b-\u065f'
    '\u0670\u06d6-\u06dd\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u070f\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e'
    '\u2060-\u206f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]', '', 'g')),
    E'\u2010\u2011\u2012\u2013\u2014\u2212' || E',\t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007'
      || E'\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000' || 'đĐøØłŁħĦıς'
      || 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩÆŒÞ' || '''‘’ʼ',
    repeat('-', 6) || repeat(' ', 25) || 'ddoollhhiσ'
      || 'абвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґαβγδεζηθικλμνξοπρστυφχψωæœþ');
end $$;

-- Words of a link: those of the patient's names after a colon, its whole reference and chart number after a number sign. A name with
-- a hyphen has its parts, and is one word, too: Smith-Jones is found by Jones, and by SmithJones. Practice and mode begin each word,
-- so that a search reads few words of others: they are the owner. Eight random characters of the practice's id suffice. The three
-- folded texts come as one. A function in SQL would be copied into the index, and prepared anew for each row.
create function search_words(p_owner text, p_folded text) returns tsvector language plpgsql immutable parallel safe as $$
begin
  return array_to_tsvector(array_remove(array_remove(
    string_to_array(p_owner || ':' || replace(
      replace(split_part(p_folded, E'\x1f', 1), '-', ' ') || ' ' || replace(split_part(p_folded, E'\x1f', 1), '-', ''),
      ' ', ' ' || p_owner || ':'), ' ')
    || (p_owner || '#' || replace(replace(split_part(p_folded, E'\x1f', 2), ' ', ''), '-', ''))
    || (p_owner || '#' || replace(replace(split_part(p_folded, E'\x1f', 3), ' ', ''), '-', '')),
    p_owner || ':'), p_owner || '#'));
end $$;

create table payment_links (
  id text primary key,
  practice_id text not null references practices (id),
  location_id text not null,
  test boolean not null,
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
  -- Each change of the link's state raises it, and a write compares it with the version that was read.
  version integer not null default 1,
  unique (practice_id, id),
  foreign key (practice_id, location_id) references locations (practice_id, id),
  foreign key (practice_id, patient_id) references patients (practice_id, id),
  check (test = false or patient_id is null),
  check ((status = 'paid') = (paid_at is not null)),
  check ((status = 'active') = (closed_at is null))
)
-- Room on each page keeps an update of the version alone from writing the indexes. Counts read indexes alone where autovacuum has
-- been. It comes when one row in a hundred is new, or five changed.
with (fillfactor = 80, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.05);
create index payment_links_newest on payment_links (practice_id, test, created_at desc, id desc); -- list of links
create index payment_links_status on payment_links (practice_id, test, status, created_at desc, id desc); -- list of links
create index payment_links_location on payment_links
  (practice_id, location_id, test, status, created_at desc, id desc); -- list of links
create index payment_links_external_reference on payment_links
  (practice_id, test, external_reference, status, created_at desc, id desc) where external_reference is not null; -- list of links
create index payment_links_closed_at on payment_links (practice_id, test, closed_at) where closed_at is not null; -- replay of an endpoint
create index payment_links_due on payment_links (expires_at) where status = 'active'; -- job expire_links
create index payment_links_paid_at on payment_links (practice_id, test, paid_at, id) include (created_at)
  where paid_at is not null; -- list of links
create index payment_links_location_paid_at on payment_links (practice_id, location_id, test, paid_at, id)
  include (created_at) where paid_at is not null; -- list of links
-- The console adds up what patients owe. With amount, location and age, this index answers alone: for 100,000 unpaid links of one
-- practice in 55 ms instead of 105 ms. Lists of links find those that expire soon, too.
create index payment_links_owed on payment_links (practice_id, test, status, expires_at)
  include (id, created_at, amount_cents, location_id) where status in ('active', 'expired'); -- console: owed amounts
create index payment_links_amount_cents on payment_links (practice_id, test, amount_cents, created_at desc); -- console: search
create index payment_links_patient_email on payment_links (practice_id, (lower(patient_email) collate "C"))
  where patient_email is not null; -- console: search
create index payment_links_patient_phone on payment_links (practice_id, patient_phone) where patient_phone is not null; -- console: search
-- The words by which a search finds a link. New entries wait in a list, as a link's words come again with each change of its
-- state. Each search reads that list, so it is short: 128 kB.
create index payment_links_search on payment_links using gin (
  search_words(right(practice_id, 8) || case when test then 't' else 'l' end, fold_search_text(
    patient_first_name || ' ' || patient_last_name || E'\x1f' || coalesce(left(external_reference, 100), '')
    || E'\x1f' || coalesce(left(patient_external_id, 100), '')))
) with (gin_pending_list_limit = 128); -- console: search

-- Payments that patients submitted. A row exists before the processor is asked, and is open until the outcome is known.
create table payment_attempts (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  status text not null check (status in ('open', 'requires_action', 'accepted', 'failed', 'cancelled')),
  processor text not null,
  processor_account_id text not null,
  processor_reference text,
  method_type text not null check (method_type in ('card', 'us_bank_account')),
  amount_cents integer not null check (amount_cents > 0),
  currency text not null,
  failure_reason text check ((failure_reason is not null) = (status = 'failed')),
  -- Evidence: language, the patient's address, SHA-256 and text of the debit's authorisation (null for cards). After two
  -- years, all but the hash are null.
  locale text,
  address text,
  authorisation_hash bytea,
  authorisation_text text,
  created_at timestamptz(3) not null,
  closed_at timestamptz(3),
  -- The time of the sweep's next question. A closed attempt with a time is abandoned: the outcome is unknown.
  reconcile_at timestamptz(3),
  -- End of the submission lease, by the database's clock: until then the process that submits the payment counts as alive.
  submitting_until timestamptz(3),
  unique (processor, processor_reference),
  unique (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id),
  check ((closed_at is null) = (status in ('open', 'requires_action'))),
  check (closed_at is not null or reconcile_at is not null)
);
create unique index payment_attempts_one_open on payment_attempts (payment_link_id)
  where status in ('open', 'requires_action'); -- constraint: one open attempt of a link
create index payment_attempts_link on payment_attempts (payment_link_id, created_at desc, id desc); -- console: page of a payment
create index payment_attempts_under_way on payment_attempts (practice_id, created_at desc, payment_link_id desc)
  where status in ('open', 'requires_action'); -- console: list of links
create index payment_attempts_unsuccessful on payment_attempts (practice_id, payment_link_id, created_at desc, id desc)
  include (status) where status in ('failed', 'cancelled'); -- console: owed amounts
create index payment_attempts_reconcile on payment_attempts (reconcile_at) where reconcile_at is not null; -- job reconcile_attempts
create index payment_attempts_evidence on payment_attempts (created_at) where address is not null; -- job purge_expired_data

alter table payment_links
  add foreign key (practice_id, id, open_attempt_id) references payment_attempts (practice_id, payment_link_id, id);

-- Openings of the hosted page of each link. In a row of their own they write no index of `payment_links`. The free space lets further
-- openings write no index either.
create table page_openings (
  payment_link_id text primary key,
  practice_id text not null,
  first_opened_at timestamptz(3) not null,
  last_opened_at timestamptz(3) not null,
  open_count integer not null check (open_count > 0),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
) with (fillfactor = 80);

-- The end of the owed amount of a link by an act of a person. In rows of their own, they cost creates and payments nothing.
create table link_resolutions (
  practice_id text not null,
  payment_link_id text not null,
  reason text not null check (reason in ('replaced', 'paid_at_desk', 'written_off', 'wrong')),
  successor_link_id text,
  actor_id text not null,
  resolved_at timestamptz(3) not null,
  primary key (practice_id, payment_link_id),
  unique (practice_id, successor_link_id),
  check ((successor_link_id is not null) = (reason = 'replaced')),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id),
  foreign key (practice_id, successor_link_id) references payment_links (practice_id, id)
);

create table transactions (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  attempt_id text unique,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'refunded')),
  amount_cents integer not null,
  fee_cents integer,
  net_cents integer,
  payment_method_type text not null,
  payment_method_brand text,
  payment_method_last4 text,
  -- The number that patients read out on the telephone. Not unique: two payments of one number differ by practice, day and amount.
  payment_number text default (100000000 + floor(random() * 900000000))::integer::text,
  statement_descriptor text,
  failure_reason text check ((failure_reason is not null) = (status = 'failed')),
  processed_at timestamptz(3),
  -- The time at which the bank returned a debit. Null for debits that were returned before 3.0.0.
  returned_at timestamptz(3),
  created_at timestamptz(3) not null,
  -- The time of the sweep's next question to the processor: while a debit is pending, a fee is unknown, or refunds may come.
  reconcile_at timestamptz(3),
  unique (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id),
  foreign key (practice_id, payment_link_id, attempt_id)
    references payment_attempts (practice_id, payment_link_id, id)
);
create unique index transactions_one_payment on transactions (payment_link_id)
  where status <> 'failed'; -- constraint: one payment of a link that did not fail
create index transactions_link on transactions (payment_link_id, created_at); -- list of links
create index transactions_settled_later on transactions (practice_id, processed_at) where processed_at > created_at; -- replay of an endpoint
create index transactions_unsettled on transactions (practice_id, status, created_at desc, payment_link_id desc)
  where status in ('pending', 'failed'); -- console: list of payments
create index transactions_last_digits on transactions (practice_id, payment_method_last4, created_at desc)
  include (payment_link_id) where payment_method_last4 is not null; -- console: search
create index transactions_method on transactions
  (practice_id, payment_method_type, created_at desc, payment_link_id desc); -- console: list of payments
create index transactions_reconcile on transactions (reconcile_at) where reconcile_at is not null; -- job reconcile_transactions
create index transactions_payment_number on transactions (payment_number) where payment_number is not null; -- console: search

-- Amounts that banks took back of settled debits. Refunds record the part that no other refund has given back. If one of those
-- fails, a further refund records the rest. The unique reference records a reversal once.
create table bank_reversals (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  transaction_id text not null,
  processor_reference text not null unique,
  amount_cents integer not null check (amount_cents > 0),
  created_at timestamptz(3) not null,
  -- Mode, time, location and method of the payment. They never change. Lists and the reconciliation read them here.
  test boolean,
  paid_at timestamptz(3),
  location_id text,
  payment_method_type text,
  unique (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id, transaction_id) references transactions (practice_id, payment_link_id, id)
);
create index bank_reversals_paid on bank_reversals (practice_id, test, paid_at desc, payment_link_id desc); -- console: list of payments

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
  test boolean,
  paid_at timestamptz(3),
  location_id text,
  payment_method_type text,
  foreign key (practice_id, payment_link_id, transaction_id) references transactions (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id, bank_reversal_id)
    references bank_reversals (practice_id, payment_link_id, id)
);
create index refunds_link on refunds (payment_link_id, created_at, id); -- refund
create index refunds_transaction on refunds (transaction_id); -- console: list of payments
create index refunds_practice on refunds (practice_id, created_at); -- console: reconciliation
create index refunds_failed on refunds (practice_id) where status = 'failed'; -- console: needs attention
create index refunds_paid on refunds (practice_id, test, paid_at desc, payment_link_id desc); -- console: list of payments

create table refund_resolutions (
  practice_id text not null,
  payment_link_id text not null,
  refund_id text not null references refunds (id),
  reason text not null check (reason in ('paid_another_way', 'not_due')),
  actor_id text not null,
  resolved_at timestamptz(3) not null,
  primary key (practice_id, refund_id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
);

-- Banks may open a second dispute of another part of a payment. Simulated disputes have no reference, and one is open at a time.
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
  test boolean,
  paid_at timestamptz(3),
  location_id text,
  payment_method_type text,
  answered_at timestamptz(3),
  foreign key (practice_id, payment_link_id, transaction_id) references transactions (practice_id, payment_link_id, id)
);
create unique index disputes_one_open on disputes (payment_link_id)
  where status = 'open' and processor_reference is null; -- constraint: one open dispute of a simulated payment
create index disputes_link on disputes (payment_link_id); -- console: list of payments
create index disputes_paid on disputes (practice_id, test, paid_at desc, payment_link_id desc)
  where status in ('open', 'lost'); -- console: list of payments

-- Receipts that patients want by mail. A link has three at a time, and rows are deleted after a day.
create table receipt_requests (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  -- 1 to 3 for the patient, 4 to 6 for staff.
  ordinal smallint not null check (ordinal between 1 and 6),
  -- Address that the patient or staff typed; null as soon as the mail is sent.
  email text,
  language text not null,
  created_at timestamptz(3) not null,
  unique (payment_link_id, ordinal),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
);
create index receipt_requests_age on receipt_requests (created_at); -- job purge_expired_data

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
  subject json not null,
  received_at timestamptz(3) not null,
  tries integer not null default 0,
  -- The time of the next try to process it; null once it is processed or abandoned.
  due_at timestamptz(3),
  primary key (processor, id)
);
create index processor_notifications_due on processor_notifications (due_at) where due_at is not null; -- job handle_due_notifications
create index processor_notifications_handled on processor_notifications (received_at) where due_at is null; -- job purge_expired_data

-- webhooks -----------------------------------------------------------------------------------------

create table webhook_endpoints (
  id text primary key,
  practice_id text not null references practices (id),
  test boolean not null,
  location_id text,
  url text not null,
  enabled_events text[] not null,
  description text,
  status text not null check (status in ('enabled', 'disabled')),
  secret_ciphertext text not null,
  previous_secret_ciphertext text,
  previous_secret_until timestamptz(3),
  consecutive_exhausted integer not null default 0,
  replayed_at timestamptz(3),
  created_at timestamptz(3) not null,
  created_by text,
  -- The lease: the right of one worker to deliver to this endpoint. Only the worker with the present epoch may write.
  lease_epoch bigint not null default 0,
  lease_until timestamptz,
  -- The API hides a deleted endpoint, and its secrets are erased. The row is deleted after its last delivery.
  deleted_at timestamptz(3),
  unique (practice_id, id),
  foreign key (practice_id, location_id) references locations (practice_id, id),
  check (deleted_at is null or (status = 'disabled' and url = '' and secret_ciphertext = ''
    and previous_secret_ciphertext is null))
) with (fillfactor = 60);
create index webhook_endpoints_deleted on webhook_endpoints (id) where deleted_at is not null; -- job purge_deleted_endpoints

-- Events with their deliveries: the truth about what is due.
create table webhook_deliveries (
  -- The event's id. Each endpoint gets its own event, so event and delivery are one row.
  id text primary key,
  practice_id text not null,
  endpoint_id text not null,
  -- No foreign key: webhooks know nothing of payments. Null for pings.
  payment_link_id text,
  type text not null,
  test boolean not null,
  -- The exact bytes of the body. text, because jsonb would reorder them.
  payload text not null,
  -- Reason of the present delivery run: the event itself, a redelivery, or a replay.
  delivery_run text not null check (delivery_run in ('automatic', 'redelivery', 'replay')),
  -- Attempts of the present delivery run, 0 to 8, and of all delivery runs.
  run_attempts integer not null default 0,
  attempt_count integer not null default 0,
  due_at timestamptz(3),
  -- 0 first attempts, 1 retries, 2 replays: the order in which an endpoint's due deliveries are taken.
  rank smallint not null default 0,
  last_attempt_at timestamptz(3),
  delivered_at timestamptz(3),
  last_response_status integer,
  last_error text,
  created_at timestamptz(3) not null,
  -- Behind the payload, as all that changes later: PostgreSQL logs what lies between the first and the last change of a row.
  status text not null check (status in ('pending', 'retrying', 'delivered', 'exhausted', 'skipped')),
  -- No cascade: a long history is deleted in batches, never by one statement.
  foreign key (practice_id, endpoint_id) references webhook_endpoints (practice_id, id),
  check ((status = 'delivered') <= (delivered_at is not null)),
  check ((due_at is not null) = (status in ('pending', 'retrying')))
)
-- Half of each page is free. So the start of an attempt writes the new version of its delivery beside the old one, and no
-- index. With full pages, 43 of 100 starts did.
with (fillfactor = 50, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.05);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, rank, due_at, id)
  where status in ('pending', 'retrying'); -- delivery
-- A success writes each index of its delivery again, so one index answers most lists. Types that end most links are a large part of
-- the list anyway. A delivery that succeeds never enters the index of those that failed.
create index webhook_deliveries_newest on webhook_deliveries (endpoint_id, created_at desc, id desc) include (status, type); -- list of deliveries
create index webhook_deliveries_rare_type on webhook_deliveries (endpoint_id, type, created_at desc, id desc)
  where type not in ('payment_link.paid', 'payment_link.cancelled', 'payment_link.expired'); -- list of deliveries
create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, status, created_at desc, id desc)
  where status in ('exhausted', 'skipped'); -- list of deliveries
-- Without it, retention would read all that failed in 90 days, once a minute.
create index webhook_deliveries_delivered on webhook_deliveries (delivered_at) where status = 'delivered'; -- job purge_expired_data
create index webhook_deliveries_payment_link on webhook_deliveries (payment_link_id) where payment_link_id is not null; -- list of deliveries

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  number integer not null,
  endpoint_id text not null,
  practice_id text not null,
  started_at timestamptz(3) not null,
  duration_ms integer,
  response_status integer,
  error text,
  -- The wait that the receiver asked for by a 429 or 503, from the end of the attempt (docs/decisions/0008-small-rules.md).
  retry_after_seconds integer,
  lease_epoch bigint not null,
  primary key (delivery_id, number)
);
create index webhook_attempts_open on webhook_attempts (endpoint_id) where duration_ms is null; -- delivery

-- Test events for readers without an endpoint (docs/decisions/0040-test-events.md). Only practices with a recent reader get rows.
create table test_events (
  id text primary key,
  practice_id text not null references practices (id),
  location_id text,
  type text not null,
  payload text not null,
  made_by xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null,
  foreign key (practice_id, location_id) references locations (practice_id, id)
);
create index test_events_order on test_events (practice_id, made_by, id); -- list of test events

-- Practices whose test events are recorded, with the time of their last request, up to ten minutes off.
create table test_event_readers (
  practice_id text primary key references practices (id),
  read_at timestamptz(3) not null,
  -- The newest transaction of test events that were too many, and deleted. A reader that has not seen it missed events.
  dropped_by xid8
);

-- audit: acts of people, keys and operators. A trigger refuses every change of a row. --------------

-- One row per act, inserted in the transaction of the act. Ids ascend by time, so pages and days are ranges of an index.
create table audit_log (
  id text not null,
  -- No foreign key: its check would wait for a locked row of the practice. No practice is ever deleted.
  practice_id text not null,
  actor_kind text not null check (actor_kind in ('person', 'api_key', 'operator')),
  actor_id text,
  -- Object and past participle, such as member.invited.
  action text not null,
  target_kind text not null,
  target_id text not null,
  address text,
  -- State before and after, without data of patients; null where there is none.
  before json,
  after json,
  created_at timestamptz(3) not null,
  primary key (practice_id, id),
  check ((actor_kind = 'operator') = (actor_id is null))
);
create index audit_log_actor_id on audit_log (actor_id, id); -- console: audit log
create index audit_log_action on audit_log (practice_id, action, id); -- console: audit log
create index audit_log_target_id on audit_log (target_id, id); -- console: page of a link

-- console: people, invitations, sign-in ------------------------------------------------------------

-- A row stays after the last membership is removed, because the audit log refers to it.
create table people (
  id text primary key,
  email text not null unique check (email = lower(email)),
  name text,
  created_at timestamptz(3) not null
);

create table memberships (
  id text primary key,
  practice_id text not null references practices (id),
  person_id text not null references people (id),
  role text not null check (role in ('owner', 'administrator', 'billing', 'front_desk', 'developer', 'viewer')),
  -- False: the person sees only the locations of membership_locations, even if there is none left.
  all_locations boolean not null,
  locked_at timestamptz(3),
  -- The latest sign-in by a session that was used for the practice. Null if there was none.
  last_sign_in_at timestamptz(3),
  created_at timestamptz(3) not null,
  unique (practice_id, person_id),
  unique (practice_id, id),
  check (role <> 'owner' or all_locations)
);
create index memberships_person on memberships (person_id); -- console: sign-in

create table membership_locations (
  practice_id text not null,
  membership_id text not null,
  location_id text not null,
  primary key (membership_id, location_id),
  foreign key (practice_id, membership_id) references memberships (practice_id, id) on delete cascade,
  foreign key (practice_id, location_id) references locations (practice_id, id)
);

-- Invitations that nobody has accepted yet. The person may have no row, and gets none before the acceptance.
create table invitations (
  -- Becomes the id of the membership.
  id text primary key,
  practice_id text not null references practices (id),
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'administrator', 'billing', 'front_desk', 'developer', 'viewer')),
  location_ids text[],
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  unique (practice_id, email),
  unique (practice_id, id),
  check (role <> 'owner' or location_ids is null)
);
create index invitations_age on invitations (expires_at); -- job purge_expired_data

-- Addresses of invitations. Each mail has its own, because a mail that seems to have failed may have arrived.
create table invitation_tokens (
  hash bytea primary key,
  practice_id text not null,
  invitation_id text not null,
  created_at timestamptz(3) not null,
  foreign key (practice_id, invitation_id) references invitations (practice_id, id) on delete cascade
);
create index invitation_tokens_invitation on invitation_tokens (practice_id, invitation_id); -- console: people

-- One row per mail of an invitation that a person asked for. The limits per practice and per recipient count them.
create table invitation_mails (
  practice_id text not null references practices (id),
  email text not null,
  created_at timestamptz(3) not null
);
create index invitation_mails_practice on invitation_mails (practice_id, created_at); -- console: people
create index invitation_mails_email on invitation_mails (email, created_at); -- console: people
create index invitation_mails_age on invitation_mails (created_at); -- job purge_expired_data

-- Requests for a sign-in mail, of known and unknown addresses alike. A job finds out whether the address is known.
create table sign_in_requests (
  id text primary key,
  email text not null,
  language text not null,
  -- The known device of the person, or the session, that asked for the mail; null for any other browser.
  device_hash bytea,
  created_at timestamptz(3) not null
);
create index sign_in_requests_age on sign_in_requests (created_at); -- job purge_expired_data

create table sign_in_tokens (
  hash bytea primary key,
  person_id text not null references people (id),
  request_id text,
  device_hash bytea,
  used_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null
);
create index sign_in_tokens_person on sign_in_tokens (person_id, created_at); -- console: sign-in
create index sign_in_tokens_age on sign_in_tokens (expires_at); -- job purge_expired_data

create table console_sessions (
  hash bytea primary key,
  person_id text not null references people (id),
  method text not null default 'mail' check (method in ('mail', 'passkey')),
  -- Practices for which the session was used. Their audit logs have its sign-in.
  practice_ids text[] not null default '{}',
  -- Browser and system of the sign-in in words, such as "Firefox, Windows"; null if the browser named neither.
  device_name text,
  last_used_at timestamptz(3) not null,
  created_at timestamptz(3) not null
);
create index console_sessions_person on console_sessions (person_id); -- console: sign-in
create index console_sessions_age on console_sessions (last_used_at); -- job purge_expired_data

-- Browsers in which people have signed in. They have limits of their own for sign-in mails, and admit to nothing else.
create table console_devices (
  -- SHA-256 of the token in the cookie. Several people may use one browser.
  hash bytea not null,
  person_id text not null references people (id),
  used_at timestamptz(3) not null,
  primary key (hash, person_id)
);
create index console_devices_person on console_devices (person_id); -- console: sign-in
create index console_devices_age on console_devices (used_at); -- job purge_expired_data

create table passkeys (
  id text primary key,
  person_id text not null references people (id),
  credential_id text not null unique,
  public_key bytea not null,
  -- Number of uses that the authenticator last reported. It ascends, or stays 0 if the authenticator does not count.
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  name text not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null
);
create index passkeys_person on passkeys (person_id, id); -- console: account

create table passkey_challenges (
  hash bytea primary key,
  -- The person who adds a passkey; null for a sign-in, whose person is not known yet.
  person_id text references people (id),
  expires_at timestamptz(3) not null
);
create index passkey_challenges_age on passkey_challenges (expires_at); -- job purge_expired_data

-- Forms that created something, by the value that the server put into the form. A second one with it is refused.
create table sent_forms (
  practice_id text not null references practices (id),
  form_id text not null,
  created_at timestamptz(3) not null,
  primary key (practice_id, form_id)
);
create index sent_forms_age on sent_forms (created_at); -- job purge_expired_data

-- Forms that met an ended session, or needed a fresh sign-in. They come back to their person and browser, within an hour.
create table kept_forms (
  -- SHA-256 of the token in the browser's cookie. The token decrypts the fields.
  hash bytea primary key,
  person_id text not null references people (id),
  page text not null,
  sealed text not null,
  created_at timestamptz(3) not null
);
create index kept_forms_age on kept_forms (created_at); -- job purge_expired_data

-- jobs ---------------------------------------------------------------------------------------------

create table job_runner_heartbeats (
  runner_id text primary key,
  seen_at timestamptz not null
);

-- The job queue enables row level security without a policy, so that only the owner of its tables sees jobs. The processes may run as
-- another role (operations/postgresql/roles.sql).
alter table graphile_worker._private_jobs disable row level security;
alter table graphile_worker._private_tasks disable row level security;
alter table graphile_worker._private_job_queues disable row level security;
alter table graphile_worker._private_known_crontabs disable row level security;

-- pages --------------------------------------------------------------------------------------------

-- Scripts, styles and images of the hosted pages. During a deploy, browsers ask a process of one release for a file of the other.
create table page_assets (
  path text primary key,
  type text not null,
  bytes bytea not null,
  recorded_at timestamptz(3) not null default now()
);

-- Plan hint DEPENDENT_COLUMNS: statistics on several columns. An endpoint or location belongs to one practice and mostly has rows of
-- one mode. Without these the planner multiplies the shares of both and expects almost no rows.
create statistics webhook_deliveries_owner (dependencies, ndistinct)
  on practice_id, test, endpoint_id from webhook_deliveries;
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

-- processors: the sandbox stands for an outside system. Its tables and ours do not refer to each other. -----------

create schema sandbox;

create table sandbox.secret (secret text primary key);
insert into sandbox.secret values (gen_random_uuid() || '.' || gen_random_uuid());

create table sandbox.payments (
  reference text primary key,
  account text not null,
  attempt text not null unique,
  amount_cents integer not null,
  method_token text not null,
  method_type text not null,
  state text not null check (state in ('created', 'requires_action', 'processing', 'succeeded', 'failed', 'cancelled')),
  failure_reason text,
  statement_descriptor_suffix text,
  -- The time at which a pending debit becomes final: failed if there is a reason, else succeeded.
  final_at timestamptz(3)
);

create table sandbox.refunds (
  reference text primary key,
  payment text not null references sandbox.payments (reference),
  refund text unique,
  amount_cents integer not null,
  state text not null check (state in ('pending', 'succeeded', 'failed')),
  -- The time at which a pending refund becomes final: succeeded if it arrives, else failed.
  final_at timestamptz(3),
  arrives boolean not null default true,
  number bigint generated always as identity
);
create index sandbox_refunds_payment on sandbox.refunds (payment); -- refund

create table sandbox.disputes (
  reference text primary key,
  payment text not null references sandbox.payments (reference),
  amount_cents integer not null,
  reason text not null,
  state text not null check (state in ('open', 'won', 'lost')),
  evidence_due_by timestamptz(3),
  is_bank_reversal boolean not null
);
create index sandbox_disputes_payment on sandbox.disputes (payment); -- bank reversal

-- Payments with an open dispute or a bank reversal: one at a time. In sandbox.disputes, older rows may break a unique index.
create table sandbox.open_disputes (
  payment text primary key references sandbox.payments (reference)
);
