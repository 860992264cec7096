-- True: only administrators of the practice make live keys that read payment links.
alter table practices add column reading_keys_for_administrators boolean not null default false;
