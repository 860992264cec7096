import { document } from '../../contract/document.ts';
import { ERRORS, type ErrorCode } from '../../platform/base/errors.ts';
import { DOCS_URL } from './guides.ts';
import { describeContract, listErrors } from './reference/described.ts';

/** All error codes, in the order of the catalogue. */
// The keys of a constant object are its type's keys.
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** Returns the page of one error code as Markdown, made from the catalogue and the contract. */
export function errorPage(code: ErrorCode): string {
  const { status, message } = ERRORS[code];
  const documented = describeContract(document).flatMap((operation) =>
    listErrors(operation)
      .filter((error) => error.code === code)
      .map(({ example }) => ({ operation, example })),
  );
  const links = documented.map(({ operation: { id, summary } }) => `- [${summary}](${DOCS_URL}/reference/${id})`);
  const example = documented[0]?.example.value ?? {
    error: { code, message, param: null, requestId: 'req_5Tn8cVq3Lw7Z' },
  };
  return `# ${code}

Status ${status}. ${message}

## What to do

${ERROR_ADVICE[code]}

${retryAdvice(code, status)}

## Example

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`

The \`message\` is for people and may be reworded. Program against \`code\`.

## Operations that answer it

${links.length === 0 ? 'It belongs to no operation: the request reached none.' : links.join('\n')}

[All error codes](../errors.md)
`;
}

/** Returns the table of all codes as Markdown. */
export function errorTable(): string {
  const rows = ERROR_CODES.map(
    (code) => `| ${ERRORS[code].status} | [\`${code}\`](${DOCS_URL}/errors/${code}) | ${ERRORS[code].message} |`,
  );
  return ['| status | code | meaning |', '|---|---|---|', ...rows].join('\n');
}

function retryAdvice(code: ErrorCode, status: number): string {
  if (code === 'idempotency_key_in_flight') return '**Repeat the request** with the same key after a moment.';
  if (status === 408) return '**Repeat the request** with the same key, over a connection that is fast enough.';
  if (status === 429) return '**Repeat the request** after the seconds in `Retry-After`, with exponential backoff.';
  if (status >= 500)
    return '**Repeat the request** with exponential backoff, and wait at least `Retry-After` if it is there.';
  return '**Do not repeat the request** unchanged. It would fail again.';
}

/** Advice about each code for developers, as Markdown: what its message does not say about the cause, and how to correct it. */
const ERROR_ADVICE: Readonly<Record<ErrorCode, string>> = {
  validation_error:
    'A field, query parameter or header is missing, repeated, malformed or out of range, or the body is not ' +
    'JSON. Correct the field that `param` names. A path such as `patient.phone` names a field inside an ' +
    'object.',
  unknown_parameter:
    'Remove the member that `param` names, or correct its spelling. Names are case-sensitive. It may stand in the body or in the query.',
  idempotency_key_required:
    'Send an [idempotency key](../idempotency.md) that names what you bill, such as an invoice number. Every create needs one.',
  invalid_api_key:
    'Send exactly one header `Authorization: Bearer <API_KEY>`. If the key was revoked or has expired, ask an ' +
    'administrator of the practice for a new one. See [authentication](../authentication.md).',
  api_access_disabled: 'Ask an administrator of the practice to switch API access on.',
  insufficient_scope:
    'Use a key that has the scope. The description of each operation names it. [Authentication](../authentication.md#scopes) lists all scopes.',
  test_mode_only:
    'A live key called an operation that exists in test mode only. Use a key that begins with `pp_test_`.',
  not_found:
    'No such resource exists in this practice and mode, or no such path exists. Check the id, the path and ' +
    'the mode of the key. A test key finds no live data. A pinned key finds nothing of other locations.',
  method_not_allowed: 'Use one of the methods in the `Allow` header.',
  request_timeout:
    'The headers did not arrive within ten seconds, or the whole request not within thirty. Send the request ' +
    'again, with the same idempotency key if it has one.',
  link_not_active:
    'The link is paid, expired or cancelled. Read the link for its present state. Create a new link if the balance is still owed.',
  payment_state_conflict:
    'A test helper needs another state of the payment, such as a settled one, or of its dispute. The message ' +
    'says what is missing. [Testing](../testing.md#what-follows-a-payment) shows which state each helper ' +
    'needs. Only test keys get this error.',
  payments_not_enabled:
    'Ask an administrator of the practice to finish onboarding. Use a test key until then. Only live keys get this error.',
  no_active_location:
    'The practice has no active location, or the key is pinned to a location that is deactivated. Ask an ' +
    'administrator of the practice to add a location, or for a key of an active one.',
  limit_reached: 'Delete an endpoint that you no longer need. Disabled ones count.',
  endpoint_disabled:
    'A test, replay or redelivery needs an enabled endpoint. Enable it with `PATCH` and `{"enabled": true}`. Then repeat the request.',
  idempotency_key_in_flight: 'Wait. The same request gets the stored answer once the first one has ended.',
  payload_too_large:
    'The limit holds after decompression, too. Send less. Keep your own data on your side, and only its key in `metadata`.',
  unsupported_media_type: 'Send `Content-Type: application/json`, uncompressed or with gzip, deflate or br.',
  idempotency_key_reused: 'Use a new key for a new request. Repeat a request with exactly the same JSON.',
  rate_limited:
    'The requests came by this key or from this address. Spread them. The `RateLimit` headers show the state of the key. See [limits](../limits.md).',
  daily_limit_reached: 'The key created its 5,000 links of this UTC day. Go on after 00:00 UTC.',
  replay_cooldown: 'Wait for the seconds in `Retry-After`. A refused replay does not start the ten minutes anew.',
  headers_too_large:
    'Nothing of the request was read, not even its key. Send fewer or shorter headers, such as no cookies. A filter belongs in one query parameter.',
  internal_error: 'Nothing was changed. If it stays, ask for help and quote `requestId`.',
  webhooks_unavailable:
    'Everything without webhooks works. Deliveries wait and lose no attempts. Repeat the request later.',
  service_unavailable:
    'A change may have been made or not. Repeat a create with its `Idempotency-Key`. Read the resource before you repeat another change.',
};
