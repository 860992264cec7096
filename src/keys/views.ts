import type { ApiKey } from './api-key.entity.ts';

/** Returns a key as the operator's commands show it, without the key itself. */
export function apiKeyView(apiKey: ApiKey) {
  return {
    id: apiKey.id,
    practiceId: apiKey.practiceId,
    mode: apiKey.test ? 'test' : 'live',
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
