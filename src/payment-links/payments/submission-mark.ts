import { setTimeout as sleep } from 'node:timers/promises';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';

/*
 * The submission mark distinguishes a slow submission from a submission whose process died. Charges do not depend on it. If the
 * mark of a running submission runs out, the processor is asked to cancel, and decides which request came first.
 */

/** Time for which a submission counts as running after its process last renewed the mark. */
export const ALIVE_SECONDS = 2;

/** The process renews three times before the mark runs out. */
const RENEWAL_MS = 500;

/** A timer may fire a millisecond early, while the mark is still there. */
const EARLY_MS = 10;

interface SubmissionMark extends AsyncDisposable {
  /** Lets the mark run out by itself, which saves a statement. Nobody reads the mark of a closed attempt. */
  leave(): void;
}

/** Renews the mark, which the insert of the attempt has set. Failures are only logged, because the mark runs out by itself. */
export function keepAlive(scope: Scope, attemptId: string): SubmissionMark {
  let renewal: Promise<void> | null = null;
  let isLeft = false;
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
  };
  const timer = setInterval(renew, RENEWAL_MS);
  return {
    leave() {
      isLeft = true;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await renewal;
      if (!isLeft) await mark(null);
    },
  };
}

/** Returns true if a process is still submitting the attempt. Waits for at most two seconds, in which the mark of a dead process runs out. */
export async function isSubmitting(scope: Scope, attemptId: string): Promise<boolean> {
  const remainingMs = await readRemainingMs(scope, attemptId);
  if (remainingMs <= 0) return false;
  await sleep(Math.min(remainingMs, ALIVE_SECONDS * 1000) + EARLY_MS);
  return (await readRemainingMs(scope, attemptId)) > 0;
}

/** Returns 0 or less if the mark has run out, or if there is none. */
async function readRemainingMs(scope: Scope, attemptId: string): Promise<number> {
  const [row] = await sql<{ ms: number | null }>(
    fresh(scope).em,
    `select ceil(extract(epoch from submitting_until - coalesce($2, clock_timestamp())) * 1000)::integer as ms
     from payment_attempts where id = $1`,
    [attemptId, scope.clock.shared()],
  );
  return row?.ms ?? 0;
}
