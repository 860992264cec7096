-- Memberships begin when people accept, and the last one takes along all by which a person signs in.

-- Invitations that nobody has accepted yet. The person may have no row, and gets none before the acceptance.
create table invitations (
  -- Becomes the id of the membership.
  id text primary key,
  practice_id text not null references practices (id),
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'administrator', 'billing', 'front_desk', 'developer', 'viewer')),
  -- Null: all locations of the practice.
  location_ids text[],
  -- Of the newest mail.
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  unique (practice_id, email),
  unique (practice_id, id),
  -- An owner sees everything.
  check (role <> 'owner' or location_ids is null)
);
create index invitations_age on invitations (expires_at);

-- Addresses of invitations. Each mail has its own, because a mail that seems to have failed may have arrived.
create table invitation_tokens (
  -- SHA-256 of the token, which has 256 random bits.
  hash bytea primary key,
  practice_id text not null,
  invitation_id text not null,
  created_at timestamptz(3) not null,
  foreign key (practice_id, invitation_id) references invitations (practice_id, id) on delete cascade
);
create index invitation_tokens_invitation on invitation_tokens (practice_id, invitation_id);

-- One row per mail of an invitation that a person asked for. The limits per practice and per recipient count them.
create table invitation_mails (
  practice_id text not null references practices (id),
  email text not null,
  created_at timestamptz(3) not null
);
create index invitation_mails_practice on invitation_mails (practice_id, created_at);
create index invitation_mails_email on invitation_mails (email, created_at);
create index invitation_mails_age on invitation_mails (created_at);

-- People without a membership lose all by which they signed in. Another person may have the same mail address by now.
delete from passkeys where person_id not in (select person_id from memberships);
delete from passkey_challenges where person_id not in (select person_id from memberships);
delete from sign_in_tokens where person_id not in (select person_id from memberships);
delete from console_sessions where person_id not in (select person_id from memberships);
delete from console_devices where person_id not in (select person_id from memberships);

alter table console_sessions
  -- Way in which the person signed in.
  add method text not null default 'mail' check (method in ('mail', 'passkey')),
  -- Practices for which the session was used. Their audit logs have its sign-in.
  add practice_ids text[] not null default '{}';
-- The sign-ins of these sessions are in the log of every practice of the person.
update console_sessions s set practice_ids = array(select practice_id from memberships m where m.person_id = s.person_id);
