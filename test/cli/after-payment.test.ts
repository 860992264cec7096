import { expect } from 'chai';
import { createPractice } from '../../src/practices/service.ts';
import { SettableClock } from '../harness/clock.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { commandsIn } from '../harness/processes.ts';
import { createLink, SECRETS_KEY } from '../harness/service.ts';

describe('paylinks, after a payment on the sandbox', () => {
  const service = useService({ clock: new SettableClock(new Date().toISOString()) });
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);
  let env: NodeJS.ProcessEnv;

  before(async () => {
    for (const client of [practice.live, practice.test]) {
      await client.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
    }
    const { databaseUrl: DATABASE_URL } = service.config;
    env = { ...process.env, DATABASE_URL, SECRETS_KEY, PROCESSOR: 'sandbox', PUBLIC_URL: 'https://pay.example.com' };
  });

  const { run, json } = commandsIn(() => env);

  /** A refusal: exit 1, a word of the catalogue and where it is about, and nothing on standard output. */
  async function refused(code: string, ...args: string[]): Promise<void> {
    const finished = await run(...args, '--json');
    expect([finished.code, finished.stdout], args.join(' ')).to.deep.equal([1, '']);
    expect(finished.stderr).to.include(`paylinks: ${code}`);
  }

  async function paid(method = 'card_success'): Promise<PayableLink> {
    const link = await payments.link(practice, { amount: 100 });
    await payments.pay(link, method);
    return link;
  }

  const transactionOf = async ({ id }: { id: string }) =>
    (await practice.live.get(`/api/v1/payment-links/${id}`)).body.transaction.status;

  it('refunds create gives back a part, then what is left, each with its event; then there is nothing left', async () => {
    const link = await paid();
    const part = await json('refunds', 'create', '--link', link.id, '--amount', '30.5', '--reason', 'goodwill');
    expect(part).to.include({ object: 'refund', amount: 30.5, status: 'succeeded', reason: 'goodwill' });
    expect(await transactionOf(link)).to.equal('succeeded');
    await refused('validation_error (amount): At most 69.5', 'refunds', 'create', '--link', link.id, '--amount', '70');
    const { code, stdout } = await run('refunds', 'create', '--link', link.id);
    expect([code, /^amount +69\.5$/m.test(stdout), /^status +succeeded$/m.test(stdout)]).to.deep.equal([0, true, true]);
    expect(await transactionOf(link)).to.equal('refunded');
    expect(await payments.events(link)).to.deep.equal(['paid', 'refunded', 'refunded']);
    await refused('validation_error (amount)', 'refunds', 'create', '--link', link.id);
  });

  it('refunds create refuses what is unpaid, unknown or pending, and explains wrong usage', async () => {
    const pending = await paid('bank_settles');
    await refused('validation_error (amount)', 'refunds', 'create', '--link', pending.id);
    await refused('not_found', 'refunds', 'create', '--link', 'plink_nobody');
    const usage = await run('refunds', 'create', '--link', pending.id, '--amount', '-5');
    expect([usage.code, usage.stdout]).to.deep.equal([2, '']);
  });

  it('authorisations show prints what a patient authorised, word for word, and refuses a payment without authorisation', async () => {
    const link = await paid('bank_settles');
    const shown = await json('authorisations', 'show', '--link', link.id);
    expect(shown).to.include({
      id: (await payments.payment(link)).attemptId,
      paymentLinkId: link.id,
      authorisedAt: service.clock.now().toISOString(),
      language: 'en',
      address: '203.0.113.7',
      amount: 100,
      currency: 'usd',
      status: 'accepted',
      text: 'I authorise this debit, once.',
    });
    const { code, stdout } = await run('authorisations', 'show', '--link', link.id);
    expect([code, /^text +I authorise this debit, once\.$/m.test(stdout)]).to.deep.equal([0, true]);
    const card = await paid();
    await refused('not_found: No authorisation is kept', 'authorisations', 'show', '--link', card.id);
    await refused('not_found: This is not the id', 'authorisations', 'show', '--link', 'nobody');
    expect((await run('authorisations', 'show')).code).to.equal(2);
  });

  it('payments find leads from the number on a receipt to its link', async () => {
    const link = await paid();
    const number = (await payments.pages().find(link.token))?.payment?.paymentNumber ?? '';
    expect(number).to.match(/^[1-9]\d{8}$/);
    const spoken = number.replaceAll(/(\d{3})(?=\d)/g, '$1-');
    for (const args of [[number], [spoken], [spoken.replaceAll('-', ' '), '--practice', practice.practiceId]]) {
      const { data } = await json('payments', 'find', ...args);
      expect(data.map(({ id }: { id: string }) => id)).to.deep.equal([link.id]);
      expect(data[0]).to.include({ practiceId: practice.practiceId, location: 'Downtown', amount: 100, test: false });
    }
    expect((await json('payments', 'find', number, '--practice', 'prac_nobody')).data).to.deep.equal([]);
  });

  it('disputes open and close simulate the bank of a live link, once each, with their events', async () => {
    const link = await paid();
    const open = ['disputes', 'open', '--link', link.id, '--reason', 'fraudulent', '--amount', '100'];
    const opened = await json(...open, '--evidence-due-by', '2099-01-01T00:00:00Z');
    expect(opened).to.include({ paymentLinkId: link.id, status: 'open', reason: 'fraudulent', amount: 100 });
    expect(opened).to.include({ evidenceDueBy: '2099-01-01T00:00:00.000Z', closedAt: null });
    await refused('validation_error (link)', ...open);
    const closed = await json('disputes', 'close', '--link', link.id, '--outcome', 'lost');
    expect(closed).to.include({ id: opened.id, status: 'lost' });
    expect(closed.closedAt).to.be.a('string');
    await refused('not_found', 'disputes', 'close', '--link', link.id, '--outcome', 'lost');
    expect(await payments.events(link)).to.deep.equal(['paid', 'disputed', 'dispute_closed']);
    expect(await transactionOf(link)).to.equal('succeeded');
  });

  it('disputes open takes a settled debit back for the reasons of a bank return, and shows the refund', async () => {
    const link = await paid('bank_settles');
    const { reference, account } = await payments.payment(link);
    // Its days have passed; the clock hasn't moved, for commands go by another.
    const settle = 'update sandbox.payments set final_at = $2 where reference = $1';
    await service.query(settle, [reference, service.clock.now()]);
    await payments.notify(account, { kind: 'payment', reference });
    const reversal = ['disputes', 'open', '--link', link.id, '--reason', 'insufficient_funds', '--amount', '100'];
    expect(await json(...reversal)).to.include({ object: 'refund', reason: 'bank_reversal', amount: 100 });
    expect(await payments.events(link)).to.deep.equal(['processing', 'paid', 'refunded']);
    await refused('validation_error (link)', ...reversal);
  });

  it('disputes can be simulated on test links, too', async () => {
    const { id } = await createLink(practice.test);
    await practice.test.post(`/api/v1/payment-links/${id}/simulate`, { outcome: 'paid' });
    const open = ['disputes', 'open', '--link', id, '--reason', 'general', '--amount', '5'];
    expect(await json(...open)).to.include({ status: 'open', amount: 5 });
    await refused('validation_error (link): A dispute', ...open);
    expect(await json('disputes', 'close', '--link', id, '--outcome', 'won')).to.include({ status: 'won' });
    await refused('not_found', 'disputes', 'close', '--link', id, '--outcome', 'won');
  });

  it('practices onboard gives a practice its account, the same however often, and payments are enabled', async () => {
    const oak = { name: 'Oak', adminEmail: 'a@oak.example', paymentsEnabled: false };
    const { id } = await createPractice(service.scope(), oak);
    for (let time = 0; time < 2; time++) {
      const onboarded = await json('practices', 'onboard', id);
      expect(onboarded).to.include({ id, paymentsEnabled: true, onboardingUrl: null });
      expect(onboarded.processorAccountId).to.equal(`sandbox_${id}`);
    }
    await refused('not_found', 'practices', 'onboard', 'prac_nobody');
  });
});
