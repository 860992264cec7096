-- Compares the totals of all hours together with the sums of the hours, and repairs them on request.
--
-- Arguments:
--   p_practice_id, p_test  practice and mode
--   p_repair               true: wrong totals are added up again
-- Returns: the number of wrong totals.
-- Locks: the advisory lock 'payment_totals'. Folding waits.
-- Callers: src/payment-links/read/payment-totals.ts
-- Why in the database: part of check_payment_hours, for the row that belongs to no hour.
create or replace function check_payment_sums(p_practice_id text, p_test boolean, p_repair boolean) returns integer
language plpgsql as $$
declare
  wrong integer;
  truth payment_totals[];
begin
  perform pg_advisory_xact_lock(hashtextextended('payment_totals', 0));
  select array_agg(t::payment_totals) into truth from (
    select p_practice_id, p_test, '-infinity'::timestamptz, k.location_id, k.payment_method_type, k.status,
      sum(k.payments), sum(k.amount_cents), sum(k.fee_cents), sum(k.unknown_fees)
    from payment_totals k
    where k.practice_id = p_practice_id and k.test = p_test and k.hour > '-infinity'
    group by k.location_id, k.payment_method_type, k.status
    having sum(k.payments) <> 0 or sum(k.amount_cents) <> 0 or sum(k.fee_cents) <> 0 or sum(k.unknown_fees) <> 0
  ) as t;
  select count(distinct (e.location_id, e.payment_method_type, e.status)) into wrong from (
    (select k.* from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour = '-infinity'
      except select * from unnest(truth))
    union all
    (select * from unnest(truth) except select k.* from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour = '-infinity')
  ) as e;
  if wrong > 0 and p_repair then
    delete from payment_totals k
      where k.practice_id = p_practice_id and k.test = p_test and k.hour = '-infinity';
    insert into payment_totals select * from unnest(truth);
  end if;
  return wrong;
end $$;
