import type { EntityClass } from '@mikro-orm/postgresql';
import { recordOwnAct } from '../../audit/record.ts';
import { report } from '../../base/diagnostics.ts';
import type { Scope } from '../../base/scope.ts';
import { afterCommit, inTransaction } from '../../database/query/transaction.ts';
import { type DomainEvent, publish } from '../../webhooks/events/publish.ts';
import { queuePaymentMail } from '../admin-mail/queue.ts';
import { BankReversal } from '../model/bank-reversal.entity.ts';
import { Dispute } from '../model/dispute.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { changedRows, listOf } from './changed-rows.ts';
import { contentOf } from './events.ts';
import { lockState } from './lock.ts';
import { matchPatient, recordPatient } from './patients.ts';
import type { LinkRef } from './read-states.ts';
import type { Decision, LinkState, Report } from './state.ts';
import { linkEventView } from './views.ts';

/*
 * Changes under the lock of the link, in three phases. `lock.ts` locks and reads the state, and a pure function decides. Then the
 * difference of both states is written, with events, mails and audit entries. Changes that need nothing but the link take
 * `optimistic-change.ts`.
 */

/** States of a link before and after a change. */
export interface Changed {
  before: LinkState;
  after: LinkState;
}

/**
 * Changes a link in a database transaction, under the lock of its row.
 *
 * @param decide decides on the state, without side effects
 * @throws as `lockState`; errors of `decide`; nothing is written then
 */
export function changeLocked(scope: Scope, link: LinkRef, decide: (state: LinkState) => Decision): Promise<Changed> {
  return inTransaction(scope, async (scope) => {
    const before = await lockState(scope, link);
    const decision = decide(before);
    const after = await write(scope, before, decision);
    afterCommit(scope, () => sendReports(scope, decision.reports));
    return { before, after };
  });
}

/** Sends the reports of a decision. Call it after the commit. */
export function sendReports({ log }: Pick<Scope, 'log'>, reports: readonly Report[]): void {
  for (const each of reports) {
    switch (each.kind) {
      case 'log':
        log[each.level](each.fields, each.message);
        break;
      case 'attempt_closed':
        report('payment_attempt_closed', () => ({ outcome: each.outcome }));
        break;
      case 'payment_status':
        report('payment_status', () => ({ status: each.status, mode: each.test ? 'test' : 'live' }));
        break;
      default:
        each satisfies never;
    }
  }
}

/** Writes what the decision has changed. Returns the state with the link's patient record. */
async function write(scope: Scope, before: LinkState, decision: Decision): Promise<LinkState> {
  const { state, events, mails, acts } = decision;
  const link = { ...state.link, patientId: await patientOf(scope, state.link, decision.patient) };
  await writeRows(scope, PaymentLink, [before.link], [link]);
  await writeRows(scope, PaymentAttempt, before.attempts, state.attempts);
  await writeRows(scope, Transaction, listOf(before.transaction), listOf(state.transaction));
  await writeRows(scope, BankReversal, before.reversals, state.reversals);
  await writeRows(scope, Refund, before.refunds, state.refunds);
  await writeRows(scope, Dispute, before.disputes, state.disputes);
  if (events.length > 0) await publish(scope, ...domainEventsOf(scope, events));
  for (const mail of mails) await queuePaymentMail(scope, link, mail);
  for (const act of acts) recordOwnAct(scope, act);
  return { ...state, link };
}

/** A row of any table of a link. */
interface Row {
  id: string;
}

/** Inserts the rows that are new, and updates the fields that differ, by the columns of the entity. */
async function writeRows(
  { em }: Scope,
  entity: EntityClass<Row>,
  before: readonly Row[],
  after: readonly Row[],
): Promise<void> {
  for (const { row, changed } of changedRows(before, after)) {
    if (changed === null) await em.insert(entity, row);
    else await em.nativeUpdate(entity, { id: row.id }, changed);
  }
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
