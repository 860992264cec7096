-- Two roles: paylinks_owner owns the schema and runs `paylinks migrate`. paylinks runs everything else, and can neither change the schema
-- nor switch off the guard of the audit log. Run it as a superuser (with a managed PostgreSQL, its administrator) in the database of the
-- service, before the first `migrate`, or later for a database that paylinks owns. It may run again. docs/postgresql.md has the commands,
-- which make the roles first.
begin;

-- An administrator who is no superuser acts for both roles only as their member.
do $$ begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant paylinks_owner, paylinks to %I', current_user);
  end if;
end $$;

-- What paylinks made, with the database itself.
do $$ begin
  execute format('alter database %I owner to paylinks_owner', current_database());
  execute format('grant connect on database %I to paylinks', current_database());
end $$;
reassign owned by paylinks to paylinks_owner;

-- A function under a name of ours in another schema of the search path would run in place of ours.
revoke create on schema public from public, paylinks;
grant usage on schema public to paylinks;

-- What `migrate` makes from now on, the schema of the job queue included. Functions need no grant.
alter default privileges for role paylinks_owner grant usage on schemas to paylinks;
alter default privileges for role paylinks_owner grant select, insert, update, delete on tables to paylinks;
alter default privileges for role paylinks_owner grant usage, select on sequences to paylinks;

-- What is there already.
do $$ declare schema_name text; begin
  for schema_name in select nspname from pg_namespace where nspname in ('public', 'graphile_worker') loop
    execute format('grant usage on schema %I to paylinks', schema_name);
    execute format('grant select, insert, update, delete on all tables in schema %I to paylinks', schema_name);
    execute format('grant usage, select on all sequences in schema %I to paylinks', schema_name);
  end loop;
  if to_regclass('public.audit_log') is not null then
    revoke update, delete on public.audit_log from paylinks;
  end if;
end $$;

commit;
