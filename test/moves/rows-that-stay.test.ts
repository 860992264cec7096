import { expect } from 'chai';
import { movePractices } from '../../src/moves/move.ts';
import { expireDueLinks } from '../../src/payment-links/expire-links.ts';
import { handleDueNotifications, receiveNotification } from '../../src/payment-links/reconcile/notifications.ts';
import { retentionSweep } from '../../src/tasks.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { query } from '../harness/database.ts';
import { Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { startPaylinks } from '../harness/processes.ts';
import { idempotent, SECRETS_KEY, type TestPractice } from '../harness/service.ts';
import { createEndpoint, ENDPOINTS, paidLink } from '../harness/webhooks.ts';
import { databaseValues } from '../metrics/counters.ts';
import { TwoCells } from './two-cells.ts';

/** The cell that a practice left keeps its rows until `delete-moved`. */
describe('the rows of a practice that has moved', function () {
  this.timeout(180_000);
  let cells: TwoCells;
  let moved: TestPractice;
  let staying: TestPractice;
  let payments: Payments;

  beforeEach(async () => {
    cells = await TwoCells.start({ workers: false });
    moved = await cells.source.practice();
    staying = await cells.source.practice();
    payments = new Payments(cells.source);
  });

  afterEach(() => cells.close());

  const move = () => movePractices({ ...cells.urls, practiceIds: [moved.practiceId] });

  it('no former secret and no authorisation of another practice is kept beyond its time because of rows that stay', async () => {
    const { source, urls } = cells;
    for (const practice of [moved, staying]) {
      const { id } = await createEndpoint(practice.test, 'https://127.0.0.1/hook');
      await practice.test.post(`${ENDPOINTS}/${id}/rotate-secret`, {}, idempotent('rotate'));
      await payments.pay(await payments.link(practice), 'card_success');
    }
    await query(urls.sourceUrl, `update payment_attempts set address = '192.0.2.1'`);
    const practicesWithData = async () => {
      const rows = await query<{ id: string }>(
        urls.sourceUrl,
        `select practice_id as id from webhook_endpoints where previous_secret_ciphertext is not null
         union all select practice_id from payment_attempts where address is not null`,
      );
      return rows.map(({ id }) => id);
    };
    const both = [moved.practiceId, staying.practiceId];
    expect(await practicesWithData()).to.have.members([...both, ...both]);
    await move();
    source.clock.advance({ days: 2 * 366 });
    await retentionSweep(() => source.scope())(() => true);
    expect(await practicesWithData()).not.to.include(staying.practiceId);
  });

  it('links that stay expire in the new cell only, and keep no batch of other practices from expiring', async () => {
    const { source, target } = cells;
    const expiresAt = new Date(source.clock.now().getTime() + 60_000).toISOString();
    const [gone] = [await payments.link(moved, { expiresAt }), await payments.link(staying, { expiresAt })];
    await move();
    for (const { clock } of [source, target]) clock.advance({ minutes: 2 });
    const captured = new CapturedLog('info');
    expect(await expireDueLinks(() => ({ ...source.scope(), log: captured.log }))).to.equal(1);
    // A batch with a refused link would be repeated by practice, with a line for each of them.
    expect(captured.lines).to.deep.equal([]);
    expect(await expireDueLinks(() => target.scope())).to.equal(1);
    const [row] = await query(cells.urls.targetUrl, 'select status from payment_links where id = $1', [gone.id]);
    expect(row).to.deep.equal({ status: 'expired' });
  });

  it('a notification that waits is processed in the new cell only, and the processor is asked nothing for the former one', async () => {
    const link = await payments.link(moved);
    await payments.pay(link, 'bank_settles');
    const { reference, account: accountId } = await payments.payment(link);
    const subject = { kind: 'payment', reference } as const;
    const { raw, headers } = await payments.sandbox.signed({ id: 'waiting', accountId, subject });
    await receiveNotification(cells.source.scope(), payments.sandbox, raw, headers);
    await move();
    for (const { clock } of [cells.source, cells.target]) clock.advance({ seconds: 1 });
    for (const cell of [cells.source, cells.target]) {
      await handleDueNotifications(() => cell.scope(), new Payments(cell).sandbox);
    }
    const tries = (url: string) => query(url, `select tries from processor_notifications where id = 'waiting'`);
    expect(await tries(cells.urls.sourceUrl)).to.deep.equal([{ tries: 0 }]);
    expect(await tries(cells.urls.targetUrl)).to.deep.equal([{ tries: 1 }]);
  });

  it('secrets are encrypted with the first key in both cells, those that stay as well, so that the old key can be removed', async () => {
    for (const practice of [moved, staying]) await createEndpoint(practice.test, 'https://127.0.0.1/hook');
    await move();
    const next = `next:${Buffer.alloc(32, 9).toString('base64')}`;
    for (const { config } of [cells.source, cells.target]) {
      const env = { DATABASE_URL: config.databaseUrl, PROCESSOR: 'sandbox', SECRETS_KEY: `${next},${SECRETS_KEY}` };
      const { code, stderr } = await startPaylinks(['secrets', 'rotate'], { ...process.env, ...env }).finished;
      expect([code, stderr]).to.deep.equal([0, '']);
      const old = await query(
        config.databaseUrl,
        `select from webhook_endpoints where secret_ciphertext not like 'next.%'`,
      );
      expect(old).to.deep.equal([]);
    }
  });

  it('webhooks, open payments and questions to the processor are counted in the cell that serves the practice, and not where they stay', async () => {
    await createEndpoint(moved.test, 'https://127.0.0.1/hook');
    await paidLink(moved.test);
    await payments.pay(await payments.link(moved), 'card_challenge');
    await payments.pay(await payments.link(moved), 'bank_settles');
    await move();
    const { source, target } = cells;
    for (const { clock } of [source, target]) clock.advance({ seconds: SETTLE_SECONDS });
    const names = [
      'paylinks_webhook_oldest_due_seconds',
      'paylinks_webhook_deliveries_waiting',
      'paylinks_payment_attempts_open',
      'paylinks_payment_attempt_oldest_open_seconds',
      'paylinks_reconciliations_overdue',
    ];
    for (const name of names) {
      const [here, there] = [await databaseValues(source, name), await databaseValues(target, name)];
      expect(
        Object.values(there).some((value) => value > 0),
        `${name} of the target`,
      ).to.equal(true);
      expect(
        Object.values(here).filter((value) => value > 0),
        `${name} of the source`,
      ).to.deep.equal([]);
    }
  });

  it('paylinks check judges them in the new cell, and not where they stay', async () => {
    const { id } = await payments.link(moved);
    await query(cells.urls.sourceUrl, `update payment_links set expires_at = now() - interval '1 day' where id = $1`, [
      id,
    ]);
    expect(await cells.check(cells.source), 'before').to.have.length(1);
    await move();
    expect(await cells.check(cells.source)).to.deep.equal([]);
    expect(await cells.check(cells.target)).to.have.length(1);
  });

  it('more faults of a practice that has moved than one statement reports hide none of another practice', async () => {
    const { id } = await payments.link(moved);
    const { sourceUrl } = cells.urls;
    await query(sourceUrl, `update payment_links set expires_at = now() - interval '2 days' where id = $1`, [id]);
    await query(
      sourceUrl,
      `insert into payment_links select r.* from payment_links l, generate_series(1, 1000) as n,
         jsonb_populate_record(null::payment_links, to_jsonb(l)
           || jsonb_build_object('id', 'plink_' || lpad(n::text, 26, '0'), 'token', 'token-' || n)) as r
       where l.id = $1`,
      [id],
    );
    // In every order of reading, this one comes last.
    const { id: other } = await payments.link(staying);
    await query(sourceUrl, `update payment_links set expires_at = now() - interval '1 day' where id = $1`, [other]);
    await move();
    expect(await cells.check(cells.source)).to.have.length(1);
  });
});
