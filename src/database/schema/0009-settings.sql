-- Settings of practices: postal address, logo and colour of the hosted page, recipients of notification mails; and receipts by
-- mail.

-- Logos, as this service encoded them. An address names the hash, so the bytes of an address never change.
create table practice_logos (
  practice_id text not null references practices (id),
  -- SHA-256 of the practice's id and the bytes, in hexadecimal. Two practices with the same picture have two hashes.
  hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
  -- A PNG file.
  bytes bytea not null check (octet_length(bytes) <= 400000),
  width integer not null check (width between 1 and 480),
  height integer not null check (height between 1 and 160),
  created_at timestamptz(3) not null,
  primary key (practice_id, hash)
);

alter table practices
  -- Lines of the postal address on receipts.
  add postal_address text,
  -- Colour of the hosted page, such as #0b4f6c. White text on it is readable.
  add brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
  -- The logo with its size in pixels, so that the hosted page needs no other table.
  add logo_hash text,
  add logo_width integer,
  add logo_height integer,
  -- True: Stripe's form offers Apple Pay and Google Pay.
  add wallets_enabled boolean not null default false,
  add constraint practices_logo_whole check (num_nulls(logo_hash, logo_width, logo_height) in (0, 3)),
  add constraint practices_logo foreign key (id, logo_hash) references practice_logos (practice_id, hash);

-- Mail addresses that get notifications instead of the administrator. A kind without a row goes to the administrator.
create table notification_recipients (
  practice_id text not null references practices (id),
  kind text not null check (kind in ('disputes', 'refunds', 'payments', 'webhooks')),
  email text not null,
  primary key (practice_id, kind, email)
);

-- Receipts that patients want by mail. A link has three at a time, and rows are deleted after a day.
create table receipt_requests (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  ordinal smallint not null check (ordinal between 1 and 3),
  -- Address that the patient typed; null as soon as the mail is sent.
  email text,
  -- Language of the page.
  language text not null,
  created_at timestamptz(3) not null,
  unique (payment_link_id, ordinal),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id)
);
create index receipt_requests_age on receipt_requests (created_at);
