-- Forms that met an ended session, or needed a fresh sign-in. They come back to their person and browser, within an hour.
create table kept_forms (
  -- SHA-256 of the token in the browser's cookie. The token decrypts the fields.
  hash bytea primary key,
  person_id text not null references people (id),
  -- Path of the page that shows the form.
  page text not null,
  sealed text not null,
  created_at timestamptz(3) not null
);
create index kept_forms_age on kept_forms (created_at);
comment on index kept_forms_age is 'job purge_expired_data';
