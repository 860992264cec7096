-- Sign-in to the console by passkey, and the page to which a sign-in leads back.

-- Passkeys of people. The private key never leaves the person's device.
create table passkeys (
  id text primary key,
  person_id text not null references people (id),
  -- Name of the key pair in the authenticator, in base64url.
  credential_id text not null unique,
  -- In COSE form.
  public_key bytea not null,
  -- Number of uses that the authenticator last reported. It ascends, or stays 0 if the authenticator does not count.
  counter bigint not null check (counter >= 0),
  -- Ways to reach the authenticator, as the browser named them, such as internal or usb.
  transports text[] not null,
  -- Given by the person.
  name text not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null
);
create index passkeys_person on passkeys (person_id, id);

-- Random texts that a browser has passkeys sign. Each is accepted once, until it expires.
create table passkey_challenges (
  -- SHA-256 of the challenge.
  hash bytea primary key,
  -- The person who adds a passkey; null for a sign-in, whose person is not known yet.
  person_id text references people (id),
  expires_at timestamptz(3) not null
);
create index passkey_challenges_age on passkey_challenges (expires_at);

-- Path of the console to which a sign-in leads back; null for the first page.
alter table sign_in_requests add column return_path text;
alter table sign_in_tokens add column return_path text;
