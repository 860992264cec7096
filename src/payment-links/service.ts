import type { FilterQuery } from '@mikro-orm/postgresql';
import { LockMode } from '@mikro-orm/postgresql';
import { isDatabaseUnavailable } from '../base/database-errors.ts';
import { ApiError } from '../base/errors.ts';
import { isId } from '../base/ids.ts';
import { findPage, type Page } from '../base/paging.ts';
import type { Caller, CallerScope, Scope } from '../base/scope.ts';
import { inTransaction } from '../base/scope.ts';
import { checkExpiry, type LinkChanges } from './input.ts';
import { cancel, expire, requireActive } from './lifecycle.ts';
import { matchPatient } from './new-link.ts';
import { PaymentLink } from './payment-link.entity.ts';
import type { LinkStatus } from './transitions.ts';

/** What a list may be narrowed to; absent means everything the key sees. */
export interface LinkFilter {
  status?: LinkStatus;
  externalReference?: string;
  locationId?: string;
  /** At or after. */
  createdAfter?: Date;
  /** Before. */
  createdBefore?: Date;
  /** At or after. */
  paidAfter?: Date;
}

/** Links expired per statement round of the sweep: enough to keep up, few enough to hold locks only briefly. */
const EXPIRY_BATCH = 100;

/** The link, if the key sees it. @throws ApiError `not_found` */
export async function getVisibleLink(scope: CallerScope, id: string): Promise<PaymentLink> {
  return found(isId('paymentLink', id) ? await scope.em.findOne(PaymentLink, visible(scope.caller, id)) : null);
}

/** The same, locked for a change; the scope must be in a transaction. */
export async function lockVisibleLink(scope: CallerScope, id: string): Promise<PaymentLink> {
  if (!isId('paymentLink', id)) throw new ApiError('not_found');
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  return found(await scope.em.findOne(PaymentLink, visible(scope.caller, id), { lockMode }));
}

/** Any link, locked, for operators and the worker. @throws ApiError `not_found` */
export async function lockLink(scope: Scope, id: string): Promise<PaymentLink> {
  return found(await scope.em.findOne(PaymentLink, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE }));
}

/** One page of the links the key sees, newest first, and how many there are in all. */
export function listVisibleLinks(scope: CallerScope, filter: LinkFilter, page: Page): Promise<[PaymentLink[], number]> {
  const { practiceId, test, locationId: pin } = scope.caller;
  const { externalReference, locationId, createdAfter, createdBefore, paidAfter } = filter;
  const where: FilterQuery<PaymentLink>[] = [{ practiceId, test }];
  if (pin !== null) where.push({ locationId: pin });
  if (filter.status !== undefined) where.push(hasStatus(filter.status, scope.clock.now()));
  if (externalReference !== undefined) where.push({ externalReference });
  if (locationId !== undefined) where.push({ locationId });
  if (createdAfter !== undefined) where.push({ createdAt: { $gte: createdAfter } });
  if (createdBefore !== undefined) where.push({ createdAt: { $lt: createdBefore } });
  if (paidAfter !== undefined) where.push({ paidAt: { $gte: paidAfter } });
  return findPage(scope.em, PaymentLink, { $and: where }, { createdAt: 'desc', id: 'desc' }, page);
}

/** Changes an active link. @throws ApiError `not_found`, `link_not_active`, `validation_error` on `expiresAt` */
export async function updateLink(scope: CallerScope, id: string, changes: LinkChanges): Promise<PaymentLink> {
  const { expiresAt, patientPhone } = changes;
  const now = scope.clock.now();
  // What no link could be given is refused before any is looked for: values come before existence and state.
  if (expiresAt !== undefined) checkExpiry(expiresAt, now, now);
  return inTransaction(scope, async (scope) => {
    const link = await lockVisibleLink(scope, id);
    requireActive(scope, link);
    if (expiresAt !== undefined) checkExpiry(expiresAt, link.createdAt, now);
    scope.em.assign(link, changes);
    // The old number may have been somebody else's.
    if (patientPhone !== undefined) link.patientId = await matchPatient(scope, link);
    await scope.em.flush();
    return link;
  });
}

/** Cancels an active link for the API; a cancelled one is returned unchanged. */
export function cancelVisibleLink(scope: CallerScope, id: string): Promise<PaymentLink> {
  return inTransaction(scope, async (scope) => cancelLocked(scope, await lockVisibleLink(scope, id), 'api'));
}

/** The same for office staff. */
export function cancelAsStaff(scope: Scope, id: string): Promise<PaymentLink> {
  return inTransaction(scope, async (scope) => cancelLocked(scope, await lockLink(scope, id), 'staff'));
}

async function cancelLocked(scope: Scope, link: PaymentLink, by: 'api' | 'staff'): Promise<PaymentLink> {
  if (link.status === 'active') requireActive(scope, link);
  await cancel(scope, link, by);
  return link;
}

/**
 * Expires links whose time has come, a batch per transaction. Any number of workers may run it at once: each takes
 * links that no other has locked. A link that can't be expired fails its batch; the batch's links are then taken one by
 * one, so that it holds up nobody but itself.
 *
 * @returns how many were expired.
 */
export async function expireDueLinks(newScope: () => Scope): Promise<number> {
  const failed: string[] = [];
  let expired = 0;
  for (;;) {
    const count = await expireBatch(newScope(), failed, EXPIRY_BATCH).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error;
      return expireOneByOne(newScope, failed);
    });
    expired += count;
    if (count === 0) return expired;
  }
}

/** The earliest due links, except those; returns how many there were. */
function expireBatch(scope: Scope, except: readonly string[], limit: number): Promise<number> {
  return inTransaction(scope, async (scope) => {
    const due = await scope.em.find(
      PaymentLink,
      { status: 'active', expiresAt: { $lte: scope.clock.now() }, id: { $nin: [...except] } },
      { limit, orderBy: { expiresAt: 'asc' }, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
    if (due.length > 0) await expire(scope, due, 'system');
    return due.length;
  });
}

/** Up to a batch of links, each in its own transaction; the ids of those that can't be expired are added to `failed`. */
async function expireOneByOne(newScope: () => Scope, failed: string[]): Promise<number> {
  const scope = newScope();
  const due = await scope.em.find(
    PaymentLink,
    { status: 'active', expiresAt: { $lte: scope.clock.now() }, id: { $nin: [...failed] } },
    { limit: EXPIRY_BATCH, orderBy: { expiresAt: 'asc' }, fields: ['id'] },
  );
  let expired = 0;
  for (const { id } of due) {
    try {
      await inTransaction(newScope(), async (scope) => {
        const link = await lockLink(scope, id);
        if (link.status === 'active') await expire(scope, [link], 'system');
      });
      expired++;
    } catch (err) {
      failed.push(id);
      scope.log.error({ err, paymentLinkId: id }, 'the link could not be expired');
    }
  }
  return expired;
}

/** Practice, mode and pin of the key: what is out of it does not exist for the caller. */
function visible({ practiceId, test, locationId }: Caller, id: string) {
  return { id, practiceId, test, ...(locationId === null ? {} : { locationId }) };
}

/** An overdue active link counts as expired before anybody has written it down. */
function hasStatus(status: LinkStatus, now: Date): FilterQuery<PaymentLink> {
  if (status === 'active') return { status, expiresAt: { $gt: now } };
  if (status === 'expired') return { $or: [{ status }, { status: 'active', expiresAt: { $lte: now } }] };
  return { status };
}

function found(link: PaymentLink | null): PaymentLink {
  if (link === null) throw new ApiError('not_found');
  return link;
}
