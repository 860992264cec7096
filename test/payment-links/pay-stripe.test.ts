import { expect } from 'chai';
import { request } from 'undici';
import { onboard } from '../../src/main/cli/practices.ts';
import { syncAccount } from '../../src/payment-links/payments/account.ts';
import { applyPayment } from '../../src/payment-links/payments/apply.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createPractice } from '../../src/practices/service.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { createSandbox } from '../../src/processors/sandbox.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { DESCRIPTOR } from '../processors/fake-stripe-books.ts';
import { useStripe } from './stripe-service.ts';

describe('paying through Stripe', () => {
  const captured = new CapturedLog();

  const stripe = useStripe(captured.log);

  const newPractice = async (name: string) => {
    const input = { name, adminEmail: 'a@practice.example', paymentsEnabled: false };
    return (await createPractice(stripe.service.scope(), input)).id;
  };

  /** Posts an event to the address for notifications. Returns the status. */
  async function post(body: object, secret?: string, ageSeconds?: number): Promise<number> {
    const { raw, headers } = stripe.stripe.sign(body, secret, ageSeconds);
    const url = `${stripe.service.baseUrl}/processor/notifications/stripe`;
    return (await request(url, { method: 'POST', body: raw, headers })).statusCode;
  }

  it('the hosted page gets the data that Stripe’s script needs', async () => {
    const page = await stripe.pages().find((await stripe.link()).token);
    expect(page?.client).to.deep.equal({
      collects: 'script',
      publishableKey: 'pk_test_fake',
      accountId: stripe.account,
    });
    expect(page?.methods).to.deep.equal(['card', 'us_bank_account']);
  });

  it('a card payment is paid at once, with fee and net when Stripe books them', async () => {
    const { link, result, reference } = await stripe.submitted('success');
    expect(result).to.equal('accepted');
    expect((await stripe.seen(link)).transaction).to.include({ status: 'succeeded', fee: null, net: null });
    stripe.books.book(stripe.account, reference, 394);
    await stripe.deliverAll();
    expect((await stripe.seen(link)).transaction).to.include({ fee: 3.94, net: 121.56 });
    expect(await stripe.events(link)).to.deep.equal(['paid']);
  });

  it('the statement descriptor of a card is known at once, that of a debit when it has settled', async () => {
    const descriptor = async (token: string) => (await stripe.pages().find(token))?.payment?.statementDescriptor;
    const card = await stripe.link();
    await stripe.pay(card, 'success');
    expect(await descriptor(card.token)).to.equal(DESCRIPTOR);
    const { link: debit, reference } = await stripe.submitted('bankSettles');
    expect(await descriptor(debit.token)).to.equal(null);
    stripe.books.finishDebit(stripe.account, reference, true);
    await stripe.deliverAll();
    expect(await descriptor(debit.token)).to.equal(DESCRIPTOR);
  });

  it('the text of a debit’s authorisation is stored and shown on its hosted page', async () => {
    const { link } = await stripe.submitted('bankSettles');
    expect((await stripe.pages().find(link.token))?.authorisation).to.deep.equal({
      text: 'Autorizo este cargo, una vez.',
      locale: 'es',
      at: stripe.service.clock.now(),
    });
    const card = await stripe.link();
    await stripe.pay(card, 'success');
    expect((await stripe.pages().find(card.token))?.authorisation).to.equal(null);
  });

  it('the service keeps a fee once known, whatever Stripe says of it later', async () => {
    const { link, reference } = await stripe.submitted('success');
    for (const feeCents of [394, 500]) {
      stripe.books.book(stripe.account, reference, feeCents);
      await stripe.deliverAll();
      expect((await stripe.seen(link)).transaction).to.include({ fee: 3.94, net: 121.56 });
    }
  });

  it('with 3-D Secure the browser gets the client secret, and resume asks Stripe again', async () => {
    const { link, result, reference } = await stripe.submitted('challenge');
    expect(result).to.equal('requires_action');
    const page = await stripe.pages().find(link.token);
    expect(page?.clientAction).to.deep.equal({ kind: 'script', clientSecret: `${reference}_secret_fake` });
    stripe.books.finishAction(stripe.account, reference, true);
    expect(await stripe.pages().resume(link.token)).to.equal('accepted');
    await stripe.deliverAll();
    expect(await stripe.events(link)).to.deep.equal(['paid']);
  });

  for (const succeeds of [true, false]) {
    it(`a card payment that Stripe is still processing is in progress until it ${succeeds ? 'succeeds' : 'is declined'}`, async () => {
      const { link, reference } = await stripe.submitted('challenge');
      stripe.books.keepProcessing(stripe.account, reference);
      await stripe.pages().resume(link.token);
      await stripe.deliverAll();
      stripe.service.clock.advance({ hours: 1 });
      await stripe.sweep();
      expect([(await stripe.seen(link)).status, await stripe.events(link)]).to.deep.equal(['active', []]);
      expect(await stripe.pay(link, 'success')).to.equal('not_payable');
      const cancelled = await stripe.practice.live.post(`/api/v1/payment-links/${link.id}/cancel`);
      expect(cancelled.body.error.code).to.equal('service_unavailable');
      stripe.books.finishDebit(stripe.account, reference, succeeds);
      await stripe.deliverAll();
      if (!succeeds) expect(await stripe.pay(link, 'success')).to.equal('accepted');
      expect([(await stripe.seen(link)).status, await stripe.events(link)]).to.deep.equal(['paid', ['paid']]);
    });
  }

  it('a refused debit stays refused, whatever Stripe reports later', async () => {
    const link = await stripe.link();
    expect(await stripe.pay(link, 'bankRefused')).to.equal('declined');
    const reference = (await stripe.reference(link)) ?? '';
    const snapshot = await stripe.processor.retrieve({ id: stripe.account }, reference);
    if (snapshot === null) throw new Error('known');
    const scope = { ...stripe.service.scope(), processor: stripe.processor, ...separately };
    await applyPayment(scope, { id: stripe.account }, { ...snapshot, wasProcessing: true });
    expect((await stripe.seen(link)).status).to.equal('active');
  });

  it('Stripe gets our ids only, and no patient’s data', async () => {
    const link = await stripe.link({
      description: 'CANARY-description',
      patient: { firstName: 'CANARYfirst', lastName: 'CANARYlast', email: 'canary@example.com', phone: '+14155550199' },
      externalReference: 'CANARY-reference',
      metadata: { note: 'CANARY-metadata' },
    });
    stripe.stripe.requests.length = 0;
    await stripe.pay(link, 'success');
    const refunded = await stripe.refund(link, 100, 'CANARY-reason');
    expect([refunded.status, refunded.reason]).to.deep.equal(['succeeded', 'CANARY-reason']);
    const calls = stripe.stripe.requests.map((request) => request.split(' ').slice(0, 2).join(' '));
    expect(calls).to.include.members(['POST /v1/payment_intents', 'POST /v1/refunds']);
    const sent = stripe.stripe.requests.join('\n');
    expect(sent)
      .to.include(link.id)
      .and.to.not.match(/canary|4155550199/i);
    expect(sent, 'nor is the page’s token anybody’s but Stripe’s, as the way back').to.match(/return_url=/);
  });

  it('viewing a hosted page changes nothing at Stripe, even after a decline; “Check again” does', async () => {
    const { link, reference } = await stripe.submitted('challenge');
    stripe.books.finishAction(stripe.account, reference, false);
    stripe.stripe.requests.length = 0;
    const page = await stripe.pages().find(link.token);
    expect([page?.state, page?.clientAction]).to.deep.equal(['requires_action', null]);
    expect(stripe.stripe.requests.map((request) => request.split(' ')[0])).to.deep.equal(['GET']);
    expect(await stripe.pages().resume(link.token)).to.equal('declined');
    expect((await stripe.pages().find(link.token))?.lastFailure).to.equal('payment_intent_authentication_failure');
    await stripe.deliverAll();
    expect(await stripe.pay(link, 'success')).to.equal('accepted');
  });

  it('paying another way cancels the action at Stripe first; without an answer of Stripe, the action stays', async () => {
    const { link, reference } = await stripe.submitted('challenge');
    stripe.stripe.faults.push({ match: 'GET /v1/payment_intents', kind: 'refused', times: 2 });
    expect(await stripe.pages().cancelAttempt(link.token)).to.equal('try_later');
    expect(await stripe.pages().cancelAttempt(link.token)).to.equal('cancelled');
    stripe.books.finishAction(stripe.account, reference, true);
    await stripe.deliverAll();
    expect(await stripe.events(link)).to.deep.equal([]);
    expect(await stripe.pay(link, 'bankSettles')).to.equal('accepted');
  });

  it('the patient returns to a hosted page in the same language', async () => {
    const link = await stripe.link();
    stripe.stripe.requests.length = 0;
    await stripe.pay(link, 'challenge');
    const confirmation = stripe.stripe.requests.find((request) => request.includes('/confirm'));
    expect(confirmation).to.include(`/pay/${link.token}?lang=es`);
  });

  it('refunds by us and in the dashboard have one event each, though messages come twice and in reverse order; failed ones undo the refund', async () => {
    const { link, reference } = await stripe.submitted('success');
    await stripe.refund(link, 5000, 'goodwill');
    stripe.books.refundInDashboard(stripe.account, reference, 7550);
    for (const event of stripe.books.events.splice(0).toReversed())
      for (const id of [event.id, `${event.id}_again`]) await stripe.deliver({ ...event, id });
    await stripe.sweep();
    expect((await stripe.seen(link)).transaction.status).to.equal('refunded');
    stripe.books.failRefunds(stripe.account, reference);
    await stripe.deliverAll();
    const seen = await stripe.seen(link);
    expect(seen.transaction.status).to.equal('succeeded');
    expect(seen.refunds.map(({ status }: { status: string }) => status)).to.deep.equal(['failed', 'failed']);
    expect(await stripe.events(link)).to.deep.equal(['paid', 'refunded', 'refunded']);
  });

  it('an inquiry that becomes a dispute is recorded; an inquiry that is closed is not', async () => {
    const { books } = stripe;
    const { link, reference } = await stripe.submitted('success');
    const inquiry = { amount: 12_550, reason: 'general', status: 'warning_needs_response' };
    books.closeDispute(stripe.account, books.openDispute(stripe.account, reference, inquiry), 'warning_closed');
    await stripe.deliverAll();
    expect(await stripe.events(link)).to.deep.equal(['paid']);
    const dispute = books.openDispute(stripe.account, reference, inquiry);
    books.moveDispute(stripe.account, dispute, 'warning_under_review');
    books.moveDispute(stripe.account, dispute, 'needs_response');
    await stripe.deliverAll();
    expect(await stripe.events(link)).to.deep.equal(['paid', 'disputed']);
    books.closeDispute(stripe.account, dispute, 'lost');
    await stripe.deliverAll();
    expect(await stripe.events(link)).to.deep.equal(['paid', 'disputed', 'dispute_closed']);
  });

  it('a dispute that Stripe prevents is not recorded, and closes an open one', async () => {
    const { books } = stripe;
    for (const isKnown of [false, true]) {
      const { link, reference } = await stripe.submitted('success');
      const dispute = { amount: 12_550, reason: 'fraudulent' };
      const opened = books.openDispute(stripe.account, reference, dispute);
      if (isKnown) await stripe.deliverAll();
      books.closeDispute(stripe.account, opened, 'prevented');
      await stripe.deliverAll();
      expect(await stripe.events(link)).to.deep.equal(isKnown ? ['paid', 'disputed', 'dispute_closed'] : ['paid']);
    }
  });

  it('onboarding returns a link; Stripe’s report enables payments; disconnecting disables them', async () => {
    const { books } = stripe;
    const id = await newPractice('Oak');
    const begun = await onboard(stripe.service.scope(), stripe.processor, id);
    expect(begun.onboardingUrl).to.include(begun.processorAccountId);
    expect(begun.paymentsEnabled).to.equal(false);
    const sent = stripe.stripe.requests.findLast((request) => request.startsWith('POST /v1/account_links'));
    for (const name of ['return_url', 'refresh_url']) {
      expect(sent).to.include(`${name}=${stripe.service.config.publicUrl}/onboarded`);
    }
    expect((await onboard(stripe.service.scope(), stripe.processor, id)).processorAccountId).to.equal(
      begun.processorAccountId,
    );
    const state = async () =>
      (
        await stripe.service.query('select payments_enabled, bank_debits_enabled from practices where id = $1', [id])
      )[0];
    books.enable(begun.processorAccountId);
    await stripe.deliverAll();
    expect(await state()).to.deep.equal({ payments_enabled: true, bank_debits_enabled: true });
    expect((await onboard(stripe.service.scope(), stripe.processor, id)).onboardingUrl).to.equal(null);
    books.disconnect(begun.processorAccountId);
    await stripe.deliverAll();
    expect(await state()).to.deep.equal({ payments_enabled: false, bank_debits_enabled: false });
  });

  it('the latest state of a Stripe account is kept, whichever answer is written first', async () => {
    const { books } = stripe;
    const id = await newPractice('Fir');
    const { processorAccountId } = await onboard(stripe.service.scope(), stripe.processor, id);
    const account = { id: processorAccountId };
    let isFirst = true;
    const overtaken: Processor = {
      ...stripe.processor,
      accounts: {
        ...stripe.processor.accounts,
        async retrieve(asked) {
          const answer = await stripe.processor.accounts.retrieve(asked);
          if (!isFirst) return answer;
          isFirst = false;
          books.enable(processorAccountId);
          await syncAccount(stripe.service.scope(), stripe.processor, account);
          return answer;
        },
      },
    };
    await syncAccount(stripe.service.scope(), overtaken, account);
    const [row] = await stripe.service.query('select payments_enabled from practices where id = $1', [id]);
    expect(row).to.deep.equal({ payments_enabled: true });
  });

  it('a practice that was onboarded in the sandbox can be onboarded at Stripe', async () => {
    const id = await newPractice('Ash');
    const sandbox = createSandbox({ newScope: () => stripe.service.scope(), settleSeconds: 1 });
    expect(await onboard(stripe.service.scope(), sandbox, id)).to.include({
      paymentsEnabled: true,
      onboardingUrl: null,
    });
    const begun = await onboard(stripe.service.scope(), stripe.processor, id);
    expect(begun.processorAccountId).to.match(/^acct_/);
    expect(begun.onboardingUrl).to.include(begun.processorAccountId);
    expect(begun.paymentsEnabled).to.equal(false);
  });

  it('the service accepts events at its address, signed by any of the secrets; foreign accounts and modes are harmless', async () => {
    const { link, reference } = await stripe.submitted('bankSettles');
    stripe.books.finishDebit(stripe.account, reference, true);
    const event = stripe.books.events.at(-1);
    if (event === undefined) throw new Error('Stripe sent no event');
    expect(await post(event, 'whsec_forged')).to.equal(400);
    expect(await post({ ...event, id: 'evt_live', livemode: true })).to.equal(200);
    expect(await post({ ...event, id: 'evt_platform', account: undefined })).to.equal(200);
    const foreign = stripe.books.addAccount();
    expect(await post({ ...event, id: 'evt_foreign', account: foreign })).to.equal(200);
    await stripe.sweep();
    expect(await stripe.events(link)).to.deep.equal(['processing']);
    expect(await post(event, 'whsec_other')).to.equal(200);
    expect(await post(event)).to.equal(200);
    await stripe.sweep();
    expect(await stripe.events(link)).to.deep.equal(['processing', 'paid']);
    const stored = await stripe.service.query('select id from processor_notifications where id = $1', [event.id]);
    expect(stored).to.have.length(1);
  });

  it('a notification that is sent again is recorded once, and refused when its signature is older than five minutes', async () => {
    const { account } = stripe;
    const data = { object: { object: 'account', id: account } };
    const event = { id: 'evt_repeated', object: 'event', type: 'account.updated', livemode: false, account, data };
    const stored = () => stripe.service.query("select id from processor_notifications where id = 'evt_repeated'");
    const aged = (seconds: number) => post(event, undefined, seconds);
    expect(await aged(360)).to.equal(400);
    expect(await stored()).to.have.length(0);
    expect([await aged(240), await aged(0), await aged(240)]).to.deep.equal([200, 200, 200]);
    expect(await stored()).to.have.length(1);
    await stripe.sweep();
  });

  describe('the practice’s own payments and refunds at Stripe', () => {
    /** A payment that the practice makes, declined, with this in its metadata. */
    async function own(metadata: string | null): Promise<string> {
      const { books } = stripe;
      const params = new Map([
        ['amount', '900'],
        ['currency', 'usd'],
        ['allowed_payment_method_types[0]', 'card'],
        ...(metadata === null ? [] : [['metadata[attempt]', metadata] as const]),
      ]);
      const { id } = books.call('POST /v1/payment_intents', stripe.account, params) as { id: string };
      const declined = new Map([['confirmation_token', `ctoken_declined--own${id}`]]);
      expect(() => books.call(`POST /v1/payment_intents/${id}/confirm`, stripe.account, declined)).to.throw();
      await stripe.deliverAll();
      return id;
    }

    async function waiting(): Promise<number> {
      return (await stripe.service.query('select 1 from processor_notifications where due_at is not null')).length;
    }

    for (const metadata of [null, 'first', '7', 'att_01']) {
      it(`the practice’s own payments and refunds at Stripe are left alone, with ${metadata === null ? 'no attempt' : `the attempt “${metadata}”`} in their metadata`, async () => {
        const before = await waiting();
        stripe.stripe.requests.length = 0;
        const id = await own(metadata);
        expect((await stripe.processor.retrieve({ id: stripe.account }, id))?.attemptId).to.equal(null);
        expect(stripe.stripe.requests.join()).to.not.include('/cancel');
        expect(await waiting()).to.equal(before);
        const free = new Map([['confirmation_token', `ctoken_success--own${id}`]]);
        stripe.books.call(`POST /v1/payment_intents/${id}/confirm`, stripe.account, free);
      });
    }

    it('the practice’s own payments and refunds at Stripe are left alone, with an attempt that is not on record here: another environment’s', async () => {
      stripe.stripe.requests.length = 0;
      const id = await own(newId('paymentAttempt', new Date()));
      expect((await stripe.processor.retrieve({ id: stripe.account }, id))?.state).to.equal('declined');
      expect(stripe.stripe.requests.join()).to.not.include('/cancel');
    });

    it('the practice’s own payments and refunds at Stripe are recorded once, whatever stands in the metadata of a refund of a payment of ours', async () => {
      const unknown = newId('refund', stripe.service.clock.now());
      const { link, reference } = await stripe.submitted('success', { amount: 100 });
      for (const [refund, amount] of [
        ['yes', '1000'],
        [unknown, '2000'],
      ] as const) {
        const params = { payment_intent: reference, amount, 'metadata[refund]': refund };
        stripe.books.call('POST /v1/refunds', stripe.account, new Map(Object.entries(params)));
      }
      captured.take(/./);
      for (let time = 0; time < 2; time++) {
        for (const event of stripe.books.events.slice()) await stripe.deliver({ ...event, id: `${event.id}_${time}` });
        await stripe.sweep();
      }
      stripe.books.events.length = 0;
      const { refunds } = await stripe.seen(link);
      expect(refunds.map(({ amount }: { amount: number }) => amount)).to.deep.equal([10, 20]);
      expect(await stripe.events(link)).to.deep.equal(['paid', 'refunded', 'refunded']);
      const warnings = captured.take('a refund has an id that is not on record here');
      expect(warnings.map(({ refundId, paymentLinkId }) => [refundId, paymentLinkId])).to.deep.equal([
        [unknown, link.id],
      ]);
    });
  });
});
