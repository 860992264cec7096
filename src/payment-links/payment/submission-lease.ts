import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../../base/scope.ts';
import { fresh } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';

/*
 * Tells a submission that takes its time from one whose process died. Nothing that is charged depends on it: whoever
 * takes a living one for dead asks the processor to cancel, and the processor decides which of the two came first.
 */

/** How long a submission counts as alive after its process last said so. */
const ALIVE_SECONDS = 2;

/** How often the process says so: three times before it would count as dead. */
const RENEWAL_MS = 500;

/**
 * Keeps the attempt's submission marked as alive until the lease is disposed of. What fails here is left alone: the mark
 * runs out by itself.
 */
export async function keepAlive(scope: Scope, attemptId: string): Promise<AsyncDisposable> {
  let renewal: Promise<void> | null = null;
  const mark = (seconds: number | null) =>
    sql(
      fresh(scope).em,
      `update payment_attempts
       set submitting_until = coalesce($3, clock_timestamp()) + make_interval(secs => $2)
       where id = $1 and closed_at is null`,
      [attemptId, seconds, scope.clock.shared()],
    ).then(
      () => {},
      (err) => scope.log.debug({ err, attemptId }, 'a submission could not be marked as alive'),
    );
  const renew = () => {
    renewal ??= mark(ALIVE_SECONDS).finally(() => {
      renewal = null;
    });
    return renewal;
  };
  await renew();
  const timer = setInterval(renew, RENEWAL_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await renewal;
      await mark(null);
    },
  };
}

/**
 * Whether a process is still submitting the attempt. Waits for at most two seconds until one that died shows as dead, so
 * that the patient need not ask twice.
 */
export async function isSubmitting(scope: Scope, attemptId: string): Promise<boolean> {
  const left = await aliveMs(scope, attemptId);
  if (left <= 0) return false;
  await sleep(Math.min(left, ALIVE_SECONDS * 1000));
  return (await aliveMs(scope, attemptId)) > 0;
}

/** Milliseconds for which the submission still counts as alive; 0 or less when it doesn't. */
async function aliveMs(scope: Scope, attemptId: string): Promise<number> {
  const [row] = await sql<{ ms: number | null }>(
    fresh(scope).em,
    `select ceil(extract(epoch from submitting_until - coalesce($2, clock_timestamp())) * 1000)::integer as ms
     from payment_attempts where id = $1`,
    [attemptId, scope.clock.shared()],
  );
  return row?.ms ?? 0;
}
