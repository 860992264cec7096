import type { WebhookAttemptError } from '../../contract/operations-type.ts';
import type { AccessScope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { visibleRowsSql } from '../../platform/database/query/visible-rows.ts';
import type { EndpointStatus } from '../model/transitions.ts';

/** Most deliveries of an endpoint and status that are counted, so that a count stays cheap. */
export const COUNTED_AT_MOST = 100;

/** Counts are of events since a time, at most 100. */
export interface FailingEndpoint {
  id: string;
  url: string;
  status: EndpointStatus;
  exhaustedCount: number;
  /** Events that wait for another attempt after a failure. */
  retryingCount: number;
  skippedCount: number;
}

/** Returns the visible endpoints whose events since a time failed, were skipped or are being retried. */
export async function findFailingEndpoints(scope: AccessScope, since: Date): Promise<FailingEndpoint[]> {
  const { practiceId, test, locationId } = scope.caller;
  const countSql = (status: string) => `(select count(*)::integer from (
      select from webhook_deliveries d
      where d.endpoint_id = w.id and d.status = '${status}' and d.created_at >= $4 limit ${COUNTED_AT_MOST}
    ) as counted)`;
  const endpoints = await sql<FailingEndpoint>(
    scope.em,
    `select id, url, status, ${countSql('exhausted')} as "exhaustedCount", ${countSql('retrying')} as "retryingCount",
       ${countSql('skipped')} as "skippedCount"
     from webhook_endpoints w
     where ${visibleRowsSql('w', '$1', '$2', '$3')} and deleted_at is null
     order by created_at desc, id desc`,
    [practiceId, test, locationId, since],
  );
  return endpoints.filter((one) => one.exhaustedCount + one.retryingCount + one.skippedCount > 0);
}

/** Newest events of an endpoint that are looked at, so that a page stays fast. A practice has some dozens a week. */
const SAMPLE_DELIVERIES = 1_000;

/** Outcomes of an endpoint's newest events. Events that wait for their first attempt, or were skipped, have none. */
export interface EndpointHealth {
  arrivedCount: number;
  /** Events whose attempts failed so far. */
  failedCount: number;
  /** True if the newest event with an outcome has failed. One event that arrives ends it, also a ping. */
  isFailing: boolean;
  /** Null if all arrived. */
  lastFailure: { at: Date; error: WebhookAttemptError; responseStatus: number | null } | null;
}

interface HealthRow extends Omit<EndpointHealth, 'lastFailure'> {
  id: string;
  at: string | null;
  error: WebhookAttemptError | null;
  responseStatus: number | null;
}

/** Returns the health of the visible endpoints by their ids, of the events since a time. */
export async function readEndpointHealth(
  scope: AccessScope,
  since: Date,
): Promise<ReadonlyMap<string, EndpointHealth>> {
  const { practiceId, test, locationId } = scope.caller;
  // The index of the list answers the counts alone. An endpoint that was disabled may have older failures, so they have no time.
  const rows = await sql<HealthRow>(
    scope.em,
    `select w.id, "arrivedCount", "failedCount", "isFailing", f.last_attempt_at as at, f.last_error as error,
       f.last_response_status as "responseStatus"
     from webhook_endpoints w
     cross join lateral (
       select count(*) filter (where status = 'delivered')::integer as "arrivedCount",
         count(*) filter (where status in ('retrying', 'exhausted'))::integer as "failedCount",
         coalesce(max(id) filter (where status in ('retrying', 'exhausted')), '') >
           coalesce(max(id) filter (where status = 'delivered'), '') as "isFailing",
         max(id) filter (where status = 'retrying') as retrying_id
       from (
         select id, status from webhook_deliveries
         where endpoint_id = w.id and created_at >= $4 order by created_at desc, id desc limit ${SAMPLE_DELIVERIES}
       ) newest
     ) c
     left join lateral (
       select last_attempt_at, last_error, last_response_status from webhook_deliveries
       where id = any (array[retrying_id, (
         select id from webhook_deliveries
         where endpoint_id = w.id and status = 'exhausted' order by created_at desc, id desc limit 1
       )])
       order by last_attempt_at desc limit 1
     ) f on true
     where ${visibleRowsSql('w', '$1', '$2', '$3')} and deleted_at is null`,
    [practiceId, test, locationId, since],
  );
  return new Map(
    rows.map(({ id, at, error, responseStatus, ...health }) => {
      const lastFailure = at === null || error === null ? null : { at: new Date(at), error, responseStatus };
      return [id, { ...health, lastFailure }];
    }),
  );
}
