import { ApiError } from '../../platform/base/errors.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { type Act, audit } from '../../practices/audit/audit.ts';
import type { Processor } from '../../processors/processor.ts';
import { changeUnblocked, decideUpdate } from '../api/change-link.ts';
import { createLinkSeparately } from '../api/create.ts';
import type { LinkInput } from '../api/input.ts';
import { answerDispute } from '../decide/dispute-decision.ts';
import { cancel } from '../decide/link-decision.ts';
import { Refund, type RefundSettledReason } from '../model/after-payment.entity.ts';
import { owedSql } from '../model/owed.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { LinkResolution, PaymentLink, SETTLED_REASONS, type SettledReason } from '../model/payment-link.entity.ts';
import { type Staff, staffSees, viewerValues } from '../model/staff-status.ts';
import { inDoubtFilter } from '../payments/payable.ts';
import type { LinkValues } from '../state/fields.ts';
import { changedFields, type LinkState } from '../state/state.ts';
import { type ChangeLink, type Decide, separately } from '../store/change.ts';
import { linkRef } from '../store/port.ts';
import { lockStaffLink } from './link.ts';

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
  const outcome = replaces === null ? await create(scope) : await createInPlace(scope, staff, replaces, id, create);
  if (outcome === 'resolved') return 'resolved';
  if (outcome !== null) return 'created';
  const link = await scope.em.findOne(PaymentLink, { id, practiceId, test });
  if (link === null || !staffSees(viewer, link)) return 'exists';
  // The time of the expiry differs each time.
  const { expiresAt: _, ...entries } = input;
  return Object.keys(changedFields<typeof entries>(link, entries)).length === 0 ? 'repeated' : 'exists';
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

/** The link that a link replaces, and the end of its owed amount; null for none. */
export interface Replacement {
  predecessorId: string | null;
  resolution: LinkResolution | null;
}

const RESOLVE = `
  insert into link_resolutions (practice_id, payment_link_id, reason, successor_link_id, actor_id, resolved_at)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (practice_id, payment_link_id) do update set
    reason = excluded.reason, successor_link_id = excluded.successor_link_id, actor_id = excluded.actor_id,
    resolved_at = excluded.resolved_at
  where link_resolutions.successor_link_id is null and excluded.successor_link_id is not null
  returning true as resolved`;

/** Records the resolution of an owed amount. A new link replaces a settlement, and else the first resolution stays. Call it inside a transaction. */
async function recordResolution(
  scope: ActorScope,
  link: PaymentLink,
  end: { reason: SettledReason } | { successorLinkId: string },
) {
  const { practiceId, id } = link;
  const [reason, successorId] = 'reason' in end ? [end.reason, null] : ['replaced', end.successorLinkId];
  const values = [practiceId, id, reason, successorId, nameActor(scope), scope.clock.now()];
  if ((await sql(scope.em, RESOLVE, values)).length === 0) return;
  auditLink(scope, link, 'reason' in end ? 'link.settled' : 'link.replaced', { after: end });
}

/** Returns true if the link may get a successor: it takes no payment any more, and has none that the practice kept. */
async function isReplaceable(scope: Scope, { viewer }: Staff, link: PaymentLink): Promise<boolean> {
  // A payment in doubt may still be accepted.
  if ((await scope.em.count(PaymentAttempt, inDoubtFilter(link))) > 0) return false;
  if (link.status === 'cancelled') return true;
  const values = [...viewerValues(viewer), scope.clock.now(), link.id];
  const query = `select from (${owedSql('$4', 'l.id = $5')}) as owed where part in ('expired', 'returned')`;
  return (await sql(scope.em, query, values)).length > 0;
}

type ActorScope = Scope & Pick<Staff, 'actor'>;

/** Runs an act of the person in a transaction that locks the link. @returns false for a link that the person does not see */
function actOnLink(
  scope: Scope,
  staff: Staff,
  id: string,
  act: (scope: ActorScope, link: PaymentLink) => Promise<boolean>,
): Promise<boolean> {
  return inTransaction(scope, async (scope) => {
    const link = await lockStaffLink(scope, staff, id);
    return link !== null && act({ ...scope, actor: staff.actor }, link);
  });
}

function auditLink(
  scope: ActorScope,
  { practiceId, id }: PaymentLink,
  action: string,
  values: Pick<Act, 'before' | 'after'>,
): void {
  audit(scope, scope.actor, { practiceId, action, target: { kind: 'payment_link', id }, ...values });
}

function nameActor({ actor }: ActorScope): string {
  return actor.kind === 'operator' ? 'operator' : actor.id;
}

/** Creates a link in the place of another one. Its lock lets the second of two new links see the first. @returns as `createLinkAsStaff` */
function createInPlace<Created>(
  scope: Scope,
  staff: Staff,
  id: string,
  successorId: string,
  create: (scope: Scope) => Promise<Created | null>,
): Promise<Created | null | 'resolved'> {
  return inTransaction(scope, async (scope) => {
    const link = await lockStaffLink(scope, staff, id);
    const resolution = link && (await readReplacement(scope, link)).resolution;
    if (resolution !== null && resolution.successorLinkId !== successorId) return 'resolved';
    const result = await create(scope);
    if (result !== null && link !== null && (await isReplaceable(scope, staff, link)))
      await recordResolution({ ...scope, actor: staff.actor }, link, { successorLinkId: successorId });
    return result;
  });
}

/** Records that an expired or returned amount was settled elsewhere. @returns false if the person sees no such link, or nothing is owed */
export function settleElsewhere(scope: Scope, staff: Staff, id: string, reason: SettledReason): Promise<boolean> {
  return actOnLink(scope, staff, id, async (scope, link) => {
    if (link.status === 'cancelled' || !(await isReplaceable(scope, staff, link))) return false;
    await recordResolution(scope, link, { reason });
    return true;
  });
}

/** Takes a settlement back, so that the amount is owed again. @returns false without one */
export function undoSettlement(scope: Scope, staff: Staff, id: string): Promise<boolean> {
  return actOnLink(scope, staff, id, async (scope, link) => {
    const [before] = await sql<{ reason: string }>(
      scope.em,
      `delete from link_resolutions where practice_id = $1 and payment_link_id = $2 and successor_link_id is null returning reason`,
      [link.practiceId, id],
    );
    if (before !== undefined) auditLink(scope, link, 'link.unsettled', { before });
    return before !== undefined;
  });
}

const SETTLE_REFUND = `
  insert into refund_resolutions (practice_id, payment_link_id, refund_id, reason, actor_id, resolved_at)
  select practice_id, payment_link_id, id, $3, $4, $5 from refunds
  where practice_id = $1 and id = $2 and status = 'failed' and bank_reversal_id is null
  on conflict do nothing returning true as settled`;

/** Records that a failed refund needs no other one. @returns false if the person sees no such refund, or if it was settled before */
export async function settleRefund(
  scope: Scope,
  staff: Staff,
  id: string,
  reason: RefundSettledReason,
): Promise<boolean> {
  const { practiceId } = staff.viewer;
  const refund = await scope.em.findOne(Refund, { practiceId, id });
  if (refund === null) return false;
  return actOnLink(scope, staff, refund.paymentLinkId, async (scope, link) => {
    const values = [practiceId, id, reason, nameActor(scope), scope.clock.now()];
    const isSettled = (await sql(scope.em, SETTLE_REFUND, values)).length > 0;
    if (isSettled) auditLink(scope, link, 'refund.settled', { after: { refundId: id, reason } });
    return isSettled;
  });
}

/** Returns the link that this one replaces, and the end of its owed amount, such as by a successor. */
export async function readReplacement({ em }: Scope, { practiceId, id }: PaymentLink): Promise<Replacement> {
  const predecessor = await em.findOne(LinkResolution, { practiceId, successorLinkId: id });
  return {
    predecessorId: predecessor?.paymentLinkId ?? null,
    resolution: await em.findOne(LinkResolution, { practiceId, paymentLinkId: id }),
  };
}
