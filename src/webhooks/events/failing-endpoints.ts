import type { AccessScope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import type { EndpointStatus } from '../model/transitions.ts';

/** Most deliveries that are counted of an endpoint and status, so that a count stays cheap. */
export const COUNTED_AT_MOST = 100;

/** An endpoint whose deliveries do not arrive. Counts are of events since a time, at most 100. */
export interface FailingEndpoint {
  id: string;
  url: string;
  status: EndpointStatus;
  exhaustedCount: number;
  /** Events that wait for another attempt after a failure. */
  retryingCount: number;
  /** Events that were not tried, because the endpoint was disabled. */
  skippedCount: number;
}

/** Returns the endpoints that the caller sees and whose events since a time failed, were skipped or are being retried. */
export async function findFailingEndpoints(scope: AccessScope, since: Date): Promise<FailingEndpoint[]> {
  const { practiceId, test, locationId } = scope.caller;
  const countOf = (status: string) => `(select count(*)::integer from (
      select from webhook_deliveries d
      where d.endpoint_id = w.id and d.status = '${status}' and d.created_at >= $4 limit ${COUNTED_AT_MOST}
    ) as counted)`;
  const endpoints = await sql<FailingEndpoint>(
    scope.em,
    `select id, url, status, ${countOf('exhausted')} as "exhaustedCount", ${countOf('retrying')} as "retryingCount",
       ${countOf('skipped')} as "skippedCount"
     from webhook_endpoints w
     where practice_id = $1 and test = $2 and ($3::text is null or location_id = $3) and deleted_at is null
     order by created_at desc, id desc`,
    [practiceId, test, locationId, since],
  );
  return endpoints.filter(
    ({ exhaustedCount, retryingCount, skippedCount }) => exhaustedCount + retryingCount + skippedCount > 0,
  );
}
