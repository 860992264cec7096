import type { Query } from '../evidence.ts';

/** Longest time for each of the two steps, in seconds. */
const SLOW_SECONDS = 2;

/**
 * Makes the processor take up to two seconds for each charge, and the database as long for the record of it. So the next fault meets
 * payments that are being charged, and others that are charged and not yet recorded.
 *
 * @param forSeconds time after which both are as fast as before
 */
export async function slowDownPayments(query: Query, forSeconds: number): Promise<void> {
  const [row] = await query<{ until: string }>(
    'select (clock_timestamp() + make_interval(secs => $1))::text as until',
    [forSeconds],
  );
  await query(
    `create function sandbox.take_time_to_pay() returns trigger language plpgsql as $$
     begin
       if clock_timestamp() < '${row?.until}'::timestamptz then
         perform pg_sleep(random() * ${SLOW_SECONDS});
       end if;
       return new;
     end $$`,
  );
  await query(
    `create trigger take_time_to_charge before update on sandbox.payments for each row
     when (old.state = 'created') execute function sandbox.take_time_to_pay()`,
  );
  await query(
    `create trigger take_time_to_record before insert on transactions for each row
     when (new.attempt_id is not null) execute function sandbox.take_time_to_pay()`,
  );
}
