import { readFileSync } from 'node:fs';
import type { EntityClass } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { BankReversal, Dispute, Refund } from '../../../src/payment-links/model/after-payment.entity.ts';
import { PaymentAttempt } from '../../../src/payment-links/model/payment-attempt.entity.ts';
import { PaymentLink } from '../../../src/payment-links/model/payment-link.entity.ts';
import { Transaction } from '../../../src/payment-links/model/transaction.entity.ts';
import { ALIVE_SECONDS } from '../../../src/payment-links/payments/submission-mark.ts';
import { PAYMENT_MAIL_TASK } from '../../../src/payment-links/state/state.ts';
import { listColumns, tableName } from '../../../src/platform/database/query/columns.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../../src/practices/mail/mail-queue.ts';

const PATH = '../../../src/payment-links/store/write-links.sql';

/** The function in one line, so that the layout of lists does not matter. */
const TEXT = readFileSync(new URL(PATH, import.meta.url), 'utf8')
  .replaceAll(/\s+/g, ' ')
  .replaceAll(/([(]) | ([)])/g, '$1$2');

/** The columns of a table that a statement writes. The database sets the others. */
function columns(entity: EntityClass<object>, without: readonly string[] = []): string[] {
  return listColumns(entity).flatMap(({ name, isSetByDatabase }) =>
    isSetByDatabase || without.includes(name) ? [] : [name],
  );
}

/** Fails with the list to paste if the function lacks it. */
function expectList(what: string, list: string): void {
  expect(TEXT.includes(list), `write-links.sql needs for ${what}:\n${list}\n`).to.equal(true);
}

describe('the SQL function that writes links', () => {
  it('inserts every column of transactions that the database does not set', () => {
    const inserted = columns(Transaction);
    expectList('new transactions', `insert into transactions (${inserted.join(', ')})`);
    expectList('new transactions', `select ${inserted.map((name) => `r.${name}`).join(', ')}`);
  });

  for (const [entity, base] of [
    [PaymentAttempt, 'new_attempt'],
    [BankReversal, 'null::bank_reversals'],
    [Refund, 'null::refunds'],
    [Dispute, 'null::disputes'],
  ] satisfies [EntityClass<object>, string][]) {
    const table = tableName<object>(entity);
    it(`inserts every column of ${table}`, () => {
      expectList(`new ${table}`, `insert into ${table} select r.* from json_populate_recordset(${base}, `);
    });
  }

  for (const entity of [PaymentAttempt, Transaction, Refund, Dispute] satisfies EntityClass<object>[]) {
    const table = tableName<object>(entity);
    it(`updates every column of ${table}`, () => {
      const changed = columns(entity, ['id', 'practice_id', 'payment_link_id']);
      expectList(table, `update ${table} t set (${changed.join(', ')}) =`);
      expectList(table, `(select ${changed.map((name) => `n.${name}`).join(', ')} from json_populate_record(t, w.row)`);
    });
  }

  it('updates every column of payment_links, and raises the version', () => {
    const changed = columns(PaymentLink, ['id', 'practice_id', 'version']);
    expectList('payment_links', `update payment_links l set (${changed.join(', ')}, version) =`);
    const [before, after] = changed.join(' ').split('patient_id ');
    const selected = (names = '') => names.trim().replaceAll(/\w+/g, 'n.$&').replaceAll(' ', ', ');
    expectList('payment_links', `(select ${selected(before)}, case`);
    expectList('payment_links', `end, ${selected(after)}, l.version + 1 from`);
  });

  it('queues mails as the other mails are queued, and marks new attempts as long as a submission does', () => {
    expectList('mails', `add_job('${PAYMENT_MAIL_TASK}'`);
    expectList('mails', `${MAIL_JOB.replaceAll(/\s+/g, ' ')}, max_attempts := ${MAIL_TRIES})`);
    expectList('attempts', `interval '${ALIVE_SECONDS} seconds'`);
  });
});
