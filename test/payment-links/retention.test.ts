import { expect } from 'chai';
import { retentionSweep } from '../../src/main/processes/tasks.ts';
import { findAuthorisation } from '../../src/payment-links/office/records.ts';
import { clearAuthorisations, purgeNotifications } from '../../src/payment-links/upkeep/retention.ts';
import { madeForEach, useServiceForEach } from '../harness/fixtures.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';

/** Text that the patients of the harness authorise. */
const TEXT = 'I authorise this debit, once.';

describe('retention of payment data', () => {
  const service = useServiceForEach();
  const practice = madeForEach(() => service.practice());
  const payments = new Payments(service);

  /** One turn of the worker's sweep. */
  const purge = () => retentionSweep(() => service.scope())(() => true);

  async function paid(method = 'bank_settles'): Promise<PayableLink> {
    const link = await payments.link(practice);
    await payments.pay(link, method);
    return link;
  }

  const evidence = async (link: PayableLink) => {
    const rows = await service.query<{ locale: string; address: string; text: string; hash: Buffer }>(
      `select locale, address, authorisation_text as text, authorisation_hash as hash from payment_attempts
       where payment_link_id = $1`,
      [link.id],
    );
    return rows.map((row) => [row.locale, row.address, row.text, row.hash?.length ?? null]);
  };

  it('an attempt loses language, address and the authorisation’s text after two years, and nothing else', async () => {
    const links = [await paid(), await paid('card_success')];
    service.clock.set('2032-06-15T12:00:00.000Z');
    const younger = await paid();
    await purge();
    expect(await Promise.all(links.map(evidence))).to.deep.equal([
      [['en', '203.0.113.7', TEXT, 32]],
      [['en', '203.0.113.7', null, null]],
    ]);
    service.clock.advance({ ms: 1 });
    await purge();
    expect(await Promise.all(links.map(evidence))).to.deep.equal([
      [[null, null, null, null]],
      [[null, null, null, null]],
    ]);
    expect(await evidence(younger)).to.deep.equal([['en', '203.0.113.7', TEXT, 32]]);
    const [first] = links;
    if (first === undefined) throw new Error('two links');
    expect(await payments.payment(first)).to.include({ account: `sandbox_${practice.practiceId}` });
    const page = await payments.pages().find(first.token);
    expect(page?.payment).to.include({ paymentMethodType: 'us_bank_account' });
    expect(page?.authorisation).to.equal(null);
    expect(await findAuthorisation(service.scope(), first.id).catch((error) => error.code)).to.equal('not_found');
  });

  it('a processed notification is deleted 90 days after its receipt', async () => {
    const ids = async () => {
      const rows = await service.query<{ id: string }>('select id from processor_notifications order by id');
      return rows.map(({ id }) => id);
    };
    const { reference, account } = await payments.payment(await paid());
    const subject = { kind: 'payment', reference } as const;
    await payments.notify(account, subject, 'a_handled');
    await payments.notify(account, subject, 'b_waiting');
    await service.query(`update processor_notifications set due_at = '2040-01-01' where id = 'b_waiting'`);
    service.clock.advance({ days: 90 });
    await payments.notify(account, subject, 'c_new');
    await purge();
    expect(await ids()).to.deep.equal(['a_handled', 'b_waiting', 'c_new']);
    service.clock.advance({ ms: 1 });
    await purge();
    expect(await ids()).to.deep.equal(['b_waiting', 'c_new']);
  });

  it('data whose retention is over is deleted although another kind of data cannot be deleted', async () => {
    await service.query(
      `insert into idempotent_replies (api_key_id, practice_id, idempotency_key, body_hash, reply, created_at)
       select id, practice_id, 'old', '', '', '2000-01-01' from api_keys limit 1`,
    );
    await service.query('alter table webhook_deliveries rename to webhook_deliveries_unreadable');
    // Without the guarantee, the first kind ends the run with its error.
    await purge().catch(() => undefined);
    expect(await service.query('select 1 from idempotent_replies')).to.deep.equal([]);
  });

  it('old authorisations and notifications are deleted in batches, as many as a run needs', async () => {
    await service.query(
      `insert into processor_notifications (processor, id, account_id, subject, received_at)
       select 'sandbox', 'n' || n, 'acct', '{"kind":"account"}', '2030-01-01' from generate_series(1, 5001) n`,
    );
    const scope = service.scope();
    expect(await purgeNotifications(scope)).to.equal(true);
    expect(await purgeNotifications(scope)).to.equal(false);
    expect(await clearAuthorisations(scope)).to.equal(false);
    expect(await service.query('select 1 from processor_notifications')).to.deep.equal([]);
  });
});
