-- Names of people and keys, locked memberships, and the devices of sessions.

-- As the person writes it; null until then.
alter table people add name text;

-- Since when the person may not use the practice; null if the person may.
alter table memberships add locked_at timestamptz(3);

-- Browser and system of the sign-in in words, such as "Firefox, Windows"; null if the browser named neither.
alter table console_sessions add device_name text;

-- As the practice calls the key; null for keys of the command line, until a person names them.
alter table api_keys add name text;
