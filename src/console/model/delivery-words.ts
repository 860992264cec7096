/** Errors of attempts that have words of their own. The contract allows more in the future. */
export const ATTEMPT_ERRORS = [
  'timeout',
  'dns_error',
  'connection_error',
  'tls_error',
  'blocked_address',
  'invalid_response',
  'http_status',
  'interrupted',
] as const;

export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

export type RedeliveryRefusal =
  | 'endpoint_disabled'
  | 'webhooks_unavailable'
  | 'replay_cooldown'
  | 'invalid_range'
  | 'unknown_endpoint'
  | 'not_confirmed';

export type DebuggerInputFault = 'secret' | 'header' | 'body' | 'at';
