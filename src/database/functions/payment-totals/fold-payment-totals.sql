-- Adds changes of payments to the totals, for all practices together. If a practice's rows are locked, its changes wait, and
-- those of the other practices are added practice by practice.
--
-- Arguments:
--   p_limit  changes per statement; the sum may be larger
-- Returns: the number of changes; 0 if another process is folding.
-- Locks, in this order: the advisory lock 'payment_totals', tried and never waited for; then as fold_payment_totals_of.
-- Callers: src/payment-links/read/payment-totals.ts
-- Why in the database: set-based; one round trip adds thousands of changes.
create or replace function fold_payment_totals(p_limit integer) returns integer language plpgsql as $$
declare
  practice text;
  folded integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('payment_totals', 0)) then return 0; end if;
  begin
    return fold_payment_totals_of(null, p_limit);
  exception when lock_not_available then null;
  end;
  for practice in select distinct practice_id from payment_total_changes loop
    begin
      folded := folded + fold_payment_totals_of(practice, p_limit);
    exception when lock_not_available then null;
    end;
  end loop;
  return folded;
end $$;
