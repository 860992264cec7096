-- The addition of a practice to the name of its account on card statements, and browsers in which people have signed in.

alter table practices
  -- Capital letters as on the statement; null for none. A statement has 22 characters. The name of the account has at most 10,
  -- and the processor puts an asterisk and a space behind it. So every addition fits behind every name.
  add statement_descriptor_suffix text check (
    statement_descriptor_suffix ~ '^[ -~]{1,10}$' and statement_descriptor_suffix ~ '[A-Z]'
    and statement_descriptor_suffix !~ '[<>\\''"*a-z]'
  );

alter table sandbox.payments add statement_descriptor_suffix text;

-- Browsers in which people have signed in. They have limits of their own for sign-in mails, and admit to nothing else.
create table console_devices (
  -- SHA-256 of the token in the cookie. Several people may use one browser.
  hash bytea not null,
  person_id text not null references people (id),
  -- The latest sign-in of the person.
  used_at timestamptz(3) not null,
  primary key (hash, person_id)
);
create index console_devices_person on console_devices (person_id);
create index console_devices_age on console_devices (used_at);

-- The known device of the person, or the session, that asked for the mail; null for any other browser.
alter table sign_in_requests add device_hash bytea;

alter table sign_in_tokens
  -- Id of the request whose mail has the address; null for invitations.
  add request_id text,
  -- As in the request.
  add device_hash bytea;
