import type { Scope } from '../../platform/base/scope.ts';
import { type ClientAction, type Processor, ProcessorUnavailable } from '../../processors/processor.ts';
import { sumCents } from '../decide/refundable.ts';
import { statusAt } from '../model/overdue.ts';
import { getAccount } from '../model/payment-attempt.entity.ts';
import { checkPayability, findAccount, listMethods, throttledUntil } from '../payments/payable.ts';
import type { AttemptState } from '../state/state.ts';
import { type LinkPage, type PageState, SHOWN_FIELDS } from './port.ts';
import type { PageData } from './read-page.ts';

/** Returns the page of a link, from what was read of it. Asks the processor for the action that a payment requires. */
export async function makePage(scope: Scope, processor: Processor, data: PageData): Promise<LinkPage> {
  const { link, practice, location, latest, authorisation } = data;
  const now = scope.clock.now();
  const isOpen = latest !== null && latest.id === link.openAttemptId;
  const state = choosePageState(processor, data, now);
  const account = findAccount(processor, practice);
  return {
    ...pick(link, SHOWN_FIELDS.link),
    state,
    linkId: link.id,
    practice: pick(practice, SHOWN_FIELDS.practice),
    location: pick(location, SHOWN_FIELDS.location),
    phone: location.phone ?? practice.phone,
    payment: describePayment(data),
    authorisation,
    throttledUntil: state === 'throttled' ? throttledUntil(data, now) : null,
    lastFailure: state === 'payable' ? recentFailure(latest, now) : null,
    methods: state === 'payable' && !link.test ? listMethods(practice) : [],
    client: link.test || account === null ? { collects: 'choice' } : processor.clientConfig(account),
    offersWallets: !link.test && processor.offersWallets && practice.walletsEnabled,
    clientAction: state === 'requires_action' && isOpen ? await retrieveAction(processor, latest) : null,
  };
}

/** Returns these fields of a row. */
function pick<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  // The entries have exactly these names.
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;
}

/** Time for which the page shows a decline. */
const FAILURE_SHOWN_MS = 30 * 60_000;

function recentFailure(latest: PageData['latest'], now: Date): string | null {
  if (latest === null || latest.closedAt === null) return null;
  return now.getTime() - latest.closedAt.getTime() < FAILURE_SHOWN_MS ? latest.failureReason : null;
}

function choosePageState(processor: Processor, data: PageData, now: Date): PageState {
  const { link, practice, latest } = data;
  const status = statusAt(link, now);
  if (status === 'paid') return paidState(data);
  // All other states promise that no money was taken.
  if (data.isInDoubt) return 'in_progress';
  if (status !== 'active') return status;
  // No money moves on a test link, so the practice's account does not matter.
  if (link.test) return 'payable';
  const payability = checkPayability(processor, link, practice, data, now);
  if (payability === 'under_way') return latest?.status === 'requires_action' ? 'requires_action' : 'in_progress';
  return payability === 'closed' ? 'expired' : payability;
}

function paidState({ transaction, refunds }: PageData): PageState {
  if (transaction === null) throw new Error('a paid link has no transaction');
  if (refunds.some(isReversal)) return 'bank_reversed';
  const states = { pending: 'bank_pending', succeeded: 'paid', failed: 'bank_failed', refunded: 'refunded' } as const;
  return states[transaction.status];
}

function describePayment({ transaction, refunds }: PageData): LinkPage['payment'] {
  if (transaction === null) return null;
  const sum = (which: (refund: PageData['refunds'][number]) => boolean) => sumCents(refunds.filter(which));
  return {
    ...pick(transaction, SHOWN_FIELDS.payment),
    refundedCents: sum((refund) => refund.status === 'succeeded' && !isReversal(refund)),
    refundingCents: sum(({ status }) => status === 'pending'),
    reversedCents: sum(isReversal),
  };
}

/** Returns true for a bank reversal: the patient's bank took the money back. */
function isReversal({ status, bankReversalId }: PageData['refunds'][number]): boolean {
  return status === 'succeeded' && bankReversalId !== null;
}

/** Asks the processor for the action that the payment requires. The action is never stored. */
async function retrieveAction(processor: Processor, attempt: AttemptState): Promise<ClientAction | null> {
  if (attempt.processorReference === null || attempt.processor !== processor.name) return null;
  try {
    return (await processor.retrieve(getAccount(attempt), attempt.processorReference))?.clientAction ?? null;
  } catch (error) {
    if (error instanceof ProcessorUnavailable) return null;
    throw error;
  }
}
