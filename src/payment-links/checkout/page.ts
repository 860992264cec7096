import type { Scope } from '../../platform/base/scope.ts';
import { jsonObject, propertiesWithout, rowReader, type Texts } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { Location } from '../../practices/location.entity.ts';
import { Practice } from '../../practices/practice.entity.ts';
import { type ClientAction, type Processor, ProcessorUnavailable } from '../../processors/processor.ts';
import { sumCents } from '../decide/refundable.ts';
import { Refund } from '../model/after-payment.entity.ts';
import { getAccount, PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { latestTransactionSql, Transaction } from '../model/transaction.entity.ts';
import { statusAt } from '../model/transitions.ts';
import {
  checkPayability,
  FORMER_ATTEMPTS,
  type FormerAttempts,
  findAccount,
  listMethods,
  throttledUntil,
} from '../payments/payable.ts';
import { type AttemptState, EVIDENCE } from '../state/state.ts';
import { type LinkPage, type PageState, SHOWN_FIELDS } from './port.ts';

/** All that a hosted page depends on. `LinkPage` has what the page may show. */
export interface PageData extends FormerAttempts {
  link: PaymentLink;
  practice: Texts<Practice>;
  location: Texts<Location>;
  /** The latest transaction of a paid link; null for other links. */
  transaction: Transaction | null;
  authorisation: LinkPage['authorisation'];
  refunds: readonly Texts<Refund>[];
  /** The latest attempt; that is the open one, if there is one. */
  latestAttempt: AttemptState | null;
}

type Row = Omit<PageData, 'link' | 'transaction' | 'authorisation' | 'latestAttempt'> & {
  link: Texts<PaymentLink>;
  transaction: Texts<Transaction> | null;
  authorisation: Texts<NonNullable<PageData['authorisation']>> | null;
  latestAttempt: Texts<AttemptState> | null;
};

const READ = `
  select
    ${jsonObject(PaymentLink, 'l')} as link,
    ${jsonObject(Practice, 'p')} as practice,
    ${jsonObject(Location, 'o')} as location,
    t.transaction, t.authorisation,
    case when l.status = 'paid' then (
      select coalesce(json_agg(${jsonObject(Refund, 'r')}), '[]') from refunds r where r.payment_link_id = l.id
    ) else '[]' end as refunds,
    (
      select ${jsonObject(PaymentAttempt, 'a', propertiesWithout(PaymentAttempt, EVIDENCE))}
      from payment_attempts a where a.payment_link_id = l.id order by a.created_at desc, a.id desc limit 1
    ) as "latestAttempt",
    ${FORMER_ATTEMPTS}
  from payment_links l
    join practices p on p.id = l.practice_id
    join locations o on o.id = l.location_id
    left join lateral (${latestTransactionSql(`
        ${jsonObject(Transaction, 't')} as transaction,
        (
          select json_build_object('text', a.authorisation_text, 'locale', a.locale, 'at', a.created_at)
          from payment_attempts a
          where a.id = t.attempt_id and a.authorisation_text is not null and a.locale is not null
        ) as authorisation`)}
    ) as t on l.status = 'paid'
  where l.token = $1`;

const readLink = rowReader(PaymentLink);
const readTransaction = rowReader(Transaction);
const readAttempt = rowReader(PaymentAttempt);

/** Reads all data of a token's page in one statement; null for an unknown token. */
export async function readPage(scope: Scope, token: string): Promise<PageData | null> {
  const [row] = await sql<Row>(scope.em, READ, [token], { keepPlan: true });
  if (row === undefined) return null;
  const { link, transaction, authorisation, latestAttempt } = row;
  return {
    ...row,
    link: readLink<PaymentLink>(link),
    transaction: transaction === null ? null : readTransaction<Transaction>(transaction),
    authorisation: authorisation === null ? null : { ...authorisation, at: new Date(authorisation.at) },
    latestAttempt: latestAttempt === null ? null : readAttempt<AttemptState>(latestAttempt),
  };
}

/** Asks the processor for the action that a payment requires. */
export async function makePage(scope: Scope, processor: Processor, data: PageData): Promise<LinkPage> {
  const { link, practice, location, latestAttempt, authorisation } = data;
  const now = scope.clock.now();
  const isOpen = latestAttempt !== null && latestAttempt.id === link.openAttemptId;
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
    lastFailure: state === 'payable' ? findRecentFailure(latestAttempt, now) : null,
    methods: state === 'payable' && !link.test ? listMethods(practice) : [],
    client: link.test || account === null ? { collects: 'choice' } : processor.clientConfig(account),
    offersWallets: !link.test && processor.offersWallets && practice.walletsEnabled,
    clientAction: state === 'requires_action' && isOpen ? await retrieveAction(processor, latestAttempt) : null,
  };
}

function pick<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  // The entries have exactly these names.
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;
}

/** Time for which the page shows a decline. */
const FAILURE_SHOWN_MS = 30 * 60_000;

function findRecentFailure(attempt: AttemptState | null, now: Date): string | null {
  const isRecent = now.getTime() - (attempt?.closedAt?.getTime() ?? 0) < FAILURE_SHOWN_MS;
  return isRecent ? (attempt?.failureReason ?? null) : null;
}

function choosePageState(processor: Processor, data: PageData, now: Date): PageState {
  const { link, practice, latestAttempt } = data;
  const status = statusAt(link, now);
  if (status === 'paid') return paidState(data);
  // All other states promise that no money was taken.
  if (data.isInDoubt) return 'in_progress';
  if (status !== 'active') return status;
  // No money moves on a test link, so the practice's account does not matter.
  if (link.test) return 'payable';
  const payability = checkPayability(processor, link, practice, data, now);
  if (payability === 'under_way')
    return latestAttempt?.status === 'requires_action' ? 'requires_action' : 'in_progress';
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

function isReversal({ status, bankReversalId }: PageData['refunds'][number]): boolean {
  return status === 'succeeded' && bankReversalId !== null;
}

/** Asks the processor for the action, which is never stored. */
async function retrieveAction(processor: Processor, attempt: AttemptState): Promise<ClientAction | null> {
  if (attempt.processorReference === null || attempt.processor !== processor.name) return null;
  try {
    return (await processor.retrieve(getAccount(attempt), attempt.processorReference))?.clientAction ?? null;
  } catch (error) {
    if (error instanceof ProcessorUnavailable) return null;
    throw error;
  }
}
