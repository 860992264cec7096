-- Compares the totals of some hours with the payments, and repairs them on request.
--
-- Arguments:
--   p_practice_id, p_test  practice and mode
--   p_from    checks the hours from this one on; '-infinity' for all
--   p_rows    ends with the hour of this payment, counted from p_from
--   p_repair  true: the hours are counted again if a total is wrong
-- Returns: the number of wrong totals, and the hour after the checked ones; null after the last one.
-- Locks: the advisory lock 'payment_totals'. Payments are only read, so writers continue; folding waits.
-- Callers: src/payment-links/read/payment-totals.ts
-- Why in the database: set-based; it reads thousands of payments.
create or replace function check_payment_hours(
  p_practice_id text, p_test boolean, p_from timestamptz, p_rows integer, p_repair boolean,
  out wrong integer, out next_hour timestamptz
) language plpgsql
-- Plan hint COUNTING_PLANS.
set plan_cache_mode = force_custom_plan as $$
declare
  before timestamptz;
  truth payment_totals[];
begin
  perform pg_advisory_xact_lock(hashtextextended('payment_totals', 0));
  select date_trunc('hour', l.paid_at, 'UTC') + interval '1 hour' into next_hour from payment_links l
    where l.practice_id = p_practice_id and l.test = p_test and l.paid_at >= p_from
    order by l.paid_at, l.id offset p_rows limit 1;
  before := coalesce(next_hour, 'infinity');
  -- One statement, so that one snapshot has the payments and the changes that are not folded yet.
  select array_agg(t::payment_totals) into truth from (
    select p_practice_id, p_test, r.hour, r.location_id, r.payment_method_type, r.status, sum(r.payments),
      sum(r.amount_cents), sum(r.fee_cents), sum(r.unknown_fees)
    from (
      select date_trunc('hour', l.paid_at, 'UTC') as hour, l.location_id, t.payment_method_type, t.status, 1 as payments,
        t.amount_cents, coalesce(t.fee_cents, 0) as fee_cents, (t.fee_cents is null)::integer as unknown_fees
      from payment_links l join transactions t on t.payment_link_id = l.id
      where l.practice_id = p_practice_id and l.test = p_test and l.paid_at >= p_from and l.paid_at < before
      union all
      select date_trunc('hour', l.paid_at, 'UTC'), l.location_id, c.payment_method_type, c.status, -c.payments,
        -c.amount_cents, -c.fee_cents, -c.unknown_fees
      from payment_total_changes c join payment_links l on l.id = c.payment_link_id
      where c.practice_id = p_practice_id and l.test = p_test and l.paid_at >= p_from and l.paid_at < before
    ) as r
    group by r.hour, r.location_id, r.payment_method_type, r.status
    having sum(r.payments) <> 0 or sum(r.amount_cents) <> 0 or sum(r.fee_cents) <> 0 or sum(r.unknown_fees) <> 0
  ) as t;
  select count(distinct (e.hour, e.location_id, e.payment_method_type, e.status)) into wrong from (
    (select k.* from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour > '-infinity' and k.hour >= p_from
        and k.hour < before
      except select * from unnest(truth))
    union all
    (select * from unnest(truth) except select k.* from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour > '-infinity' and k.hour >= p_from
        and k.hour < before)
  ) as e;
  if wrong = 0 or not p_repair then return; end if;
  delete from payment_totals k
    where k.practice_id = p_practice_id and k.test = p_test and k.hour > '-infinity' and k.hour >= p_from
      and k.hour < before;
  -- In order of time, as folding would have inserted them.
  insert into payment_totals select * from unnest(truth) as t order by t.hour;
end $$;
