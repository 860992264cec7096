import type { ErrorCode } from '../../platform/base/errors.ts';

/**
 * Explanation of each code of the catalogue for developers: the condition that causes the error, and the steps that correct it, as
 * Markdown. The compiler reports a code without one.
 */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, { cause: string; remedy: string }>> = {
  validation_error: {
    cause:
      'A field, query parameter or header is missing, repeated, malformed or out of range, or the body is not JSON.',
    remedy: 'Correct the field that `param` names. A path such as `patient.phone` names a field inside an object.',
  },
  unknown_parameter: {
    cause: 'The body or the query has a member that the operation does not document.',
    remedy: 'Remove the member that `param` names, or correct its spelling. Names are case-sensitive.',
  },
  idempotency_key_required: {
    cause: 'A create came without the `Idempotency-Key` header.',
    remedy: 'Send an [idempotency key](../idempotency.md) that names what you bill, such as an invoice number.',
  },
  invalid_api_key: {
    cause: 'The API key is missing, malformed, unknown, revoked or expired.',
    remedy:
      'Send exactly one header `Authorization: Bearer <API_KEY>`. If the key was revoked or has expired, ask an administrator of the practice for a new one. See [authentication](../authentication.md).',
  },
  api_access_disabled: {
    cause: 'The practice switched off its access to this interface.',
    remedy: 'Ask an administrator of the practice to switch it on.',
  },
  insufficient_scope: {
    cause: 'The key lacks the scope of the operation.',
    remedy:
      'Use a key that has the scope. The description of each operation names it. [Authentication](../authentication.md#scopes) lists all scopes.',
  },
  test_mode_only: {
    cause: 'A live key called an operation that exists in test mode only.',
    remedy: 'Use a key that begins with `pp_test_`.',
  },
  not_found: {
    cause: 'No such resource exists in this practice and mode, or no such path exists.',
    remedy:
      'Check the id, the path and the mode of the key. A test key finds no live data. A pinned key finds nothing of other locations.',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    cause: 'The headers did not arrive within ten seconds, or the whole request not within thirty.',
    remedy: 'Send the request again, with the same idempotency key if it has one.',
  },
  link_not_active: {
    cause: 'The payment link is paid, expired or cancelled.',
    remedy: 'Read the link for its present state. Create a new link if the balance is still owed.',
  },
  payment_state_conflict: {
    cause:
      'A test helper needs another state of the payment, such as a settled one, or of its dispute. Only test keys get this error.',
    remedy:
      'The message says what is missing. [Testing](../testing.md#what-follows-a-payment) shows which state each helper needs.',
  },
  payments_not_enabled: {
    cause: 'The practice has not finished payment onboarding. This concerns live keys only.',
    remedy: 'Ask an administrator of the practice to finish onboarding. Use a test key until then.',
  },
  no_active_location: {
    cause: 'The practice has no active location, or the key is pinned to a location that is deactivated.',
    remedy: 'Ask an administrator of the practice to add a location, or for a key of an active one.',
  },
  limit_reached: {
    cause: 'The practice already has ten webhook endpoints in this mode. Disabled ones count.',
    remedy: 'Delete an endpoint that you no longer need.',
  },
  endpoint_disabled: {
    cause: 'A test, replay or redelivery was requested for a disabled webhook endpoint.',
    remedy: 'Enable the endpoint with `PATCH` and `{"enabled": true}`. Then repeat the request.',
  },
  idempotency_key_in_flight: {
    cause: 'A request with this idempotency key is still being processed.',
    remedy: 'Wait. The same request gets the stored answer once the first one has ended.',
  },
  payload_too_large: {
    cause: 'The request body is over 64 KB (65,536 bytes), also after decompression.',
    remedy: 'Send less. Keep your own data on your side, and only its key in `metadata`.',
  },
  unsupported_media_type: {
    cause: 'The media type or the content encoding of the body is not accepted.',
    remedy: 'Send `Content-Type: application/json`, uncompressed or with gzip, deflate or br.',
  },
  idempotency_key_reused: {
    cause: 'The idempotency key was used before with a different body.',
    remedy: 'Use a new key for a new request. Repeat a request with exactly the same JSON.',
  },
  rate_limited: {
    cause: 'There were too many requests by this key or from this address.',
    remedy: 'Spread the requests. The `RateLimit` headers show the state of the key. See [limits](../limits.md).',
  },
  daily_limit_reached: {
    cause: 'The key created its 5,000 links of this UTC day.',
    remedy: 'Go on after 00:00 UTC.',
  },
  replay_cooldown: {
    cause: 'The endpoint was replayed less than ten minutes ago.',
    remedy: 'Wait for the seconds in `Retry-After`. A refused replay does not start the ten minutes anew.',
  },
  headers_too_large: {
    cause: 'The request line and the headers together are over 16 KB. They were not read, so the key was not either.',
    remedy: 'Send fewer or shorter headers, such as no cookies. A filter belongs in one query parameter.',
  },
  internal_error: {
    cause: 'A fault of the service. Nothing was changed.',
    remedy: 'If it stays, ask for help and quote `requestId`.',
  },
  webhooks_unavailable: {
    cause: 'Webhook signing is temporarily unavailable. Everything without webhooks works.',
    remedy: 'Deliveries wait and lose no attempts. Repeat the request later.',
  },
  service_unavailable: {
    cause: 'The service is temporarily unavailable. A change may have been made or not.',
    remedy: 'Repeat a create with its `Idempotency-Key`. Read the resource before you repeat another change.',
  },
};
