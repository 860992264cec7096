import { defineEntity, p } from '@mikro-orm/postgresql';

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    test: p.boolean(),
    hash: p.blob(),
    /** Test keys only, and only where secrets could be encrypted when it was made. */
    ciphertext: p.text().strictNullable(),
    lastFour: p.string(),
    scopes: p.array(),
    /** Null: all locations of the practice. */
    locationId: p.string().strictNullable(),
    requestsPerMinute: p.integer(),
    expiresAt: p.datetime(3).strictNullable(),
    revokedAt: p.datetime(3).strictNullable(),
    /** To the minute. */
    lastUsedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** A key of the API, by its hash. The key itself is not here. */
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);
