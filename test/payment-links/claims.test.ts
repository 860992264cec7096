import { expect } from 'chai';
import { handleDueNotifications } from '../../src/payment-links/payments/notifications.ts';
import { reconcileAttempts, reconcileTransactions } from '../../src/payment-links/payments/reconcile.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { usePayments } from '../harness/payments.ts';

/*
 * If the statistics know one row, PostgreSQL may run a subquery of `in` once for each row of the table, whatever its limit. A row that
 * is claimed beside the first one waits for its next time, and nobody works on it.
 */
describe('claims of a table whose statistics know one row', () => {
  const { service, practice, payments } = usePayments();
  const newScope = () => service.scope();

  /** Lets a run do one thing. */
  function once(): () => boolean {
    let count = 0;
    return () => count++ === 0;
  }

  async function pay(method: string): Promise<void> {
    await payments.pay(await payments.link(practice), method).catch(() => undefined);
  }

  /** Returns the number of rows that are as due as before the run. */
  async function waiting(table: string, column: string): Promise<number> {
    return (await service.query(`select 1 from ${table} where ${column} = $1`, [service.clock.now()])).length;
  }

  it('a run claims one notification at a time', async () => {
    const add = (count: number) =>
      service.query(
        `insert into processor_notifications (processor, id, account_id, subject, received_at, due_at)
         select 'sandbox', gen_random_uuid(), 'acct_none', '{"kind": "payment", "reference": "none"}', $1, $1
         from generate_series(1, $2::integer)`,
        [service.clock.now(), count],
      );
    await add(1);
    await service.query('analyze processor_notifications');
    await add(9);
    await handleDueNotifications(() => ({ ...newScope(), processor: payments.sandbox, ...separately }), once());
    expect(await waiting('processor_notifications', 'due_at')).to.equal(9);
  });

  it('a run claims one attempt at a time', async () => {
    await pay('card_challenge');
    await service.query('analyze payment_attempts');
    for (let count = 1; count < 5; count++) await pay('card_challenge');
    await service.query('update payment_attempts set reconcile_at = $1', [service.clock.now()]);
    await reconcileAttempts(() => ({ ...newScope(), processor: payments.sandbox, ...separately }), once());
    expect(await waiting('payment_attempts', 'reconcile_at')).to.equal(4);
  });

  it('a run claims one payment at a time', async () => {
    await pay('card_success');
    await service.query('analyze transactions');
    for (let count = 1; count < 5; count++) await pay('card_success');
    await service.query('update transactions set reconcile_at = $1', [service.clock.now()]);
    await reconcileTransactions(() => ({ ...newScope(), processor: payments.sandbox, ...separately }), once());
    expect(await waiting('transactions', 'reconcile_at')).to.equal(4);
  });
});
