import type { EntityClass } from '@mikro-orm/postgresql';
import type { Scope } from '../../platform/base/scope.ts';
import type { LockWaitMs } from '../../platform/database/query/batch.ts';
import {
  jsonObject,
  jsonRow,
  type PropertyOf,
  propertiesWithout,
  rowReader,
  selectList,
  type Texts,
  tableName,
} from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { visibleRowsSql } from '../../platform/database/query/visible-rows.ts';
import type { Subscription } from '../../webhooks/events/publish.ts';
import { BankReversal, Dispute, Refund } from '../model/after-payment.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { latestTransactionSql, Transaction } from '../model/transaction.entity.ts';
import { type AttemptState, EVIDENCE, SET_BY_DATABASE, type TransactionState } from '../state/state.ts';
import type {
  CreateOutcome,
  CreateStore,
  LinkCreate,
  LinkRead,
  LinkRef,
  LinkStore,
  LinkWrite,
  Rows,
  WriteOutcome,
} from './port.ts';

/** A link as the API shows it, as the database returns it. */
export type ShownRow = Texts<PaymentLink> & {
  locationName: string;
  transaction: Texts<TransactionState> | null;
  refunds: Texts<Refund>[];
};

type Row = ShownRow & {
  attempts: Texts<AttemptState>[];
  disputes: Texts<Dispute>[];
  reversals: Texts<BankReversal>[];
  position: number;
  subscriptions: string;
  hasTestEventClients: boolean;
};

/** Returns a query for a JSON array of the link's rows, oldest first. */
const selectRows = <E extends object>(entity: EntityClass<E>, condition = '', properties?: readonly PropertyOf<E>[]) =>
  `(select coalesce(json_agg(${jsonObject(entity, 't', properties)} order by t.created_at, t.id), '[]')
    from ${tableName(entity)} t where t.payment_link_id = l.id ${condition})`;

/** Skips a query for rows that only a paid link has. */
const ofPaid = (query: string, otherwise: string) => `case when l.status = 'paid' then ${query} else ${otherwise} end`;

/** Columns of a `ShownRow`, from `payment_links l` and its `locations o`. */
export const SHOWN_COLUMNS = `${selectList(PaymentLink, 'l')}, o.name as "locationName",
  ${ofPaid(
    `(${latestTransactionSql(jsonObject(Transaction, 't', propertiesWithout(Transaction, SET_BY_DATABASE)))})`,
    'null',
  )} as transaction,
  ${ofPaid(selectRows(Refund), `'[]'`)} as refunds`;

const READ = `
  select a.position, ${SHOWN_COLUMNS},
    (
      select coalesce(json_agg(subscription_of(w) order by w.id), '[]')::text from webhook_endpoints w
      where w.practice_id = l.practice_id and w.test = l.test and w.deleted_at is null
    ) as subscriptions,
    l.test and exists (select from test_event_readers r where r.practice_id = l.practice_id) as "hasTestEventClients",
    ${selectRows(
      PaymentAttempt,
      `and (t.closed_at is null or t.reconcile_at is not null or t.status = 'accepted' or t.id = a.id)`,
      propertiesWithout(PaymentAttempt, EVIDENCE),
    )} as attempts,
    ${ofPaid(selectRows(Dispute), `'[]'`)} as disputes,
    ${ofPaid(selectRows(BankReversal, 'and t.practice_id = l.practice_id'), `'[]'`)} as reversals
  from json_to_recordset($1) as a (position integer, id text, sees_all boolean, practice_id text, test boolean, location_id text)
    -- Plan hint FENCE: the estimate of the links is too high, and a join would read a small table as a whole.
    cross join lateral (
      select * from payment_links where id = case when a.id like 'att\\_%'
          then (select payment_link_id from payment_attempts where id = a.id) else a.id end
        and (a.sees_all or ${visibleRowsSql('payment_links', 'a.practice_id', 'a.test', 'a.location_id')})
      offset 0
    ) as l
    cross join lateral (select name from locations where id = l.location_id offset 0) as o`;

/** The plan does not depend on the number of links. */
async function readLinks(scope: Scope, links: readonly LinkRef[]): Promise<(LinkRead | null)[]> {
  const questions = links.map(({ id, viewer }, position) => ({
    position,
    id,
    sees_all: viewer === null,
    practice_id: viewer?.practiceId,
    test: viewer?.test,
    location_id: viewer?.locationId,
  }));
  const rows = await sql<Row>(scope.em, READ, [JSON.stringify(questions)], { keepPlan: true });
  const states = new Map(rows.map((row) => [row.position, parseRead(row)]));
  return links.map((_, index) => states.get(index) ?? null);
}

const parseLink = rowReader(PaymentLink);
const parseAttempt = rowReader(PaymentAttempt);
const parseTransaction = rowReader(Transaction);
const parseRefund = rowReader(Refund);
const parseDispute = rowReader(Dispute);
const parseReversal = rowReader(BankReversal);

export function parseShown({ locationName, transaction, refunds, ...link }: ShownRow) {
  return {
    link: parseLink<PaymentLink>(link),
    location: { id: link.locationId, name: locationName },
    transaction: transaction === null ? null : parseTransaction<TransactionState>(transaction),
    refunds: refunds.map(parseRefund<Refund>),
  };
}

function parseRead(row: Row): LinkRead {
  const { position: _, attempts, disputes, reversals, subscriptions, hasTestEventClients, ...shown } = row;
  return {
    state: {
      ...parseShown(shown),
      attempts: attempts.map(parseAttempt<AttemptState>),
      disputes: disputes.map(parseDispute<Dispute>),
      reversals: reversals.map(parseReversal<BankReversal>),
    },
    // The SQL function `subscription_of` makes objects of this type.
    endpoints: JSON.parse(subscriptions) as Subscription[],
    stamp: { version: shown.version, subscriptions },
    hasTestEventClients,
  };
}

/** Tables of a link's rows. Their order here does not matter: `write_links` has an order that suits the foreign keys. */
const TABLES: readonly [EntityClass<object>, (write: LinkWrite) => Rows<{ id: string }>][] = [
  [PaymentAttempt, ({ attempts }) => attempts],
  [Transaction, ({ transactions }) => transactions],
  [BankReversal, ({ reversals }) => reversals],
  [Refund, ({ refunds }) => refunds],
  [Dispute, ({ disputes }) => disputes],
];

/** Writes changes of different links by one call of `write_links`, whose comment explains the document and the outcomes. */
async function writeLinks(
  { em, clock }: Scope,
  writes: readonly LinkWrite[],
  lockWaitMs: LockWaitMs,
): Promise<WriteOutcome[]> {
  if (writes.length === 0) return [];
  const values = [JSON.stringify(writeDocument(writes)), clock.now(), clock.shared(), lockWaitMs];
  const text = 'select * from write_links($1, $2, $3, $4) as outcome';
  return sql<WriteOutcome>(em, text, values, { keepPlan: true });
}

/** Returns the document of `write_links`: an array of rows for each part that is not empty. */
function writeDocument(writes: readonly LinkWrite[]): Record<string, object[]> {
  const parts = {
    links: writes.map(({ linkId: id, stamp, fields, patient }) => ({
      id,
      ...stamp,
      fields: fields && jsonRow(fields),
      patient: typeof patient === 'string' ? patient : (patient?.id ?? null),
    })),
    deliveries: writes.flatMap(({ events }) => events),
    audit: writes.flatMap(({ linkId, audit }) => audit.map((row) => ({ ...row, link_id: linkId }))),
    mails: writes.flatMap(({ practiceId, mails }) => mails.map((mail) => jsonRow({ practiceId, ...mail }))),
    ...Object.fromEntries(
      TABLES.flatMap(([entity, rowsOf]) => {
        const table = tableName(entity);
        return [
          [`new_${table}`, writes.flatMap((write) => rowsOf(write).inserted.map(jsonRow))],
          [table, writes.flatMap((write) => rowsOf(write).updated.map(jsonRow))],
        ];
      }),
    ),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, rows]) => rows.length > 0));
}

/** Creates links by one call of `create_links`, whose comment explains the documents and the outcomes. */
async function createLinks(
  { em, clock }: Scope,
  creates: readonly LinkCreate[],
  lockWaitMs: LockWaitMs,
): Promise<CreateOutcome[]> {
  if (creates.length === 0) return [];
  const values = [JSON.stringify(creates.map(createDocument)), clock.now(), lockWaitMs];
  return sql<CreateOutcome>(em, 'select * from create_links($1, $2, $3)', values, { keepPlan: true });
}

function createDocument({ practiceId, terms, rows, request }: LinkCreate): object {
  const link = rows === null ? {} : { link: jsonRow(rows.link), audit: rows.audit };
  return { practice_id: practiceId, terms, ...link, ...(request && jsonRow(request)) };
}

export const postgres: LinkStore & CreateStore = {
  read: readLinks,
  write: writeLinks,
  create: createLinks,
  exclusively: (scope, { id }, work) =>
    inTransaction(scope, async (scope) => {
      // An attempt's link never changes, so it is read without a lock.
      const text = `select from payment_links where id = case when $1 like 'att\\_%'
        then (select payment_link_id from payment_attempts where id = $1) else $1 end for no key update`;
      await sql(scope.em, text, [id], { keepPlan: true });
      return work(scope);
    }),
};
