import type { Scope } from '../../base/scope.ts';
import { afterCommit } from '../../database/query/transaction.ts';
import { type DomainEvent, publish } from '../../webhooks/events/publish.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { expired } from './decide.ts';
import { contentOf } from './events.ts';
import { matchPatient, recordPatient } from './patients.ts';
import { paymentsOf, reportPayment } from './report-payment.ts';
import type { Decision, LinkState } from './state.ts';
import { type LoadedParts, linkEventView, loadParts } from './views.ts';

/*
 * Changes of a link or its transaction that change other rows as well: by a patient, a processor or the clock. All others
 * take `optimistic-change.ts`, and the usual payment takes `payment/apply-answer.ts`. One transaction has three phases:
 *
 * 1. Load and lock: `lock.ts` locks the links; `loadStates` reads the rest of their states.
 * 2. Decide: a pure function of `decide.ts`, link by link.
 * 3. Write: `writeDecisions` stores all new states and publishes all events.
 */

/** A link with its parts, as entities, under the lock of the link's row. */
export interface LockedLink extends LoadedParts {
  link: PaymentLink;
}

/**
 * Changes a link that the scope's transaction has locked.
 *
 * @param decide decides on the locked state
 * @throws errors of `decide`; nothing is written then
 */
export async function changeLocked(
  scope: Scope,
  link: PaymentLink,
  decide: (state: LinkState) => Decision,
): Promise<LockedLink> {
  const [changed] = await changeAllLocked(scope, [{ link, decide }]);
  if (changed === undefined) throw new Error('one link makes one decision');
  return changed;
}

/** Expires unpaid links that the scope's transaction has locked. */
export async function expire(scope: Scope, links: readonly PaymentLink[], by: 'system' | 'simulated'): Promise<void> {
  const now = scope.clock.now();
  const decide = (state: LinkState) => expired(state, by, now);
  await changeAllLocked(
    scope,
    links.map((link) => ({ link, decide })),
  );
}

/** A locked link with the decision to take on it. */
interface Change {
  link: PaymentLink;
  decide: (state: LinkState) => Decision;
}

/**
 * Changes different links that the scope's transaction has locked, all or none. The number of statements does not depend
 * on the number of links, unless a link needs a patient record. Returns the links as they are now, in the same order.
 */
async function changeAllLocked(scope: Scope, changes: readonly Change[]): Promise<LockedLink[]> {
  const states = await loadStates(scope, changes);
  const decisions = states.map(({ before, decide }) => {
    const state = plain(before);
    return { before, paymentBefore: state.transaction, decision: decide(state) };
  });
  const changed = await writeDecisions(scope, decisions);
  afterCommit(scope, () => {
    for (const { before, paymentBefore, decision } of decisions) {
      reportPayment(before.link, paymentBefore, paymentsOf(decision));
    }
  });
  return changed;
}

/** Loads the states of locked links. */
async function loadStates(scope: Scope, changes: readonly Change[]) {
  // Earlier changes of this transaction belong to the state. What it has changed is returned as it is in memory, and new
  // transactions and refunds are written before they are read. So the link is written once, with the decision.
  const links = changes.map(({ link }) => link);
  const parts = await loadParts(scope, links);
  return changes.map(({ link, decide }) => {
    const own = parts.get(link.id);
    if (own === undefined) throw new Error('loadParts returns an entry for every link');
    return { before: { link, ...own }, decide };
  });
}

/** Writes the new states, then publishes the events in their order. Returns the links as they are now. */
async function writeDecisions(
  scope: Scope,
  decisions: readonly { before: LockedLink; decision: Decision }[],
): Promise<LockedLink[]> {
  const changed: LockedLink[] = [];
  for (const { before, decision } of decisions) {
    const { state, patient } = decision;
    const patientId = await patientOf(scope, state.link, patient);
    scope.em.assign(before.link, { ...state.link, patientId });
    changed.push({ ...before, transaction: writeTransaction(scope, before.transaction, state.transaction) });
  }
  await scope.em.flush();
  const domainEvents = decisions.flatMap(({ decision }) => domainEventsOf(scope, decision.events));
  if (domainEvents.length > 0) await publish(scope, ...domainEvents);
  return changed;
}

/** Returns the events of a decision as endpoints receive them, in their order. */
export function domainEventsOf(scope: Scope, events: Decision['events']): DomainEvent[] {
  return events.map(({ event, state }) => {
    const { practiceId, test, locationId, id: paymentLinkId } = state.link;
    const content = contentOf(event, linkEventView(scope, state.link, state));
    return { practiceId, test, locationId, paymentLinkId, content };
  });
}

/** Returns the id of the link's patient record, which is matched or made if the decision asks for it. */
async function patientOf(scope: Scope, link: PaymentLink, patient: Decision['patient']): Promise<string | null> {
  switch (patient) {
    case undefined:
      return link.patientId;
    case 'match':
      return matchPatient(scope, link);
    case 'record':
      return recordPatient(scope, link);
    default:
      patient satisfies never;
      throw new Error('a decision has an unknown need of a patient record');
  }
}

function writeTransaction(
  scope: Scope,
  before: Transaction | null,
  after: LinkState['transaction'],
): Transaction | null {
  if (after === null) return before;
  return before === null ? scope.em.create(Transaction, after) : scope.em.assign(before, after);
}

/** Returns the state as plain data, so that a decision cannot change an entity. */
function plain({ link, location, transaction, refunds }: LockedLink): LinkState {
  const payment = { transaction: transaction === null ? null : { ...transaction }, refunds };
  return { link: { ...link }, location, ...payment, attempts: [], disputes: [], reversals: [] };
}
