create table kept_forms (
  hash bytea primary key,
  person_id text not null references people (id),
  page text not null,
  sealed text not null,
  created_at timestamptz(3) not null
);
create index kept_forms_age on kept_forms (created_at);
