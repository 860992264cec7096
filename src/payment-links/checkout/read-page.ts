import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import type { Location } from '../../practices/location.entity.ts';
import type { Practice } from '../../practices/practice.entity.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { Refund } from '../model/refund.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import { FORMER_ATTEMPTS, type TermsData } from '../payment/payable.ts';

/** Everything that a hosted page shows, as read in one statement. */
export interface PageData extends TermsData {
  link: Pick<
    PaymentLink,
    | ('id' | 'practiceId' | 'test' | 'status' | 'openAttemptId')
    | ('amountCents' | 'description' | 'expiresAt' | 'paidAt')
  >;
  practice: Pick<
    Practice,
    | ('id' | 'name' | 'phone' | 'postalAddress' | 'paymentsEnabled' | 'processorAccountId' | 'bankDebitsEnabled')
    | ('statementDescriptorSuffix' | 'walletsEnabled' | 'brandColor' | 'logoHash' | 'logoWidth' | 'logoHeight')
  >;
  location: Pick<Location, 'name' | 'city' | 'state' | 'timeZone' | 'phone'>;
  /** The latest transaction of a paid link; null for other links. */
  transaction: Pick<
    Transaction,
    | ('status' | 'paymentMethodType' | 'paymentMethodBrand' | 'paymentMethodLast4')
    | ('processedAt' | 'paymentNumber' | 'statementDescriptor')
  > | null;
  /** Authorisation of the transaction's bank debit; null for cards, and after two years. */
  authorisation: { text: string; locale: string; at: Date } | null;
  refunds: readonly Pick<Refund, 'status' | 'amountCents' | 'bankReversalId'>[];
  /** The latest attempt; that is the open one, if there is one. */
  latest: Pick<
    PaymentAttempt,
    ('id' | 'status' | 'processor' | 'processorAccountId' | 'processorReference') | ('closedAt' | 'failureReason')
  > | null;
}

/** The text of a time within JSON. */
type Timed<T, Names extends keyof T> = Omit<T, Names> & { [Name in Names]: string | Extract<T[Name], null> };

type Row = Omit<PageData, 'link' | 'transaction' | 'authorisation' | 'latest'> & {
  link: Timed<PageData['link'], 'expiresAt' | 'paidAt'>;
  transaction: Timed<NonNullable<PageData['transaction']>, 'processedAt'> | null;
  authorisation: Timed<NonNullable<PageData['authorisation']>, 'at'> | null;
  latest: Timed<NonNullable<PageData['latest']>, 'closedAt'> | null;
};

const READ = `
  select
    json_build_object('id', l.id, 'practiceId', l.practice_id, 'test', l.test, 'status', l.status,
      'openAttemptId', l.open_attempt_id, 'amountCents', l.amount_cents, 'description', l.description,
      'expiresAt', l.expires_at, 'paidAt', l.paid_at) as link,
    json_build_object('id', p.id, 'name', p.name, 'phone', p.phone, 'paymentsEnabled', p.payments_enabled,
      'processorAccountId', p.processor_account_id, 'bankDebitsEnabled', p.bank_debits_enabled,
      'statementDescriptorSuffix', p.statement_descriptor_suffix, 'postalAddress', p.postal_address,
      'walletsEnabled', p.wallets_enabled, 'brandColor', p.brand_color, 'logoHash', p.logo_hash,
      'logoWidth', p.logo_width, 'logoHeight', p.logo_height) as practice,
    json_build_object('name', o.name, 'city', o.city, 'state', o.state, 'timeZone', o.time_zone,
      'phone', o.phone) as location,
    t.transaction, t.authorisation,
    case when l.status = 'paid' then (
      select coalesce(json_agg(json_build_object('status', r.status, 'amountCents', r.amount_cents,
        'bankReversalId', r.bank_reversal_id)), '[]') from refunds r where r.payment_link_id = l.id
    ) else '[]' end as refunds,
    (
      select json_build_object('id', a.id, 'status', a.status, 'processor', a.processor,
        'processorAccountId', a.processor_account_id, 'processorReference', a.processor_reference,
        'closedAt', a.closed_at, 'failureReason', a.failure_reason)
      from payment_attempts a where a.payment_link_id = l.id order by a.created_at desc, a.id desc limit 1
    ) as latest,
    l.version,
    ${FORMER_ATTEMPTS}
  from payment_links l
    join practices p on p.id = l.practice_id
    join locations o on o.id = l.location_id
    left join lateral (
      select
        json_build_object('status', t.status, 'paymentMethodType', t.payment_method_type,
          'paymentMethodBrand', t.payment_method_brand, 'paymentMethodLast4', t.payment_method_last4,
          'processedAt', t.processed_at, 'paymentNumber', t.payment_number,
          'statementDescriptor', t.statement_descriptor) as transaction,
        (
          select json_build_object('text', a.authorisation_text, 'locale', a.locale, 'at', a.created_at)
          from payment_attempts a
          where a.id = t.attempt_id and a.authorisation_text is not null and a.locale is not null
        ) as authorisation
      from transactions t where t.payment_link_id = l.id order by t.created_at desc, t.id desc limit 1
    ) as t on l.status = 'paid'
  where l.token = $1`;

/** Reads the data of a token's page, in one statement; null for an unknown token. */
export async function readPage(scope: Scope, token: string): Promise<PageData | null> {
  const [row] = await sql<Row>(scope.em, READ, [token], { keepPlan: true });
  if (row === undefined) return null;
  const { link, transaction, authorisation, latest } = row;
  return {
    ...row,
    link: { ...link, expiresAt: new Date(link.expiresAt), paidAt: timeOf(link.paidAt) },
    transaction: transaction === null ? null : { ...transaction, processedAt: timeOf(transaction.processedAt) },
    authorisation: authorisation === null ? null : { ...authorisation, at: new Date(authorisation.at) },
    latest: latest === null ? null : { ...latest, closedAt: timeOf(latest.closedAt) },
  };
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
