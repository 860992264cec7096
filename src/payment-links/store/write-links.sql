-- Writes decisions about different links in one transaction, each if nothing changed since its link was read.
--
-- Arguments:
--   p_writes  JSON object of arrays. A part that is absent writes nothing:
--     links       the links, all different; the statement fails if an id comes twice. Each has
--                   id, version    version at the time of reading
--                   subscriptions  JSON array of subscription_of of the practice's endpoints, as text; null if there is no event
--                   fields         changed columns of the link, whose version is raised then; null if its state stays
--                   patient        match, to match the patient record again; or the id of a record that is made if none matches
--     new_<table>  rows to insert, in columns of the table
--     <table>      id, payment_link_id and changed columns of rows
--     mails        mails to the administrator, each kind and subject once; payment_received only if the practice named recipients
--     audit        rows of audit_log, each with its link as link_id
--     deliveries   as for queue_deliveries
--   p_now, p_shared_now  as for queue_deliveries
--   p_lock_wait_ms       longest wait for one lock; after it the statement fails with lock_not_available. Null: as the session
-- Returns: one outcome per link, in their order:
--   written  written
--   stale    nothing written: the link, or an endpoint of its practice, changed since it was read
-- Locks, until commit: the links by id, then the endpoints of their practices by id. So no other transaction disables or deletes
--   these. Then the patients of practices that may need a record, by practice. No transaction waits for a link while it has
--   locked an endpoint.
-- Callers: src/payment-links/store/postgres.ts
-- Why in the database: one round trip and one commit for many links, and no lock outlasts the statement
--   (docs/decisions/0033-changes-of-links.md).
create or replace function write_links(
  p_writes json, p_now timestamptz, p_shared_now timestamptz, p_lock_wait_ms integer
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
  new_attempt payment_attempts;
  mail record;
begin
  select set_config('lock_timeout', coalesce(p_lock_wait_ms::text, current_setting('lock_timeout')), true), p.*
  into parts from json_to_record(p_writes) as p (
    links json, audit json, mails json, deliveries json,
    new_payment_attempts json, payment_attempts json, new_transactions json, transactions json, new_bank_reversals json,
    new_refunds json, refunds json, new_disputes json, disputes json);
  select array_agg(w.id) as ids, array_agg(w.version) as versions, array_agg(w.subscriptions) as subscriptions,
    bool_or(w.subscriptions is not null) as has_events,
    bool_or(w.fields is not null) as has_fields, bool_or(w.patient <> 'match') as makes_patients,
    count(distinct w.id) < count(*) as has_twice
  into asked
  from json_to_recordset(parts.links) as w (id text, version integer, subscriptions text, fields json, patient text);
  -- The second change of a link would overwrite the first one, because both have the same version.
  if asked.has_twice then raise exception 'a link comes twice in one write'; end if;
  select array_agg(l.id) as ids, array_agg(l.practice_id) as practice_ids, array_agg(l.test) as tests,
    array_agg(l.version) as versions
  into locked from (
    select id, practice_id, test, version from payment_links where id = any (asked.ids) order by id for no key update
  ) as l;
  -- A separate statement, so that it sees what was committed while the one before waited for the links.
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
  if coalesce(parts.new_payment_attempts, parts.payment_attempts, parts.new_transactions, parts.transactions,
    parts.new_bank_reversals, parts.new_refunds, parts.refunds, parts.new_disputes, parts.disputes
  ) is not null then
    if parts.new_payment_attempts is not null then
      -- The other columns come from the JSON.
      new_attempt.submitting_until := coalesce(p_shared_now, clock_timestamp()) + interval '2 seconds';
      insert into payment_attempts select r.* from json_populate_recordset(new_attempt, parts.new_payment_attempts) as r
      where r.payment_link_id = any (written);
    end if;
    if parts.payment_attempts is not null then
      update payment_attempts t set (
        status, processor, processor_account_id, processor_reference, method_type, amount_cents, currency, failure_reason,
        locale, address, authorisation_text, authorisation_hash, created_at, closed_at, reconcile_at
      ) = (
        select n.status, n.processor, n.processor_account_id, n.processor_reference, n.method_type, n.amount_cents, n.currency,
        n.failure_reason, n.locale, n.address, n.authorisation_text, n.authorisation_hash, n.created_at, n.closed_at,
        n.reconcile_at
        from json_populate_record(t, w.row) as n)
      from json_array_elements(parts.payment_attempts) as w (row)
      where t.id = w.row ->> 'id' and t.payment_link_id = any (written);
    end if;
    if parts.new_transactions is not null then
      insert into transactions (
        id, practice_id, payment_link_id, status, amount_cents, fee_cents, net_cents, payment_method_type,
        payment_method_brand, payment_method_last4, failure_reason, processed_at, returned_at, statement_descriptor,
        attempt_id, reconcile_at, created_at)
      select r.id, r.practice_id, r.payment_link_id, r.status, r.amount_cents, r.fee_cents, r.net_cents, r.payment_method_type,
        r.payment_method_brand, r.payment_method_last4, r.failure_reason, r.processed_at, r.returned_at,
        r.statement_descriptor, r.attempt_id, r.reconcile_at, r.created_at
      from json_populate_recordset(null::transactions, parts.new_transactions) as r where r.payment_link_id = any (written);
    end if;
    if parts.transactions is not null then
      update transactions t set (
        status, amount_cents, fee_cents, net_cents, payment_method_type, payment_method_brand, payment_method_last4,
        failure_reason, processed_at, returned_at, statement_descriptor, attempt_id, reconcile_at, created_at
      ) = (
        select n.status, n.amount_cents, n.fee_cents, n.net_cents, n.payment_method_type, n.payment_method_brand,
        n.payment_method_last4, n.failure_reason, n.processed_at, n.returned_at, n.statement_descriptor, n.attempt_id,
        n.reconcile_at, n.created_at
        from json_populate_record(t, w.row) as n)
      from json_array_elements(parts.transactions) as w (row)
      where t.id = w.row ->> 'id' and t.payment_link_id = any (written);
    end if;
    if parts.new_bank_reversals is not null then
      insert into bank_reversals select r.* from json_populate_recordset(null::bank_reversals, parts.new_bank_reversals) as r
      where r.payment_link_id = any (written);
    end if;
    if parts.new_refunds is not null then
      insert into refunds select r.* from json_populate_recordset(null::refunds, parts.new_refunds) as r
      where r.payment_link_id = any (written);
    end if;
    if parts.refunds is not null then
      update refunds t set (
        transaction_id, test, paid_at, location_id, payment_method_type, amount_cents, status, reason,
        processor_reference, bank_reversal_id, created_at
      ) = (
        select n.transaction_id, n.test, n.paid_at, n.location_id, n.payment_method_type, n.amount_cents, n.status, n.reason,
        n.processor_reference, n.bank_reversal_id, n.created_at
        from json_populate_record(t, w.row) as n)
      from json_array_elements(parts.refunds) as w (row)
      where t.id = w.row ->> 'id' and t.payment_link_id = any (written);
    end if;
    if parts.new_disputes is not null then
      insert into disputes select r.* from json_populate_recordset(null::disputes, parts.new_disputes) as r
      where r.payment_link_id = any (written);
    end if;
    if parts.disputes is not null then
      update disputes t set (
        transaction_id, test, paid_at, location_id, payment_method_type, status, amount_cents, reason, evidence_due_by,
        processor_reference, created_at, closed_at, answered_at
      ) = (
        select n.transaction_id, n.test, n.paid_at, n.location_id, n.payment_method_type, n.status, n.amount_cents, n.reason,
        n.evidence_due_by, n.processor_reference, n.created_at, n.closed_at, n.answered_at
        from json_populate_record(t, w.row) as n)
      from json_array_elements(parts.disputes) as w (row)
      where t.id = w.row ->> 'id' and t.payment_link_id = any (written);
    end if;
  end if;
  -- After its attempts, because the link names the open one.
  if asked.has_fields then
    update payment_links l set (
      location_id, test, token, status, source, amount_cents, currency, description, external_reference, metadata,
      patient_id, patient_first_name, patient_last_name, patient_phone, patient_email, patient_external_id, expires_at,
      paid_at, closed_at, closed_by, open_attempt_id, created_at, version
    ) = (
      select n.location_id, n.test, n.token, n.status, n.source, n.amount_cents, n.currency, n.description,
      n.external_reference, n.metadata,
      case when w.patient is null or l.test then n.patient_id
        when w.patient = 'match' then match_patient(l.practice_id, n.patient_external_id, n.patient_phone)
        else record_patient(w.patient, l.practice_id, n.patient_external_id, n.patient_first_name, n.patient_last_name,
          n.patient_phone, n.patient_email, p_now) end,
      n.patient_first_name, n.patient_last_name, n.patient_phone, n.patient_email, n.patient_external_id, n.expires_at,
      n.paid_at, n.closed_at, n.closed_by, n.open_attempt_id, n.created_at, l.version + 1
      from json_populate_record(l, w.fields) as n)
    from json_to_recordset(parts.links) as w (id text, fields json, patient text)
    where w.fields is not null and w.id = any (written) and l.id = w.id;
  end if;
  if parts.mails is not null then
    for mail in select * from json_to_recordset(parts.mails) as m (
      practice_id text, payment_link_id text, kind text, subject_id text, amount_cents integer
    ) where m.payment_link_id = any (written) and (m.kind <> 'payment_received' or exists (
      select from notification_recipients r where r.practice_id = m.practice_id and r.kind = 'each_payment')) loop
      insert into payment_admin_mails (practice_id, payment_link_id, kind, subject_id, queued_at)
        values (mail.practice_id, mail.payment_link_id, mail.kind, mail.subject_id, p_now) on conflict do nothing;
      if found then
        perform graphile_worker.add_job('send_payment_admin_mail', json_build_object('kind', mail.kind,
          'paymentLinkId', mail.payment_link_id, 'subjectId', mail.subject_id, 'amountCents', mail.amount_cents),
          queue_name := 'mails_' || floor(random() * 8)::integer, priority := 1 + 0, max_attempts := 20);
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
