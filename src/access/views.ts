import { modeName } from '../platform/base/scope.ts';
import type { Act } from '../practices/audit/audit.ts';
import type { ApiKey } from './api-key.entity.ts';

export function apiKeyView(apiKey: ApiKey) {
  return {
    id: apiKey.id,
    practiceId: apiKey.practiceId,
    mode: modeName(apiKey),
    lastFour: apiKey.lastFour,
    scopes: apiKey.scopes,
    locationId: apiKey.locationId,
    requestsPerMinute: apiKey.requestsPerMinute,
    expiresAt: apiKey.expiresAt?.toISOString() ?? null,
    revokedAt: apiKey.revokedAt?.toISOString() ?? null,
    lastUsedAt: apiKey.lastUsedAt?.toISOString() ?? null,
    createdAt: apiKey.createdAt.toISOString(),
  };
}

/** Returns an act on a key for the audit log. The view of a key has its last four characters, and not the key. */
export function keyAct(what: 'created' | 'renamed' | 'revoked' | 'viewed', apiKey: ApiKey): Act {
  return {
    practiceId: apiKey.practiceId,
    action: `key.${what}`,
    target: { kind: 'api_key', id: apiKey.id },
    after: { ...apiKeyView(apiKey), name: apiKey.name },
  };
}
