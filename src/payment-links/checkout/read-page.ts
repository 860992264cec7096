import type { Scope } from '../../base/scope.ts';
import { jsonObject, rowReader, type Texts } from '../../database/query/columns.ts';
import { sql } from '../../database/query/sql.ts';
import { Location } from '../../practices/location.entity.ts';
import { Practice } from '../../practices/practice.entity.ts';
import { HOSTED_TEXTS } from '../link/fields.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { FORMER_ATTEMPTS, type FormerAttempts } from '../payment/payable.ts';

/* Columns that a hosted page shows or depends on. The statement selects exactly these. */

const LINK = [
  'id',
  'practiceId',
  'test',
  'status',
  'openAttemptId',
  'amountCents',
  'expiresAt',
  'paidAt',
  ...HOSTED_TEXTS,
] as const satisfies (keyof PaymentLink)[];
const PRACTICE = [
  'id',
  'name',
  'phone',
  'postalAddress',
  'paymentsEnabled',
  'processorAccountId',
  'bankDebitsEnabled',
  'statementDescriptorSuffix',
  'walletsEnabled',
  'brandColor',
  'logoHash',
  'logoWidth',
  'logoHeight',
] as const satisfies (keyof Practice)[];
const LOCATION = ['name', 'city', 'state', 'timeZone', 'phone'] as const satisfies (keyof Location)[];
const TRANSACTION = [
  'status',
  'paymentMethodType',
  'paymentMethodBrand',
  'paymentMethodLast4',
  'processedAt',
  'paymentNumber',
  'statementDescriptor',
] as const satisfies (keyof Transaction)[];
const REFUND = ['status', 'amountCents', 'bankReversalId'] as const satisfies (keyof Refund)[];
const ATTEMPT = [
  'id',
  'status',
  'processor',
  'processorAccountId',
  'processorReference',
  'closedAt',
  'failureReason',
] as const satisfies (keyof PaymentAttempt)[];

/** Everything that a hosted page shows, as read in one statement. */
export interface PageData extends FormerAttempts {
  link: Pick<PaymentLink, (typeof LINK)[number]>;
  /** Version of the link. Every change of its state raises it, such as the begin or end of an attempt. */
  version: number;
  practice: Pick<Practice, (typeof PRACTICE)[number]>;
  location: Pick<Location, (typeof LOCATION)[number]>;
  /** The latest transaction of a paid link; null for other links. */
  transaction: Pick<Transaction, (typeof TRANSACTION)[number]> | null;
  /** Authorisation of the transaction's bank debit; null for cards, and after two years. */
  authorisation: { text: string; locale: string; at: Date } | null;
  refunds: readonly Pick<Refund, (typeof REFUND)[number]>[];
  /** The latest attempt; that is the open one, if there is one. */
  latest: Pick<PaymentAttempt, (typeof ATTEMPT)[number]> | null;
}

type Row = Omit<PageData, 'link' | 'transaction' | 'authorisation' | 'latest'> & {
  link: Texts<PageData['link']>;
  transaction: Texts<NonNullable<PageData['transaction']>> | null;
  authorisation: Texts<NonNullable<PageData['authorisation']>> | null;
  latest: Texts<NonNullable<PageData['latest']>> | null;
};

const READ = `
  select
    ${jsonObject(PaymentLink, 'l', LINK)} as link,
    ${jsonObject(Practice, 'p', PRACTICE)} as practice,
    ${jsonObject(Location, 'o', LOCATION)} as location,
    t.transaction, t.authorisation,
    case when l.status = 'paid' then (
      select coalesce(json_agg(${jsonObject(Refund, 'r', REFUND)}), '[]') from refunds r where r.payment_link_id = l.id
    ) else '[]' end as refunds,
    (
      select ${jsonObject(PaymentAttempt, 'a', ATTEMPT)}
      from payment_attempts a where a.payment_link_id = l.id order by a.created_at desc, a.id desc limit 1
    ) as latest,
    l.version,
    ${FORMER_ATTEMPTS}
  from payment_links l
    join practices p on p.id = l.practice_id
    join locations o on o.id = l.location_id
    left join lateral (
      select
        ${jsonObject(Transaction, 't', TRANSACTION)} as transaction,
        (
          select json_build_object('text', a.authorisation_text, 'locale', a.locale, 'at', a.created_at)
          from payment_attempts a
          where a.id = t.attempt_id and a.authorisation_text is not null and a.locale is not null
        ) as authorisation
      from transactions t where t.payment_link_id = l.id order by t.created_at desc, t.id desc limit 1
    ) as t on l.status = 'paid'
  where l.token = $1`;

const readLink = rowReader(PaymentLink);
const readTransaction = rowReader(Transaction);
const readAttempt = rowReader(PaymentAttempt);

/** Reads the data of a token's page, in one statement; null for an unknown token. */
export async function readPage(scope: Scope, token: string): Promise<PageData | null> {
  const [row] = await sql<Row>(scope.em, READ, [token], { keepPlan: true });
  if (row === undefined) return null;
  const { link, transaction, authorisation, latest } = row;
  return {
    ...row,
    link: readLink<PageData['link']>(link),
    transaction: transaction === null ? null : readTransaction<NonNullable<PageData['transaction']>>(transaction),
    authorisation: authorisation === null ? null : { ...authorisation, at: new Date(authorisation.at) },
    latest: latest === null ? null : readAttempt<NonNullable<PageData['latest']>>(latest),
  };
}
