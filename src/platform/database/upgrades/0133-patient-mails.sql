-- True: mails to patients say what the payment is for.
alter table practices add column mails_description boolean not null default false;
