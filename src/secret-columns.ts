import type { SecretColumn } from './database/query/rotate-secrets.ts';
import { REPLY_SECRETS } from './keys/sealed-replies.ts';
import { KEY_SECRETS } from './keys/service.ts';
import { ENDPOINT_SECRETS } from './webhooks/endpoints/service.ts';

/** All columns that SECRETS_KEY encrypts. A test compares them with the schema. */
export const SECRET_COLUMNS: readonly SecretColumn[] = [...ENDPOINT_SECRETS, KEY_SECRETS, REPLY_SECRETS];
