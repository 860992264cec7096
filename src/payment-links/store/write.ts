import type { EntityClass } from '@mikro-orm/postgresql';
import type { Scope } from '../../base/scope.ts';
import { sqlState } from '../../base/sql-state.ts';
import { LOCK_WAIT_MS, type LockWait } from '../../database/query/batch.ts';
import { jsonRow, tableOf } from '../../database/query/columns.ts';
import { UNIQUE_VIOLATION } from '../../database/query/errors.ts';
import { sql } from '../../database/query/sql.ts';
import { BankReversal } from '../model/bank-reversal.entity.ts';
import { Dispute } from '../model/dispute.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import type { Rows, Write, Written } from './port.ts';

/** Tables of a link's rows. Their order here does not matter: `write_links` has an order that suits the foreign keys. */
const TABLES: readonly [EntityClass<object>, (write: Write) => Rows<{ id: string }>][] = [
  [PaymentAttempt, ({ attempts }) => attempts],
  [Transaction, ({ transactions }) => transactions],
  [BankReversal, ({ reversals }) => reversals],
  [Refund, ({ refunds }) => refunds],
  [Dispute, ({ disputes }) => disputes],
];

/** Writes changes of different links by one call of `write_links`, whose comment explains the document and the outcomes. */
export async function writeLinks(scope: Scope, writes: readonly Write[], wait: LockWait): Promise<Written[]> {
  if (writes.length === 0) return [];
  const { em, clock } = scope;
  // Null leaves the lock timeout of the session.
  const waitMs = wait === 'full' ? null : LOCK_WAIT_MS[wait];
  try {
    return await sql<{ outcome: 'written' | 'stale' | 'locked' }>(
      em,
      'select * from write_links($1, $2, $3, $4, $5) as outcome',
      [JSON.stringify(documentOf(writes)), clock.now(), clock.shared(), waitMs, wait === 'skip'],
      { keepPlan: true },
    );
  } catch (error) {
    // The caller writes several again, one by one.
    if (writes.length > 1 || sqlState(error) !== UNIQUE_VIOLATION) throw error;
    return [{ outcome: 'taken', cause: error }];
  }
}

/** Returns the document of `write_links`: an array of rows for each part that is not empty. */
function documentOf(writes: readonly Write[]): Record<string, object[]> {
  const parts = {
    links: writes.map(({ linkId: id, stamp, fields, patient }) => ({
      ...{ id, ...stamp, fields: fields && jsonRow(fields) },
      patient: typeof patient === 'string' ? patient : (patient?.id ?? null),
    })),
    deliveries: writes.flatMap(({ events }) => events),
    audit: writes.flatMap(({ linkId, audit }) => audit.map((row) => ({ ...row, link_id: linkId }))),
    mails: writes.flatMap(({ practiceId, mails }) => mails.map((mail) => jsonRow({ practiceId, ...mail }))),
    ...Object.fromEntries(
      TABLES.flatMap(([entity, rowsOf]) => {
        const table = tableOf(entity);
        return [
          [`new_${table}`, writes.flatMap((write) => rowsOf(write).inserted.map(jsonRow))],
          [table, writes.flatMap((write) => rowsOf(write).updated.map(jsonRow))],
        ];
      }),
    ),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, rows]) => rows.length > 0));
}
