import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { nextAttemptDelayMs } from '../model/retry-schedule.ts';
import { recordFailure } from './attempts.ts';

interface Orphan {
  deliveryId: string;
  endpointId: string;
  number: number;
  ladderAttempts: number;
  startedAt: string;
}

/**
 * Ends attempts whose worker died before it could record their outcome: `interrupted`, counted among the eight, and
 * the ladder goes on. The receiver may have got them; that is why duplicates are possible.
 *
 * @param epoch the lease just claimed: attempts of every older one are orphans.
 */
export async function settleOrphans(
  scope: Scope,
  endpointId: string,
  epoch: string,
  ladder: { retrySeconds: readonly number[]; random?: () => number },
): Promise<void> {
  const orphans = await sql<Orphan>(
    scope.em,
    `select a.delivery_id as "deliveryId", a.endpoint_id as "endpointId", a.number, d.ladder_attempts as "ladderAttempts", a.started_at as "startedAt"
     from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
     where a.endpoint_id = $1 and a.duration_ms is null and a.lease_epoch < $2
     order by a.started_at`,
    [endpointId, epoch],
  );
  for (const orphan of orphans) {
    const now = scope.clock.now();
    const delayMs = nextAttemptDelayMs({
      failedAttempts: orphan.ladderAttempts,
      retrySeconds: ladder.retrySeconds,
      random: ladder.random ?? Math.random,
      retryAfterSeconds: null,
    });
    const durationMs = Math.max(0, now.getTime() - new Date(orphan.startedAt).getTime());
    const after = delayMs === null ? 'exhausted' : { retryAt: new Date(now.getTime() + delayMs) };
    await recordFailure(scope, orphan, { durationMs, responseStatus: null, error: 'interrupted' }, after);
    scope.log.warn({ eventId: orphan.deliveryId, endpointId, attempt: orphan.number }, 'webhook attempt interrupted');
  }
}
