import type { Scope } from '../../platform/base/scope.ts';
import { jsonObject, propertiesWithout, rowReader, type Texts } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { Location } from '../../practices/location.entity.ts';
import { Practice } from '../../practices/practice.entity.ts';
import { latestTransactionSql } from '../model/latest-transaction.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { FORMER_ATTEMPTS, type FormerAttempts } from '../payments/payable.ts';
import { type AttemptState, EVIDENCE } from '../state/state.ts';

/** Everything that a hosted page depends on, as read in one statement. `LinkPage` has what the page may show. */
export interface PageData extends FormerAttempts {
  link: PaymentLink;
  practice: Texts<Practice>;
  location: Texts<Location>;
  /** The latest transaction of a paid link; null for other links. */
  transaction: Transaction | null;
  /** Authorisation of the transaction's bank debit; null for cards, and after two years. */
  authorisation: { text: string; locale: string; at: Date } | null;
  refunds: readonly Texts<Refund>[];
  /** The latest attempt; that is the open one, if there is one. */
  latest: AttemptState | null;
}

type Row = Omit<PageData, 'link' | 'transaction' | 'authorisation' | 'latest'> & {
  link: Texts<PaymentLink>;
  transaction: Texts<Transaction> | null;
  authorisation: Texts<NonNullable<PageData['authorisation']>> | null;
  latest: Texts<AttemptState> | null;
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
    ) as latest,
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

/** Reads the data of a token's page, in one statement; null for an unknown token. */
export async function readPage(scope: Scope, token: string): Promise<PageData | null> {
  const [row] = await sql<Row>(scope.em, READ, [token], { keepPlan: true });
  if (row === undefined) return null;
  const { link, transaction, authorisation, latest } = row;
  return {
    ...row,
    link: readLink<PaymentLink>(link),
    transaction: transaction === null ? null : readTransaction<Transaction>(transaction),
    authorisation: authorisation === null ? null : { ...authorisation, at: new Date(authorisation.at) },
    latest: latest === null ? null : readAttempt<AttemptState>(latest),
  };
}
