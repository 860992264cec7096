import type { EntityClass } from '@mikro-orm/postgresql';
import { columnsOf, tableOf } from '../../src/database/query/columns.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../src/mail/mail-queue.ts';
import { PAYMENT_MAIL_TASK } from '../../src/payment-links/admin-mail/queue.ts';
import { BankReversal } from '../../src/payment-links/model/bank-reversal.entity.ts';
import { Dispute } from '../../src/payment-links/model/dispute.entity.ts';
import { PaymentAttempt } from '../../src/payment-links/model/payment-attempt.entity.ts';
import { PaymentLink } from '../../src/payment-links/model/payment-link.entity.ts';
import { Refund } from '../../src/payment-links/model/refund.entity.ts';
import { Transaction } from '../../src/payment-links/model/transaction.entity.ts';
import { ALIVE_SECONDS } from '../../src/payment-links/payment/submission-mark.ts';

/** Tables with rows of a link, in the order in which one row may refer to another. */
const CHILDREN: readonly EntityClass<object>[] = [PaymentAttempt, Transaction, BankReversal, Refund, Dispute];

/** Path of the SQL function `write_links` from the root of the checkout. */
const PATH = 'generated/functions/payment-links/write-links.sql';

/** Returns the SQL function that writes decisions about links, by path. The entities give the names of all columns. */
export function writeLinks(): Map<string, string> {
  return new Map([[PATH, functionText()]]);
}

/** Returns names, separated by commas, in lines of at most 120 characters. */
function wrapped(names: readonly string[], indent: string): string {
  const lines = [''];
  for (const [index, name] of names.entries()) {
    const text = index === names.length - 1 ? name : `${name},`;
    const last = lines.at(-1) ?? '';
    if (last !== '' && indent.length + last.length + text.length >= 120) lines.push(text);
    else lines[lines.length - 1] = last === '' ? text : `${last} ${text}`;
  }
  return lines.join(`\n${indent}`);
}

/** Names of the columns that a statement writes. The database sets the others. */
function writtenColumns(entity: EntityClass<object>): string[] {
  return columnsOf(entity).flatMap(({ name, isSetByDatabase }) => (isSetByDatabase ? [] : [name]));
}

/** Mark of a new attempt, which a process is about to submit. It is by the clock that all processes share. */
const SUBMITTING_UNTIL = `case when r.closed_at is null
        then coalesce(p_shared_now, clock_timestamp()) + interval '${ALIVE_SECONDS} seconds' end`;

/** Inserts new rows of a table, and updates changed ones over the present row. */
function childStatements(entity: EntityClass<object>): string {
  const table = tableOf(entity);
  const columns = writtenColumns(entity);
  const isAttempt = table === 'payment_attempts';
  const changeable = columns.filter((name) => !['id', 'practice_id', 'payment_link_id'].includes(name));
  return `  if parts.new_${table} is not null then
    insert into ${table} (
      ${wrapped([...columns, ...(isAttempt ? ['submitting_until'] : [])], '      ')})
    select ${wrapped(
      columns.map((name) => `r.${name}`),
      '      ',
    )}${isAttempt ? `,\n      ${SUBMITTING_UNTIL}` : ''}
    from json_populate_recordset(null::${table}, parts.new_${table}) as r where r.payment_link_id = any (written);
  end if;
  if parts.${table} is not null then
    update ${table} t set (
      ${wrapped(changeable, '      ')}
    ) = (
      select ${wrapped(
        changeable.map((name) => `n.${name}`),
        '      ',
      )}
      from json_populate_record(t, w.row) as n)
    from json_array_elements(parts.${table}) as w (row)
    where t.id = w.row ->> 'id' and t.payment_link_id = any (written);
  end if;
`;
}

function functionText(): string {
  const tables = CHILDREN.map(tableOf);
  const linkColumns = writtenColumns(PaymentLink).filter((name) => !['id', 'practice_id', 'version'].includes(name));
  const patientId = `case when w.patient is null or l.test then n.patient_id
        when w.patient = 'match' then match_patient(l.practice_id, n.patient_external_id, n.patient_phone)
        else record_patient(w.patient, l.practice_id, n.patient_external_id, n.patient_first_name, n.patient_last_name,
          n.patient_phone, n.patient_email, p_now) end`;
  return `-- Made from the entities by \`make generate\`. Edit scripts/generate/write-links.ts, not this file.
--
-- Writes decisions about different links in one transaction, each if nothing changed since its link was read.
--
-- Arguments:
--   p_writes  JSON object of arrays. A part that is absent writes nothing:
--     links       the links, all different, with
--                   id, version    version at the time of reading
--                   subscriptions  JSON array of subscription_of of the practice's endpoints, as text; null if there is no event
--                   fields         changed columns of the link, whose version is raised then; null if its state stays
--                   patient        match, to match the patient record again; or the id of a record that is made if none matches
--     new_<table>  rows to insert, in columns of the table
--     <table>      id, payment_link_id and changed columns of rows
--     mails        mails to the administrator. A second one of a kind and subject is not queued
--     audit        rows of audit_log, each with its link as link_id
--     deliveries   as for queue_deliveries
--   p_now, p_shared_now  as for queue_deliveries
--   p_lock_wait_ms       longest wait for one lock; after it the statement fails with lock_not_available. Null: as the session
--   p_leaves_out         true: links with a locked row are left out
-- Returns: one outcome per link, in their order:
--   written  written
--   stale    nothing written: the link, or an endpoint of its practice, changed since it was read
--   locked   nothing written: left out
-- Locks, until commit: the links by id, then the endpoints of their practices by id. So no other transaction disables or deletes
--   these. Then the patients of practices that may need a record, by practice. No transaction waits for a link while it has
--   locked an endpoint.
-- Callers: src/payment-links/store/postgres.ts
-- Why in the database: one round trip and one commit for many links, and no lock outlasts the statement
--   (docs/decisions/0033-changes-of-links.md).
create or replace function write_links(
  p_writes json, p_now timestamptz, p_shared_now timestamptz, p_lock_wait_ms integer, p_leaves_out boolean
) returns setof text language plpgsql
-- Plan hint CHANGE_PLANS.
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  parts record;
  -- One array per column.
  asked record;
  locked record;
  endpoints record;
  outcomes text[];
  written text[];
  mail record;
begin
  select set_config('lock_timeout', coalesce(p_lock_wait_ms::text, current_setting('lock_timeout')), true), p.* into parts from json_to_record(p_writes) as p (
    links json, audit json, mails json, deliveries json,
    ${wrapped(
      tables.flatMap((table) => [`new_${table} json`, `${table} json`]),
      '    ',
    )});
  select array_agg(w.id) as ids, array_agg(w.version) as versions, array_agg(w.subscriptions) as subscriptions,
    bool_or(w.subscriptions is not null) as has_events,
    bool_or(w.fields is not null) as has_fields, bool_or(w.patient <> 'match') as makes_patients
  into asked
  from json_to_recordset(parts.links) as w (id text, version integer, subscriptions text, fields json, patient text);
  if p_leaves_out then
    select array_agg(l.id) as ids, array_agg(l.practice_id) as practice_ids, array_agg(l.test) as tests,
      array_agg(l.version) as versions
    into locked from (
      select id, practice_id, test, version from payment_links where id = any (asked.ids)
      order by id for no key update skip locked
    ) as l;
  else
    select array_agg(l.id) as ids, array_agg(l.practice_id) as practice_ids, array_agg(l.test) as tests,
      array_agg(l.version) as versions
    into locked from (
      select id, practice_id, test, version from payment_links where id = any (asked.ids) order by id for no key update
    ) as l;
  end if;
  -- A statement of its own, so that it sees what was committed while this one waited for the links.
  select array_agg(o.practice_id) as practice_ids, array_agg(o.test) as tests, array_agg(o.subscriptions) as subscriptions
  into endpoints from (
    select e.practice_id, e.test, json_agg(e.subscription order by e.id)::text as subscriptions from (
      select w.id, w.practice_id, w.test, subscription_of(w) as subscription from webhook_endpoints w
      where asked.has_events and w.deleted_at is null
        and (w.practice_id, w.test) in (select * from unnest(locked.practice_ids, locked.tests))
      order by w.id for key share
    ) as e group by e.practice_id, e.test
  ) as o;
  select array_agg(case
      when l.id is null and p_leaves_out then 'locked'
      when l.id is null or l.version <> a.version then 'stale'
      when a.subscriptions <> coalesce(o.subscriptions, '[]') then 'stale'
      else 'written' end order by a.place)
  into outcomes
  from unnest(asked.ids, asked.versions, asked.subscriptions) with ordinality as a (id, version, subscriptions, place)
    left join unnest(locked.ids, locked.practice_ids, locked.tests, locked.versions) as l (id, practice_id, test, version)
      on l.id = a.id
    left join unnest(endpoints.practice_ids, endpoints.tests, endpoints.subscriptions) as o (practice_id, test, subscriptions)
      on o.practice_id = l.practice_id and o.test = l.test;
  written := array(select a.id from unnest(asked.ids, outcomes) as a (id, outcome) where a.outcome = 'written');
  if written = '{}' then return query select unnest(outcomes); return; end if;

  if asked.makes_patients then
    -- In one order, so that two statements that make records of the same practices never wait for each other.
    perform lock_patients(p.practice_id) from (
      select distinct l.practice_id from json_to_recordset(parts.links) as w (id text, patient text)
        join unnest(locked.ids, locked.practice_ids) as l (id, practice_id) on l.id = w.id
      where w.id = any (written) and w.patient <> 'match' order by l.practice_id
    ) as p;
  end if;
  -- One condition for all, because most changes have none of these rows, and PostgreSQL prepares each condition in each transaction.
  if coalesce(${wrapped(
    tables.flatMap((table) => [`parts.new_${table}`, `parts.${table}`]),
    '    ',
  )}) is not null then
${CHILDREN.map(childStatements).join('').replaceAll(/^/gm, '  ').trimEnd()}
  end if;
  -- After its attempts, because the link names the open one.
  if asked.has_fields then
    update payment_links l set (
      ${wrapped([...linkColumns, 'version'], '      ')}
    ) = (
      select ${wrapped(
        [...linkColumns.map((name) => (name === 'patient_id' ? patientId : `n.${name}`)), 'l.version + 1'],
        '      ',
      )}
      from json_populate_record(l, w.fields) as n)
    from json_to_recordset(parts.links) as w (id text, fields json, patient text)
    where w.fields is not null and w.id = any (written) and l.id = w.id;
  end if;
  if parts.mails is not null then
    for mail in select * from json_to_recordset(parts.mails) as m (
      practice_id text, payment_link_id text, kind text, subject_id text, amount_cents integer
    ) where m.payment_link_id = any (written) loop
      insert into payment_admin_mails (practice_id, payment_link_id, kind, subject_id, queued_at)
        values (mail.practice_id, mail.payment_link_id, mail.kind, mail.subject_id, p_now) on conflict do nothing;
      if found then
        perform graphile_worker.add_job('${PAYMENT_MAIL_TASK}', json_build_object('kind', mail.kind,
          'paymentLinkId', mail.payment_link_id, 'subjectId', mail.subject_id, 'amountCents', mail.amount_cents),
          ${MAIL_JOB}, max_attempts := ${MAIL_TRIES});
      end if;
    end loop;
  end if;
  if parts.audit is not null then
    insert into audit_log select r.* from json_array_elements(parts.audit) as w (row),
      json_populate_record(null::audit_log, w.row) as r
    where w.row ->> 'link_id' = any (written);
  end if;
  if parts.deliveries is not null then
    perform queue_deliveries(parts.deliveries, written, p_now, p_shared_now);
  end if;
  return query select unnest(outcomes);
end $$;
`;
}
