import { expect } from 'chai';
import pg from 'pg';
import { newId } from '../../src/base/ids.ts';
import { archiveLinks } from '../../src/payment-links/archive-links.ts';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/simulate/sandbox-dispute.ts';
import { retentionSweep } from '../../src/tasks.ts';
import { ARCHIVED_TABLES, archive, archivedIds, archiving, expectAgreement } from '../harness/archive.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { type PayableLink, Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';

const LINKS = '/api/v1/payment-links';
const HELPERS = '/api/v1/test-helpers/payment-links';

describe('an archived link', () => {
  let service: TestService;
  let practice: TestPractice;
  let payments: Payments;

  beforeEach(async () => {
    service = await TestService.start();
    practice = await service.practice();
    payments = new Payments(service);
  });

  afterEach(() => service.close());

  /** Lets half a year pass, in which the jobs of a worker run. */
  async function halfAYear(): Promise<void> {
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    service.clock.advance({ days: 200 });
    await payments.sweep();
    await retentionSweep(() => service.scope())(() => true);
  }

  /** Creates and pays live links, and archives them. */
  async function archived(...methods: string[]): Promise<PayableLink[]> {
    const links: PayableLink[] = [];
    for (const method of methods) {
      const link = await payments.link(practice, { amount: 100 });
      await payments.pay(link, method);
      links.push(link);
    }
    await halfAYear();
    expect(await archive(service)).to.equal(links.length);
    await practice.live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
    return links;
  }

  /** Returns the tables of the archive that other statements read. */
  const attached = () =>
    payments.rows(
      `select from pg_inherits join pg_class c on c.oid = inhrelid where relnamespace = 'archive'::regnamespace`,
    );

  const seen = async ({ id }: PayableLink) => {
    const { status, transaction, refunds } = (await practice.live.get(`${LINKS}/${id}`)).body;
    return [status, transaction.status, refunds.map(({ amount }: { amount: number }) => amount)];
  };

  it('the archive is attached by the first run that has a time, and filled by the next', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_success');
    await halfAYear();
    const run = (days: number | null) => archiveLinks(archiving(service), days);
    expect([await run(null), await attached()]).to.deep.equal([0, []]);
    expect([await run(180), (await attached()).length, await archivedIds(service)]).to.deep.equal([
      ...[0, ARCHIVED_TABLES.length, []],
    ]);
    expect(await run(300)).to.equal(0);
    expect([await run(180), await archivedIds(service)]).to.deep.equal([1, [link.id]]);
  });

  it('an archive that is being attached waits for no open transaction on links, and stops none', async () => {
    const { id } = await createLink(practice.test);
    const clients = [1, 2].map(() => new pg.Client({ connectionString: service.config.databaseUrl }));
    const [writer, attaching] = clients;
    try {
      for (const client of clients) await client.connect();
      await writer?.query('begin; update payment_links set description = description');
      await attaching?.query('begin; select attach_archive(null)');
      await writer?.query('commit');
      expect((await practice.test.post(`${LINKS}/${id}/simulate`, { outcome: 'paid' })).status).to.equal(200);
      expect((await practice.test.get(LINKS)).body.totalCount).to.equal(1);
      await attaching?.query('commit');
    } finally {
      for (const client of clients) await client.end();
    }
    expect(await attached()).to.have.length(ARCHIVED_TABLES.length);
  });

  it('an archive whose tables are locked waits for the next run', async () => {
    const other = new pg.Client({ connectionString: service.config.databaseUrl });
    await other.connect();
    try {
      await other.query('begin; select from archive.payment_links');
      expect(await archiveLinks(archiving(service), 180)).to.equal(0);
      expect(await attached()).to.have.length.below(ARCHIVED_TABLES.length);
    } finally {
      await other.end();
    }
    await archiveLinks(archiving(service), 180);
    expect(await attached()).to.have.length(ARCHIVED_TABLES.length);
  });

  it('an archived link that the practice refunds comes back, sends its event, and is archived again half a year later', async () => {
    const [link, other] = await archived('card_success', 'card_success');
    if (link === undefined || other === undefined) return expect.fail();
    await createRefund(service.scope(), payments.sandbox, link.id, 2_500, 'goodwill');
    expect(await archivedIds(service)).to.deep.equal([other.id]);
    expect(await seen(link)).to.deep.equal(['paid', 'succeeded', [25]]);
    expect(await payments.events(link)).to.deep.equal(['refunded']);
    await expectAgreement(service);
    expect(await archive(service), 'its refund is of today').to.equal(0);
    await halfAYear();
    expect(await archive(service)).to.equal(1);
    expect(await seen(link)).to.deep.equal(['paid', 'succeeded', [25]]);
    await createRefund(service.scope(), payments.sandbox, link.id, null, 'goodwill');
    expect(await seen(link)).to.deep.equal(['paid', 'refunded', [25, 75]]);
    await expectAgreement(service);
  });

  it('an archived refund keeps its id: another payment is not refunded under it', async () => {
    const order = {
      id: newId('refund', service.clock.now()),
      actOf: ({ id }: { id: string }) => ({
        practiceId: practice.practiceId,
        action: 'payment.refunded',
        target: { kind: 'payment_link', id },
      }),
    };
    const refund = ({ id }: PayableLink) =>
      createRefund(service.scope(), payments.sandbox, id, 2_500, 'goodwill', order).catch((error) => error);
    const link = await payments.link(practice, { amount: 100 });
    await payments.pay(link, 'card_success');
    expect((await refund(link)).status).to.equal('succeeded');
    await halfAYear();
    expect(await archive(service)).to.equal(1);
    const present = await payments.link(practice, { amount: 100 });
    await payments.pay(present, 'card_success');
    expect((await refund(present)).reason).to.equal('id_taken');
    expect(await payments.rows('select from refunds')).to.have.length(1);
    expect(await refund(link), 'a repetition').to.include({ id: order.id, status: 'succeeded' });
    expect(await archivedIds(service)).to.deep.equal([link.id]);
  });

  it('a processor’s late news of an archived link is recorded once: a refund, a dispute and its end, a returned debit', async () => {
    const [refunded, disputed, returned] = await archived('card_success', 'card_success', 'bank_settles');
    if (refunded === undefined || disputed === undefined || returned === undefined) return expect.fail();
    const { account, reference } = await payments.payment(refunded);
    await payments.sandbox.bank.refund(reference, 2_500);
    for (let time = 0; time < 3; time++) await payments.notify(account, { kind: 'payment', reference });
    const dispute = { reason: 'fraudulent', amountCents: 10_000, evidenceDueBy: new Date('2031-08-01T00:00:00.000Z') };
    await simulateDisputeOpening(service.scope(), payments.sandbox, disputed.id, dispute);
    expect(await archivedIds(service)).to.deep.equal([returned.id]);
    await simulateDisputeClosing(service.scope(), payments.sandbox, disputed.id, 'lost');
    const back = { ...dispute, reason: 'insufficient_funds' };
    await simulateDisputeOpening(service.scope(), payments.sandbox, returned.id, back);
    expect(await seen(refunded)).to.deep.equal(['paid', 'succeeded', [25]]);
    expect(await seen(returned)).to.deep.equal(['paid', 'refunded', [100]]);
    const events = await Promise.all([refunded, disputed, returned].map((link) => payments.events(link)));
    expect(events).to.deep.equal([['refunded'], ['disputed', 'dispute_closed'], ['refunded']]);
    expect(await archivedIds(service)).to.deep.equal([]);
    await expectAgreement(service);
  });

  it('a processor’s old news of an archived link changes nothing', async () => {
    const [link] = await archived('card_success');
    if (link === undefined) return expect.fail();
    const before = (await practice.live.get(`${LINKS}/${link.id}`)).body;
    const { account, reference } = await payments.payment(link);
    await payments.notify(account, { kind: 'payment', reference });
    expect((await practice.live.get(`${LINKS}/${link.id}`)).body).to.deep.equal(before);
    expect(await payments.events(link)).to.deep.equal([]);
    expect(await archive(service)).to.equal(1);
  });

  it('an archived link refuses what a closed link refuses, and test helpers change it', async () => {
    const { id } = await createLink(practice.test);
    await practice.test.post(`${LINKS}/${id}/simulate`, { outcome: 'paid' });
    await halfAYear();
    expect(await archive(service)).to.equal(1);
    const codes = [];
    for (const reply of [
      await practice.test.post(`${LINKS}/${id}/cancel`),
      await practice.test.post(`${LINKS}/${id}/simulate`, { outcome: 'paid' }),
      await practice.test.patch(`${LINKS}/${id}`, { description: 'Crown' }),
    ]) {
      codes.push([reply.status, reply.body.error.code]);
    }
    expect(codes).to.deep.equal(Array.from({ length: 3 }, () => [409, 'link_not_active']));
    expect(await archivedIds(service)).to.deep.equal([id]);
    const refunded = await practice.test.post(`${HELPERS}/${id}/refund`, {});
    expect([refunded.status, refunded.body.refunds.length]).to.deep.equal([200, 1]);
    expect(await archivedIds(service)).to.deep.equal([]);
    await expectAgreement(service);
  });

  it('an archived link sends a receipt by mail, and waits for the end of the request before it is archived again', async () => {
    const [link] = await archived('card_success');
    if (link === undefined) return expect.fail();
    const order = { email: 'ada@example.com', language: 'en', limitAddress: '203.0.113.7' } as const;
    expect(await payments.pages().requestReceipt(link.token, order)).to.equal('queued');
    const mails = new KeptMails();
    await runJobs(service, mails);
    expect(mails.mails.map(({ to }) => to)).to.deep.equal(['ada@example.com']);
    expect(await archive(service)).to.equal(0);
    service.clock.advance({ days: 1, ms: 1 });
    await retentionSweep(() => service.scope())(() => true);
    expect(await archive(service)).to.equal(1);
  });

  it('an archived attempt loses the record of its authorisation after two years, as any other', async () => {
    const [link] = await archived('bank_settles');
    if (link === undefined) return expect.fail();
    service.clock.advance({ days: 731 });
    await retentionSweep(() => service.scope())(() => true);
    const rows = await payments.rows('select address, locale, authorisation_text from archive.payment_attempts');
    expect(rows).to.deep.equal([{ address: null, locale: null, authorisation_text: null }]);
    expect(await archivedIds(service)).to.deep.equal([link.id]);
  });
});

describe('a link that is not final', () => {
  let service: TestService;
  let practice: TestPractice;
  let payments: Payments;

  before(async () => {
    service = await TestService.start();
    practice = await service.practice();
    payments = new Payments(service);
  });

  after(() => service.close());

  const CHANGES: Record<string, string> = {
    'a delivery is left': `insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status,
      payload, delivery_run, created_at) select 'evt_left', practice_id, (select id from webhook_endpoints limit 1), id, 'ping',
      false, 'exhausted', '', 'automatic', now() from payment_links where id = $1`,
    'a receipt is asked for': `insert into receipt_requests (id, practice_id, payment_link_id, ordinal, language, created_at)
      select 'rcr_1', practice_id, id, 1, 'en', now() from payment_links where id = $1`,
    'the debit is pending': `update transactions set status = 'pending' where payment_link_id = $1`,
    'the processor is still asked about the payment': `update transactions set reconcile_at = now() where payment_link_id = $1`,
    'the debit settled later': `update transactions set processed_at = '2030-12-01' where payment_link_id = $1`,
    'an attempt is in doubt': `update payment_attempts set reconcile_at = now() where payment_link_id = $1`,
    'a refund is pending': `insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at)
      select 're_1', practice_id, payment_link_id, id, 1, 'pending', created_at from transactions where payment_link_id = $1`,
    'a dispute is open': `insert into disputes (id, practice_id, payment_link_id, transaction_id, amount_cents, status, reason,
      created_at) select 'dp_1', practice_id, payment_link_id, id, 1, 'open', 'x', created_at from transactions
      where payment_link_id = $1`,
    'a reversal is young': `insert into bank_reversals (id, practice_id, payment_link_id, transaction_id, amount_cents,
      processor_reference, created_at) select 'rv_1', practice_id, payment_link_id, id, 1, 'x', '2030-12-01' from transactions
      where payment_link_id = $1`,
    'a mail about it is young': `insert into payment_admin_mails (practice_id, payment_link_id, kind, subject_id, queued_at)
      select practice_id, id, 'x', 'x', '2030-12-01' from payment_links where id = $1`,
    'it closed less than half a year ago': `update payment_links set closed_at = '2030-12-01' where id = $1`,
  };

  it('a link is archived only if nothing of it is open or young', async () => {
    const paid: PayableLink[] = [];
    for (const _ of Object.keys(CHANGES)) {
      const link = await payments.link(practice);
      await payments.pay(link, 'bank_settles');
      paid.push(link);
    }
    const other = await service.practice();
    const free = await payments.link(other);
    await payments.pay(free, 'bank_settles');
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    service.clock.set('2031-01-15T12:00:00.000Z');
    await payments.sweep();
    await practice.live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
    for (const [index, [, change]] of Object.entries(CHANGES).entries()) await payments.rows(change, [paid[index]?.id]);
    expect(await archive(service)).to.equal(1);
    expect(await archivedIds(service)).to.deep.equal([free.id]);
    expect(Object.keys(CHANGES)).to.have.length(paid.length);
  });
});
