import { ApiError } from '../../platform/base/errors.ts';
import { codePoints, isCleanLine } from '../../platform/base/text.ts';

/** In characters (openapi.yaml, parameter `IdempotencyKey`). */
const MAX_IDEMPOTENCY_KEY_LENGTH = 200;

/**
 * Returns the checked idempotency key of a request; undefined if it has none.
 *
 * @param distinct the lines of each header as received; Node's other view joins repeated lines into one value
 * @throws ApiError `idempotency_key_required`, `validation_error`
 */
export function readIdempotencyKey(distinct: NodeJS.Dict<string[]>, isRequired: boolean): string | undefined {
  const lines = distinct['idempotency-key'] ?? [];
  const param = 'Idempotency-Key';
  const [key] = lines;
  if (lines.length > 1) throw new ApiError('validation_error', { param, message: `Send one ${param} header.` });
  if (isRequired && (key === undefined || key === '')) throw new ApiError('idempotency_key_required', { param });
  if (key === undefined) return undefined;
  // A client that sends an empty key expects protection that it would not have.
  if (key === '') throw new ApiError('validation_error', { param, message: `${param} must not be empty.` });
  // Node decodes headers as Latin-1: one character per byte.
  const text = Buffer.from(key, 'latin1').toString('utf8');
  if (codePoints(text) > MAX_IDEMPOTENCY_KEY_LENGTH || !isCleanLine(text)) {
    const message = `${param} has at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters, none of them a control character.`;
    throw new ApiError('validation_error', { param, message });
  }
  return key;
}
