import { ApiError } from '../../platform/base/errors.ts';
import type { Scope } from '../../platform/base/scope.ts';
import type { Processor } from '../../processors/processor.ts';
import { changeUnblocked, decideUpdate } from '../api/change-link.ts';
import { createLinkSeparately } from '../api/create.ts';
import type { LinkInput } from '../api/input.ts';
import { answerDispute } from '../decide/dispute-decision.ts';
import { cancel } from '../decide/link-decision.ts';
import { PaymentLink, SETTLED_REASONS } from '../model/payment-link.entity.ts';
import { type Staff, staffSees } from '../model/staff-status.ts';
import { changedFields } from '../state/changed-fields.ts';
import type { LinkValues } from '../state/fields.ts';
import type { LinkState } from '../state/state.ts';
import type { ChangeLink, Decide } from '../store/change.ts';
import { separately } from '../store/change.ts';
import { linkRef } from '../store/port.ts';
import { createInPlace } from './resolution.ts';

/* Acts of a practice's staff on links. Each is recorded in its own transaction. Fields with data of patients are named only. */

/** Reasons for a cancellation, which settles a link that waits. The audit log has them, so free text could name a patient there. */
export const CANCEL_REASONS = [...SETTLED_REASONS, 'other'] as const;

export type CancelReason = (typeof CANCEL_REASONS)[number];

/**
 * Creates a link with the id that its form carries. The same form makes one link, however often it is sent.
 * @param replaces id of the link in whose place this one stands, if that takes no payment any more; null for none
 * @returns `repeated` if the link exists with the same entries; `exists` if another form or practice made a link of this id.
 *   `resolved`: nothing was created, because a person has replaced or settled the other link
 * @throws ApiError `not_found` for a location that the person does not see; else as `createLinkForOffice`
 */
export async function createLinkAsStaff(
  scope: Scope,
  staff: Staff,
  id: string,
  input: LinkInput,
  replaces: string | null = null,
): Promise<'created' | 'repeated' | 'exists' | 'resolved'> {
  const { actor, viewer } = staff;
  const { practiceId, test } = viewer;
  const owner = { id: practiceId, test, pinnedLocationId: null, source: 'staff' } as const;
  const create = (scope: Scope) =>
    createLinkSeparately({ ...scope, actor }, owner, input, ({ link, location }) => {
      // The service may have chosen the location.
      if (!staffSees(viewer, link)) throw new ApiError('not_found', { param: 'locationId' });
      return { location, link: { ...link, id } };
    });
  const created = replaces === null ? await create(scope) : await createInPlace(scope, staff, replaces, id, create);
  if (created === 'resolved') return 'resolved';
  if (created !== null) return 'created';
  const present = await scope.em.findOne(PaymentLink, { id, practiceId, test });
  if (present === null || !staffSees(viewer, present)) return 'exists';
  // The time of the expiry differs each time.
  const { expiresAt: _, ...sent } = input;
  return Object.keys(changedFields<typeof sent>(present, sent)).length === 0 ? 'repeated' : 'exists';
}

/** Cancels a link for a reason, or changes its fields; errors as for `cancelLink` and `updateLink`. Nothing is recorded if all stays as it is. */
export function changeLinkAsStaff(
  scope: Scope,
  { actor, viewer }: Staff,
  processor: Processor,
  id: string,
  change: { reason: CancelReason } | { fields: LinkValues },
): Promise<LinkState> {
  const now = scope.clock.now();
  const reason = 'reason' in change ? change.reason : null;
  const decide: Decide = 'fields' in change ? decideUpdate(change.fields, now) : (draft) => cancel(draft, 'staff', now);
  const decideIfSeen: Decide = (draft) => {
    if (!staffSees(viewer, draft.state.link)) throw new ApiError('not_found');
    decide(draft);
  };
  return changeUnblocked({ ...scope, actor, ...separately, processor }, linkRef(id), decideIfSeen, reason);
}

/** Records whether the practice has answered an open dispute. @throws ApiError `not_found` if the person sees no such link and dispute */
export async function answerDisputeAsStaff(
  scope: Scope,
  { actor, viewer }: Staff,
  change: ChangeLink,
  { linkId, disputeId, isAnswered }: { linkId: string; disputeId: string; isAnswered: boolean },
): Promise<void> {
  await change({ ...scope, actor }, linkRef(linkId), (draft) => {
    const { link, disputes } = draft.state;
    if (!staffSees(viewer, link) || !disputes.some(({ id }) => id === disputeId)) throw new ApiError('not_found');
    answerDispute(draft, disputeId, isAnswered ? scope.clock.now() : null);
  });
}
