alter table practices add column mails_description boolean not null default false;
