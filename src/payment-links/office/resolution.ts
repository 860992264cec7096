import { LockMode } from '@mikro-orm/postgresql';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { auditOwnAct } from '../../practices/audit/audit.ts';
import { Refund, type RefundSettledReason } from '../model/after-payment.entity.ts';
import { type OwedPart, owedSql } from '../model/owed.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { LinkResolution, PaymentLink, type SettledReason } from '../model/payment-link.entity.ts';
import { type Staff, staffSees } from '../model/staff-status.ts';
import { inDoubtFilter } from '../payments/payable.ts';

/*
 * Ends of owed amounts by people: another link in its place, or settled elsewhere. A link that waits for its payment has none,
 * because its patient could still pay: cancel it instead.
 */

/** Links in the place of which and by which a link stands; null for none. */
export interface Replacement {
  predecessorId: string | null;
  /** The end of the owed amount of the link itself; null for none. */
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

/** Records the end of the owed amount. A new link replaces a settlement, and else the first end stays. Call it inside a transaction. */
async function resolve(
  scope: Scope,
  { actor, viewer: { practiceId } }: Staff,
  id: string,
  reason: SettledReason | 'replaced',
  successorId: string | null,
): Promise<void> {
  const actorId = actor.kind === 'operator' ? 'operator' : actor.id;
  const values = [practiceId, id, reason, successorId, actorId, scope.clock.now()];
  const rows = await sql<{ resolved: true }>(scope.em, RESOLVE, values);
  if (rows.length === 0) return;
  const isReplaced = successorId !== null;
  auditOwnAct(
    { ...scope, actor },
    {
      practiceId,
      action: isReplaced ? 'link.replaced' : 'link.settled',
      target: { kind: 'payment_link', id },
      after: isReplaced ? { successorLinkId: successorId } : { reason },
    },
  );
}

/** Returns true if the link may get a successor: it takes no payment any more, and has none that the practice kept. */
async function isReplaceable(scope: Scope, staff: Staff, link: PaymentLink): Promise<boolean> {
  // A payment in doubt may still be accepted.
  if ((await scope.em.count(PaymentAttempt, inDoubtFilter(link))) > 0) return false;
  return link.status === 'cancelled' || (await isUnpaid(scope, staff, link.id, ['expired', 'returned']));
}

async function isUnpaid(scope: Scope, { viewer }: Staff, id: string, parts: readonly OwedPart[]): Promise<boolean> {
  const { practiceId, test, locationIds } = viewer;
  const values = [practiceId, test, locationIds, scope.clock.now(), id, parts];
  const query = `select from (${owedSql('$4', 'l.id = $5')}) as owed where part = any ($6)`;
  return (await sql(scope.em, query, values)).length > 0;
}

/** Locks a link that the person sees until the transaction ends; null for any other link, which is not locked. */
async function lockSeenLink({ em }: Scope, { viewer }: Staff, id: string): Promise<PaymentLink | null> {
  const { practiceId, test } = viewer;
  const seen = await em.findOne(PaymentLink, { id, practiceId, test });
  if (seen === null || !staffSees(viewer, seen)) return null;
  return em.findOne(PaymentLink, { id, practiceId, test }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
}

/**
 * Returns true if a person has replaced or settled the link, other than by this successor. Locks the link, so that of two new links in its
 * place the second one sees the first. Call it inside a transaction.
 */
export async function isResolved(scope: Scope, staff: Staff, id: string, successorId: string): Promise<boolean> {
  const link = await lockSeenLink(scope, staff, id);
  if (link === null) return false;
  const { resolution } = await readReplacement(scope, link);
  return resolution !== null && resolution.successorLinkId !== successorId;
}

/** Records that a new link stands in the place of another one, if that one is replaceable. Call it inside the transaction of the create. */
export async function replaceLink(scope: Scope, staff: Staff, id: string, successorId: string): Promise<void> {
  const link = await lockSeenLink(scope, staff, id);
  if (link !== null && (await isReplaceable(scope, staff, link)))
    await resolve(scope, staff, id, 'replaced', successorId);
}

/**
 * Records that an expired or returned amount was settled elsewhere, or is not owed.
 *
 * @returns false for a link that the person does not see, that waits for its payment, or on which nothing is owed
 */
export function settleElsewhere(scope: Scope, staff: Staff, id: string, reason: SettledReason): Promise<boolean> {
  return inTransaction(scope, async (scope) => {
    const link = await lockSeenLink(scope, staff, id);
    if (link === null || link.status === 'cancelled' || !(await isReplaceable(scope, staff, link))) return false;
    await resolve(scope, staff, id, reason, null);
    return true;
  });
}

/** Takes a settlement back, so that the amount is owed again. @returns false without one */
export function undoSettlement(scope: Scope, staff: Staff, id: string): Promise<boolean> {
  const { actor } = staff;
  return inTransaction(scope, async (scope) => {
    if ((await lockSeenLink(scope, staff, id)) === null) return false;
    const { practiceId } = staff.viewer;
    const rows = await sql<{ reason: string }>(
      scope.em,
      `delete from link_resolutions where practice_id = $1 and payment_link_id = $2 and successor_link_id is null returning reason`,
      [practiceId, id],
    );
    const [before] = rows;
    if (before === undefined) return false;
    const target = { kind: 'payment_link', id };
    auditOwnAct({ ...scope, actor }, { practiceId, action: 'link.unsettled', target, before });
    return true;
  });
}

const SETTLE_REFUND = `
  insert into refund_resolutions (practice_id, payment_link_id, refund_id, reason, actor_id, resolved_at)
  select practice_id, payment_link_id, id, $3, $4, $5 from refunds
  where practice_id = $1 and id = $2 and status = 'failed' and bank_reversal_id is null
  on conflict do nothing returning true as settled`;

/**
 * Records that a failed refund needs no other one.
 *
 * @returns false if the person sees no such refund, or if it was settled before
 */
export function settleRefund(scope: Scope, staff: Staff, id: string, reason: RefundSettledReason): Promise<boolean> {
  const { actor, viewer } = staff;
  const { practiceId } = viewer;
  return inTransaction(scope, async (scope) => {
    const refund = await scope.em.findOne(Refund, { practiceId, id });
    if (refund === null || (await lockSeenLink(scope, staff, refund.paymentLinkId)) === null) return false;
    const actorId = actor.kind === 'operator' ? 'operator' : actor.id;
    const rows = await sql(scope.em, SETTLE_REFUND, [practiceId, id, reason, actorId, scope.clock.now()]);
    if (rows.length === 0) return false;
    const target = { kind: 'payment_link', id: refund.paymentLinkId };
    auditOwnAct({ ...scope, actor }, { practiceId, action: 'refund.settled', target, after: { refundId: id, reason } });
    return true;
  });
}

/** Returns what stands in the place of the link, and what it stands for. */
export async function readReplacement({ em }: Scope, { practiceId, id }: PaymentLink): Promise<Replacement> {
  const predecessor = await em.findOne(LinkResolution, { practiceId, successorLinkId: id });
  return {
    predecessorId: predecessor?.paymentLinkId ?? null,
    resolution: await em.findOne(LinkResolution, { practiceId, paymentLinkId: id }),
  };
}
