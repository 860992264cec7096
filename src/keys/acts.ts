import type { Act } from '../audit/audit.ts';
import type { ApiKey } from './api-key.entity.ts';
import { apiKeyView } from './views.ts';

/** Returns an act on a key for the audit log. The view of a key has its last four characters, and not the key. */
export function keyAct(what: 'created' | 'revoked' | 'viewed', apiKey: ApiKey): Act {
  return {
    practiceId: apiKey.practiceId,
    action: `key.${what}`,
    target: { kind: 'api_key', id: apiKey.id },
    after: apiKeyView(apiKey),
  };
}
