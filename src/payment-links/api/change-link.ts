import { ApiError } from '../../platform/base/errors.ts';
import { asService, type CallerScope } from '../../platform/base/scope.ts';
import { ProcessorUnavailable } from '../../processors/processor.ts';
import { cancel, requireActive, update } from '../decide/link-decision.ts';
import { type PaymentScope, readAttempt } from '../payments/apply.ts';
import { cancelAttempt } from '../payments/sync.ts';
import { audited } from '../state/acts.ts';
import type { LinkValues } from '../state/fields.ts';
import type { LinkState } from '../state/state.ts';
import type { Decide } from '../store/change.ts';
import { type LinkRef, linkRef, linkRefForKey } from '../store/port.ts';
import { checkExpiry } from './input.ts';

/** `Retry-After` in seconds while the processor does not answer. */
const RETRY_SECONDS = 30;

/** A patient may submit again after each cancellation, but hardly more often. */
const MAX_TRIES = 3;

/**
 * Cancels an active link for the API; a cancelled one is returned unchanged. An open attempt is cancelled first.
 * @throws ApiError `not_found`; `link_not_active`, also when the attempt turned out to be paid; `service_unavailable`
 */
export async function cancelLink(scope: CallerScope & PaymentScope, id: string): Promise<LinkState> {
  const now = scope.clock.now();
  return changeUnblocked(scope, linkRefForKey(scope.caller, id), (draft) => cancel(draft, 'api', now));
}

/** Cancels an active link for office staff; errors as for `cancelLink`. */
export async function cancelLinkForOffice(scope: PaymentScope, id: string): Promise<LinkState> {
  const now = scope.clock.now();
  return changeUnblocked(scope, linkRef(id), (draft) => cancel(draft, 'staff', now));
}

/** Changes an active link. A new amount first cancels an open attempt. @throws as `cancelLink`; also `validation_error` on `expiresAt` */
export async function updateLink(scope: CallerScope & PaymentScope, id: string, fields: LinkValues) {
  const { expiresAt } = fields;
  const now = scope.clock.now();
  // Values are checked before existence and state.
  if (expiresAt !== undefined) checkExpiry(expiresAt, now, now);
  return changeUnblocked(scope, linkRefForKey(scope.caller, id), decideUpdate(fields, now));
}

/** @throws ApiError `link_not_active`, `validation_error` on `expiresAt` */
export function decideUpdate(fields: LinkValues, now: Date): Decide {
  return (draft) => {
    const { link } = draft.state;
    requireActive(link, now);
    if (fields.expiresAt !== undefined) checkExpiry(fields.expiresAt, link.createdAt, now);
    update(draft, fields, now);
  };
}

/** Changes a link, and records what changes. If an open attempt blocks the change, cancels the attempt and tries again. */
export async function changeUnblocked(
  scope: PaymentScope,
  link: LinkRef,
  decide: Decide,
  reason?: string | null,
): Promise<LinkState> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { after, blockedBy } = await scope.change(scope, link, audited(decide, reason));
    if (blockedBy === null) return after;
    await cancelOpenAttempt(asService(scope), blockedBy);
  }
  throw blockedByAttempt();
}

/** Cancels the open attempt of a link. Afterwards it has none, or is paid. @throws ApiError `service_unavailable` */
async function cancelOpenAttempt(scope: PaymentScope, attemptId: string): Promise<void> {
  const attempt = await readAttempt(scope, attemptId);
  await cancelAttempt(scope, attempt).catch((error: unknown) => {
    throw error instanceof ProcessorUnavailable ? blockedByAttempt(error) : error;
  });
}

function blockedByAttempt(cause?: unknown): ApiError {
  const message = 'A payment of this link is under way and cannot be cancelled at the moment; retry shortly.';
  return new ApiError('service_unavailable', { message, retryAfterSeconds: RETRY_SECONDS, cause });
}
