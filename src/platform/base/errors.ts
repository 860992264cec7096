/**
 * Catalogue of all API errors: code, status and default message. `openapi.yaml` and the guide's
 * table of errors have the same codes; a test compares all three.
 */
export const ERRORS = {
  validation_error: { status: 400, message: 'The request is invalid.' },
  unknown_parameter: { status: 400, message: 'The request contains a parameter that this operation does not know.' },
  idempotency_key_required: { status: 400, message: 'This operation needs an Idempotency-Key header.' },
  invalid_api_key: { status: 401, message: 'The API key is missing, malformed, unknown, revoked or expired.' },
  api_access_disabled: { status: 403, message: 'API access is switched off for this practice.' },
  insufficient_scope: { status: 403, message: 'The API key lacks the scope this operation needs.' },
  test_mode_only: { status: 403, message: 'This operation is available to test keys only.' },
  not_found: { status: 404, message: 'No such resource.' },
  method_not_allowed: { status: 405, message: 'This path does not support the method; see the Allow header.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  link_not_active: { status: 409, message: 'The payment link is no longer active.' },
  payment_state_conflict: { status: 409, message: "The state of the link's payment does not allow this." },
  payments_not_enabled: { status: 409, message: 'The practice has not finished payment onboarding.' },
  no_active_location: { status: 409, message: 'There is no active location for this key.' },
  limit_reached: { status: 409, message: 'The practice already has 10 webhook endpoints in this mode.' },
  endpoint_disabled: { status: 409, message: 'The webhook endpoint is disabled; enable it first.' },
  idempotency_key_in_flight: { status: 409, message: 'A request with this Idempotency-Key is still running.' },
  payload_too_large: { status: 413, message: 'The request body exceeds 65,536 bytes.' },
  unsupported_media_type: {
    status: 415,
    message: 'Send the body as application/json in UTF-8, plain or compressed with gzip, deflate or br.',
  },
  idempotency_key_reused: { status: 422, message: 'This Idempotency-Key was used with a different body.' },
  rate_limited: { status: 429, message: 'Too many requests; retry after the seconds in Retry-After.' },
  daily_limit_reached: { status: 429, message: 'The daily cap of payment links is used up; it resets at 00:00 UTC.' },
  replay_cooldown: { status: 429, message: 'This endpoint was replayed less than 10 minutes ago.' },
  headers_too_large: { status: 431, message: 'The request line and headers exceed 16 KB.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  webhooks_unavailable: { status: 503, message: 'Webhook signing is temporarily unavailable.' },
  service_unavailable: { status: 503, message: 'The service is temporarily unavailable; retry shortly.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  /** It never repeats a value of the body. */
  message?: string;
  /** Field, dotted (`patient.email`), or header or query parameter. */
  param?: string;
  /** Whole seconds, at least 1. Every 429 carries one. */
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** It is thrown, because it must also roll back the transaction. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? ERRORS[code].message, { cause: details.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = details;
  }
}

/** The hint is the next step. Both texts are complete sentences for a terminal. */
export class OperatorError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.hint = hint;
  }
}

/** The message names the source, and then each fault. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[], source = 'The configuration') {
    super(`${source} has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
