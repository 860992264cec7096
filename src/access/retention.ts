import { firstIdAt } from '../platform/base/ids.ts';
import type { Scope } from '../platform/base/scope.ts';
import { deleteFirst } from '../platform/database/query/delete-first.ts';
import { REMEMBERED_MS } from './idempotency.ts';
import { REQUESTS_KEPT_MS } from './list-requests.ts';

/**
 * Deletes encrypted replies that are older than 24 hours. They are never replayed again, and they contain secrets.
 *
 * @returns true if there may be more to delete
 */
export function purgeSealedReplies(scope: Scope): Promise<boolean> {
  const before = new Date(scope.clock.now().getTime() - REMEMBERED_MS);
  return deleteFirst(scope, 'sealed_replies', 'created_at <= $1 order by created_at', [before]);
}

/** Deletes logged requests that are older than three days. @returns true if there may be more */
export function purgeApiRequests(scope: Scope): Promise<boolean> {
  const before = firstIdAt('apiRequest', new Date(scope.clock.now().getTime() - REQUESTS_KEPT_MS));
  return deleteFirst(scope, 'api_requests', 'id < $1 order by id', [before]);
}
