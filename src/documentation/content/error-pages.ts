import { ERRORS, type ErrorCode } from '../../base/errors.ts';
import { document } from '../../contract/document.ts';
import { isObject, resolve } from '../../contract/json-pointer.ts';
import { ERROR_ADVICE } from './error-advice.ts';

/** One operation that may answer an error. */
interface Source {
  operationId: string;
  summary: string;
}

/** All error codes, in the order of the catalogue. */
// The keys of a constant object are its type's keys.
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** Returns the page of one error code as Markdown, made from the catalogue and the contract. */
export function errorPage(code: ErrorCode, publicUrl: string): string {
  const { status, message } = ERRORS[code];
  const { cause, remedy } = ERROR_ADVICE[code];
  const operations = sources.get(code) ?? [];
  const links = operations.map(
    ({ operationId, summary }) => `- [${summary}](${publicUrl}/docs/reference#operation/${operationId})`,
  );
  return `# ${code}

Status ${status}. ${cause}

## What to do

${remedy}

${retryAdvice(code, status)}

## Example

\`\`\`json
${JSON.stringify(examples.get(code) ?? { error: { code, message, param: null, requestId: 'req_5Tn8cVq3Lw7Z' } }, null, 2)}
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
    (code) =>
      `| ${ERRORS[code].status} | [\`${code}\`](${publicUrl}/docs/errors/${code}) | ${ERROR_ADVICE[code].cause} |`,
  );
  return ['| status | code | meaning |', '|---|---|---|', ...rows].join('\n');
}

function retryAdvice(code: ErrorCode, status: number): string {
  if (code === 'idempotency_key_in_flight') return '**Repeat the request** with the same key after a moment.';
  if (status === 429) return '**Repeat the request** after the seconds in `Retry-After`, with exponential backoff.';
  if (status >= 500)
    return '**Repeat the request** with exponential backoff, and wait at least `Retry-After` if it is there.';
  return '**Do not repeat the request** unchanged. It would fail again.';
}

/** First example of each code in the contract. */
const examples = new Map<string, unknown>();

/** Operations by the codes of their documented errors. */
const sources = new Map<string, Source[]>();

for (const item of Object.values(document.paths ?? {})) {
  for (const operation of Object.values(item ?? {})) {
    if (!isObject(operation) || typeof operation.operationId !== 'string') continue;
    const source = { operationId: operation.operationId, summary: `${operation.summary}` };
    for (const response of Object.values(Object(operation.responses))) collect(source, resolve(document, response));
  }
}

function collect(source: Source, response: unknown): void {
  const named = Object(Object(Object(response).content)['application/json']).examples;
  for (const reference of Object.values(Object(named))) {
    const { value } = Object(resolve(document, reference));
    const code = Object(value).error?.code;
    if (typeof code !== 'string') continue;
    if (!examples.has(code)) examples.set(code, value);
    const known = sources.get(code) ?? [];
    if (known.every(({ operationId }) => operationId !== source.operationId)) sources.set(code, [...known, source]);
  }
}
