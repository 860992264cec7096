import { ApiError } from '../base/errors.ts';
import { codePoints, isCleanText } from '../base/text.ts';

/** Section 4.2 of the interface. */
const MAX_IDEMPOTENCY_KEY_LENGTH = 200;

/**
 * The documented request headers, each checked when it is read: a handler reads them after its own rules for the body,
 * which is the order of checks that the contract promises.
 *
 * @param distinct every header's lines as they came; Node would join repeated ones into one new value
 * @param required whether the operation demands an idempotency key
 */
export function documentedHeaders(
  distinct: NodeJS.Dict<string[]>,
  required: boolean,
): { readonly 'idempotency-key': string | undefined } {
  return {
    get 'idempotency-key'() {
      return idempotencyKey(distinct['idempotency-key'] ?? [], required);
    },
  };
}

/** @throws ApiError `idempotency_key_required`, or `validation_error` for several lines or too long a key */
function idempotencyKey(lines: readonly string[], required: boolean): string | undefined {
  const param = 'Idempotency-Key';
  const [key] = lines;
  if (lines.length > 1) throw new ApiError('validation_error', { param, message: `Send one ${param} header.` });
  if (required && (key === undefined || key === '')) throw new ApiError('idempotency_key_required', { param });
  if (key === undefined) return undefined;
  // Who sends an empty one means to be protected, and would not be.
  if (key === '') throw new ApiError('validation_error', { param, message: `${param} must not be empty.` });
  // Node gives a character per byte.
  const text = Buffer.from(key, 'latin1').toString('utf8');
  if (codePoints(text) > MAX_IDEMPOTENCY_KEY_LENGTH || !isCleanText(text, false)) {
    const message = `${param} has at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters, none of them a control character.`;
    throw new ApiError('validation_error', { param, message });
  }
  return key;
}
