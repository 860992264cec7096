import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ErrorCode } from '../base/errors.ts';
import type { OperationId } from '../contract/operations-type.ts';

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
