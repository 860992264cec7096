import { ApiError } from '../base/errors.ts';
import { codePoints, isCleanText } from '../base/text.ts';

/** Section 4.2 of the interface. */
const MAX_IDEMPOTENCY_KEY_LENGTH = 200;

/**
 * The documented request headers, each checked when it is read: a handler reads them after its own rules for the body,
 * which is the order of checks that the contract promises.
 *
 * @param distinct every header's lines as they came; Node would join repeated ones into one new value
 */
export function documentedHeaders(distinct: NodeJS.Dict<string[]>): { readonly 'idempotency-key': string } {
  return {
    get 'idempotency-key'() {
      return idempotencyKey(distinct['idempotency-key'] ?? []);
    },
  };
}

/** @throws ApiError `idempotency_key_required`, or `validation_error` for several lines or too long a key */
function idempotencyKey(lines: readonly string[]): string {
  const param = 'Idempotency-Key';
  const [key] = lines;
  if (lines.length > 1) throw new ApiError('validation_error', { param, message: `Send one ${param} header.` });
  if (key === undefined || key === '') throw new ApiError('idempotency_key_required', { param });
  // Node gives a character per byte.
  const text = Buffer.from(key, 'latin1').toString('utf8');
  if (codePoints(text) > MAX_IDEMPOTENCY_KEY_LENGTH || !isCleanText(text, false)) {
    const message = `${param} has at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters, none of them a control character.`;
    throw new ApiError('validation_error', { param, message });
  }
  return key;
}
