-- The console of practices: people with their roles, sign-in, sessions, and the audit log.

----------------------------------------------------------------------------------------------------
-- audit: acts of people, keys and operators. A trigger refuses every change of a row.
----------------------------------------------------------------------------------------------------

-- One row per act, inserted in the transaction of the act. Ids ascend by time, so pages and days are ranges of an index.
create table audit_log (
  id text primary key,
  practice_id text not null references practices (id),
  actor_kind text not null check (actor_kind in ('person', 'api_key', 'operator')),
  -- Id of the person or key; null for the operator.
  actor_id text,
  -- Object and past participle, such as member.invited.
  action text not null,
  target_kind text not null,
  target_id text not null,
  -- Address of the client; null for the operator's commands.
  address text,
  -- State before and after, without data of patients; null where there is none.
  before json,
  after json,
  created_at timestamptz(3) not null,
  check ((actor_kind = 'operator') = (actor_id is null))
);
create index audit_log_practice on audit_log (practice_id, id);
create index audit_log_actor on audit_log (practice_id, actor_id, id);
create index audit_log_action on audit_log (practice_id, action, id);

----------------------------------------------------------------------------------------------------
-- console: people, memberships, sign-in
----------------------------------------------------------------------------------------------------

-- People who sign in, by mail address. One person may belong to several practices. A row stays after the last membership
-- is removed, because the audit log refers to it.
create table people (
  id text primary key,
  email text not null unique check (email = lower(email)),
  created_at timestamptz(3) not null
);

-- The role of a person in a practice.
create table memberships (
  id text primary key,
  practice_id text not null references practices (id),
  person_id text not null references people (id),
  role text not null check (role in ('owner', 'administrator', 'billing', 'front_desk', 'developer', 'viewer')),
  -- False: the person sees only the locations of membership_locations, even if there is none left.
  all_locations boolean not null,
  created_at timestamptz(3) not null,
  unique (practice_id, person_id),
  unique (practice_id, id),
  -- An owner sees everything.
  check (role <> 'owner' or all_locations)
);
create index memberships_person on memberships (person_id);

-- Locations to which a membership is limited, of its own practice.
create table membership_locations (
  practice_id text not null,
  membership_id text not null,
  location_id text not null,
  primary key (membership_id, location_id),
  foreign key (practice_id, membership_id) references memberships (practice_id, id) on delete cascade,
  foreign key (practice_id, location_id) references locations (practice_id, id)
);

-- Requests for a sign-in mail, of known and unknown addresses alike. A job finds out whether the address is known.
create table sign_in_requests (
  id text primary key,
  email text not null,
  language text not null,
  created_at timestamptz(3) not null
);
create index sign_in_requests_age on sign_in_requests (created_at);

-- Sign-in addresses. Each works once, until it expires.
create table sign_in_tokens (
  -- SHA-256 of the token, which has 256 random bits.
  hash bytea primary key,
  person_id text not null references people (id),
  used_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null
);
create index sign_in_tokens_person on sign_in_tokens (person_id, created_at);
create index sign_in_tokens_age on sign_in_tokens (expires_at);

-- Sessions of signed-in people.
create table console_sessions (
  -- SHA-256 of the token in the cookie.
  hash bytea primary key,
  person_id text not null references people (id),
  last_used_at timestamptz(3) not null,
  -- The sign-in.
  created_at timestamptz(3) not null
);
create index console_sessions_person on console_sessions (person_id);
create index console_sessions_age on console_sessions (last_used_at);
