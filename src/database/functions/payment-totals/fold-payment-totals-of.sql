-- Adds changes of payments to the totals of their hours and of all hours, and deletes them from payment_total_changes.
--
-- Arguments:
--   p_practice_id  the practice whose changes are added; null for all
--   p_limit        most changes
-- Returns: the number of changes.
-- Locks: the caller has the advisory lock 'payment_totals'; then rows of payment_total_changes and payment_totals.
-- Callers: fold_payment_totals
-- Why in the database: set-based; one statement adds thousands of changes.
create or replace function fold_payment_totals_of(p_practice_id text, p_limit integer) returns integer
language plpgsql
-- Plan hint COUNTING_PLANS.
set plan_cache_mode = force_custom_plan as $$
declare
  folded integer;
  emptied payment_totals[];
begin
  with taken as (
    delete from payment_total_changes where ctid = any (array(
      select c.ctid from payment_total_changes c
      where p_practice_id is null or c.practice_id = p_practice_id limit p_limit)) returning *
  ), totals as (
    insert into payment_totals as k
      select l.practice_id, l.test, h.hour, l.location_id, t.payment_method_type, t.status, sum(t.payments),
        sum(t.amount_cents), sum(t.fee_cents), sum(t.unknown_fees)
      from taken t join payment_links l on l.id = t.payment_link_id,
        unnest(array[date_trunc('hour', l.paid_at, 'UTC'), '-infinity']) as h (hour)
      where l.paid_at is not null
      group by l.practice_id, l.test, h.hour, l.location_id, t.payment_method_type, t.status
      having sum(t.payments) <> 0 or sum(t.amount_cents) <> 0 or sum(t.fee_cents) <> 0 or sum(t.unknown_fees) <> 0
      on conflict (practice_id, test, hour, location_id, payment_method_type, status)
        do update set payments = k.payments + excluded.payments, amount_cents = k.amount_cents + excluded.amount_cents,
          fee_cents = k.fee_cents + excluded.fee_cents, unknown_fees = k.unknown_fees + excluded.unknown_fees
      returning k.*
  )
  select (select count(*) from taken), (select array_agg(k::payment_totals) from totals k
      -- Changes of one payment may come in parts and in any order. A total is empty when all of it is 0.
      where (k.payments, k.amount_cents, k.fee_cents, k.unknown_fees) = (0, 0, 0, 0))
    into folded, emptied;
  delete from payment_totals k using unnest(emptied) as e
    where k.practice_id = e.practice_id and k.test = e.test and k.hour = e.hour and k.location_id = e.location_id
      and k.payment_method_type = e.payment_method_type and k.status = e.status;
  return folded;
end $$;
