import { expect } from 'chai';
import { request } from 'undici';
import { Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { type TestPractice, TestService } from '../harness/service.ts';

describe('POST /processor/notifications/:name', () => {
  let service: TestService;
  let practice: TestPractice;
  let payments: Payments;

  before(async () => {
    service = await TestService.start();
    practice = await service.practice();
    payments = new Payments(service);
    await practice.live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
  });

  after(() => service.close());

  async function post(raw: Buffer, headers: Record<string, string>, name = 'sandbox') {
    const path = `/processor/notifications/${name}`;
    const response = await request(`${service.baseUrl}${path}`, { method: 'POST', body: raw, headers });
    const body = (await response.body.json()) as { received?: boolean; error?: { code: string } };
    return [response.statusCode, body.error?.code ?? body.received];
  }

  async function jobs(): Promise<number> {
    return (await payments.rows(`select 1 from graphile_worker.jobs where task_identifier = 'processor_notification'`))
      .length;
  }

  it('takes what is signed, once, however often it comes at once', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'bank_settles');
    service.clock.advance({ seconds: SETTLE_SECONDS });
    const { reference, account } = await payments.payment(link);
    const message = { id: 'msg_once', accountId: account, subject: { kind: 'payment' as const, reference } };
    const { raw, headers } = await payments.sandbox.signed(message);
    const before = await jobs();
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(raw, headers)));
    expect(new Set(answers.map(String))).to.deep.equal(new Set(['200,true']));
    expect(await jobs()).to.equal(before + 1);
    await payments.sweep();
    expect(await payments.events(link)).to.deep.equal(['processing', 'paid']);
  });

  it('refuses what is not signed by the processor, or was changed', async () => {
    const message = { id: 'msg_forged', accountId: 'x', subject: { kind: 'account' as const } };
    const { raw, headers } = await payments.sandbox.signed(message);
    expect(await post(raw, {})).to.deep.equal([400, 'validation_error']);
    expect(await post(Buffer.concat([raw, Buffer.from(' ')]), headers)).to.deep.equal([400, 'validation_error']);
    expect(await post(Buffer.alloc(300_000), headers)).to.deep.equal([413, 'payload_too_large']);
    expect(await payments.rows(`select 1 from processor_notifications where id = 'msg_forged'`)).to.deep.equal([]);
  });

  it('is not found for another processor', async () => {
    expect(await post(Buffer.from('{}'), {}, 'stripe')).to.deep.equal([404, 'not_found']);
  });

  it('unknown objects are harmless', async () => {
    for (const subject of [
      { kind: 'payment' as const, reference: 'nobody' },
      { kind: 'dispute' as const, reference: 'nobody' },
      { kind: 'account' as const },
      { kind: 'ignored' as const },
    ]) {
      expect(await payments.tell('sandbox_nobody', subject)).to.equal(true);
    }
    expect(await payments.rows('select 1 from processor_notifications where due_at is not null')).to.deep.equal([]);
  });

  it('of a payment whose row is not there yet is tried again, later and later, for three days', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'crash_after_charge').catch(() => {});
    const { attemptId } = await payments.payment(link);
    const [charge] = await payments.rows<{ reference: string; account: string }>(
      'select reference, account from sandbox.payments where attempt = $1',
      [attemptId],
    );
    if (charge === undefined) throw new Error('charged');
    await payments.rows(`update sandbox.payments set attempt = 'att_elsewhere' where attempt = $1`, [attemptId]);
    await payments.tell(charge.account, { kind: 'payment', reference: charge.reference }, 'msg_early');
    await payments.sweep();
    const waiting = `select tries, due_at from processor_notifications where id = 'msg_early'`;
    const [row] = await payments.rows<{ tries: number; due_at: Date | null }>(waiting);
    expect([row?.tries, row?.due_at === null]).to.deep.equal([1, false]);
    await payments.rows(`update sandbox.payments set attempt = $1 where attempt = 'att_elsewhere'`, [attemptId]);
    service.clock.advance({ seconds: 5 });
    await payments.sweep();
    expect(await payments.events(link)).to.deep.equal(['paid']);
    const [handled] = await payments.rows<{ tries: number; due_at: Date | null }>(waiting);
    expect([handled?.tries, handled?.due_at]).to.deep.equal([2, null]);
  });
});
