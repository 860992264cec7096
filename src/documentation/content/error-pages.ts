import { document } from '../../contract/document.ts';
import { ERRORS, type ErrorCode } from '../../platform/base/errors.ts';
import { ERROR_ADVICE } from './error-advice.ts';
import { describeContract, listErrors } from './reference/described.ts';

/** All error codes, in the order of the catalogue. */
// The keys of a constant object are its type's keys.
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** Returns the page of one error code as Markdown, made from the catalogue and the contract. */
export function errorPage(code: ErrorCode, publicUrl: string): string {
  const { status, message } = ERRORS[code];
  const documented = describeContract(document).flatMap((operation) =>
    listErrors(operation)
      .filter((error) => error.code === code)
      .map(({ example }) => ({ operation, example })),
  );
  const links = documented.map(({ operation: { id, summary } }) => `- [${summary}](${publicUrl}/docs/reference/${id})`);
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
export function errorTable(publicUrl: string): string {
  const rows = ERROR_CODES.map(
    (code) => `| ${ERRORS[code].status} | [\`${code}\`](${publicUrl}/docs/errors/${code}) | ${ERRORS[code].message} |`,
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
