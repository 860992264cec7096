import { defineEntity, p } from '@mikro-orm/postgresql';
import type { OperationId } from '../contract/operations-type.ts';
import type { ErrorCode } from '../platform/base/errors.ts';

const ApiRequestSchema = defineEntity({
  name: 'ApiRequest',
  tableName: 'api_requests',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    test: p.boolean(),
    apiKeyId: p.string(),
    /** The `Request-Id` of the answer. */
    requestId: p.string(),
    operation: p.string().$type<OperationId>(),
    status: p.integer(),
    /** Null for answers without an error. */
    errorCode: p.string().$type<ErrorCode>().strictNullable(),
    durationMs: p.integer(),
    createdAt: p.datetime(3),
  },
});

/** A request of an API key. Rows are only inserted, and deleted after three days. */
export class ApiRequest extends ApiRequestSchema.class {}
ApiRequestSchema.setClass(ApiRequest);
