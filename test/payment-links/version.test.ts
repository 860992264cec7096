import { expect } from 'chai';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import { query } from '../harness/database.ts';
import { Payments } from '../harness/payments.ts';
import { type TestPractice, TestService } from '../harness/service.ts';

/** Columns whose update raises no version: they never change, or they are work marks or the record of an authorisation. */
const NO_STATE: Readonly<Record<string, readonly string[]>> = {
  payment_attempts: [
    ...['id', 'practice_id', 'payment_link_id', 'processor', 'processor_account_id', 'method_type', 'amount_cents'],
    ...['currency', 'created_at', 'locale', 'address', 'authorisation_text', 'authorisation_hash'],
    ...['reconcile_at', 'submitting_until'],
  ],
  transactions: [
    ...['id', 'practice_id', 'payment_link_id', 'attempt_id', 'amount_cents', 'payment_method_type', 'created_at'],
    ...['payment_method_brand', 'payment_method_last4', 'payment_number', 'reconcile_at'],
  ],
  refunds: [
    ...['id', 'practice_id', 'payment_link_id', 'transaction_id', 'amount_cents', 'created_at'],
    ...['test', 'paid_at', 'location_id', 'payment_method_type'],
  ],
  disputes: [
    ...['id', 'practice_id', 'payment_link_id', 'transaction_id', 'created_at'],
    ...['test', 'paid_at', 'location_id', 'payment_method_type'],
  ],
  bank_reversals: [],
  payment_links: [],
};

describe('the version of a link', () => {
  let service: TestService;
  let practice: TestPractice;
  let payments: Payments;

  before(async () => {
    service = await TestService.start();
    payments = new Payments(service);
    practice = await service.practice();
  });
  after(() => service.close());

  const rows = <Row extends object>(text: string, values: unknown[] = []) =>
    query<Row & Record<string, unknown>>(service.config.databaseUrl, text, values);
  const versionOf = async (id: string) =>
    (await rows<{ version: number }>('select version from payment_links where id = $1', [id]))[0]?.version;

  it('an update of any column of a link or its payment raises the version, unless the column is named as no state', async () => {
    const found = await rows<{ table: string; unnamed: string[] }>(
      `select c.relname as table, array(
         select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
           and cardinality(t.tgattr::smallint[]) > 0 and a.attnum <> all (t.tgattr::smallint[])) as unnamed
       from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname like '%\\_version'`,
    );
    const sorted = (columns: readonly string[]) => columns.toSorted();
    const expected = Object.entries(NO_STATE).map(([table, columns]) => [table, sorted(columns)]);
    expect(Object.fromEntries(found.map(({ table, unnamed }) => [table, sorted(unnamed)]))).to.deep.equal(
      Object.fromEntries(expected),
    );
  });

  it('a refund raises the version, and marks of work do not', async () => {
    const link = await payments.link(practice);
    expect(await payments.pay(link, 'card_success')).to.equal('accepted');
    const paid = await versionOf(link.id);
    await rows('update payment_attempts set submitting_until = now() where payment_link_id = $1', [link.id]);
    await rows('update transactions set reconcile_at = now() where payment_link_id = $1', [link.id]);
    expect(await versionOf(link.id)).to.equal(paid);
    await createRefund(service.scope(), payments.sandbox, link.id, null, null);
    expect(await versionOf(link.id)).to.be.above(paid ?? 0);
  });
});
