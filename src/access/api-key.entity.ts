import { defineEntity, p } from '@mikro-orm/postgresql';

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    test: p.boolean(),
    /** As the practice calls it; null until a person names it. */
    name: p.string().strictNullable(),
    hash: p.blob(),
    /** The encrypted key. Null for live keys, and for keys that were created without a `SECRETS_KEY`. */
    ciphertext: p.text().strictNullable(),
    lastFour: p.string(),
    scopes: p.array(),
    /** Null: all locations of the practice. */
    locationId: p.string().strictNullable(),
    requestsPerMinute: p.integer(),
    expiresAt: p.datetime(3).strictNullable(),
    revokedAt: p.datetime(3).strictNullable(),
    /** Precise to the minute. */
    lastUsedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
    /** The person who made the key in the console; null for the operator. */
    createdBy: p.string().strictNullable(),
  },
});

/** An API key. The row has its hash, and the encrypted key if it is a test key. */
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);
