import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { SHOWN_FIELDS } from '../../src/payment-links/checkout/port.ts';
import { createLocation, updatePractice } from '../../src/practices/service.ts';
import { type PayableLink, SETTLE_SECONDS, submission, usePayments } from '../harness/payments.ts';
import { createLink } from '../harness/service.ts';

describe('paying a link', () => {
  const { service, practice, payments } = usePayments();

  async function seen(link: PayableLink) {
    const { status, paidAt, transaction } = (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
    return { status, paid: paidAt !== null, transaction };
  }

  it('a card payment is paid at once, with fee, net, receipt and one event', async () => {
    const link = await payments.link(practice);
    expect(await payments.pay(link, 'card_success')).to.equal('accepted');
    const { status, transaction } = await seen(link);
    expect(status).to.equal('paid');
    expect(transaction).to.include({ status: 'succeeded', amount: 125.5, fee: 3.94, net: 121.56 });
    expect(transaction).to.include({
      paymentMethodType: 'card',
      paymentMethodBrand: 'visa',
      paymentMethodLast4: '4242',
    });
    expect(transaction.receiptUrl).to.include(link.token);
    expect(await payments.events(link)).to.deep.equal(['paid']);
    expect((await payments.pages().find(link.token))?.state).to.equal('paid');
  });

  it('the page of a link gets no field of its rows but those it may show', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_success');
    const page = await payments.pages().find(link.token);
    expect(page).to.include({ linkId: link.id, description: 'Cleaning' });
    expect(page).to.not.have.any.keys('patientFirstName', 'patientPhone', 'practiceId', 'metadata', 'openAttemptId');
    expect(Object.keys(page?.practice ?? {})).to.have.members(SHOWN_FIELDS.practice);
    expect(Object.keys(page?.location ?? {})).to.have.members(SHOWN_FIELDS.location);
    const sums = ['refundedCents', 'refundingCents', 'reversedCents'];
    expect(Object.keys(page?.payment ?? {})).to.have.members([...SHOWN_FIELDS.payment, ...sums]);
  });

  it('a bank debit is paid and pending at submission, and succeeded when it settles', async () => {
    const link = await payments.link(practice);
    expect(await payments.pay(link, 'bank_settles')).to.equal('accepted');
    expect((await seen(link)).transaction).to.include({ status: 'pending', fee: null, processedAt: null });
    expect((await payments.pages().find(link.token))?.state).to.equal('bank_pending');
    const { reference, account } = await payments.payment(link);
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.notify(account, { kind: 'payment', reference });
    const { transaction } = await seen(link);
    expect(transaction).to.include({ status: 'succeeded', fee: 1, net: 124.5 });
    expect(transaction.processedAt).to.equal(service.clock.now().toISOString());
    expect(await payments.events(link)).to.deep.equal(['processing', 'paid']);
  });

  it('a returned bank debit leaves the link paid and the transaction failed', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'bank_returns');
    await payments.settle();
    const { status, transaction } = await seen(link);
    expect(status).to.equal('paid');
    expect(transaction).to.include({ status: 'failed', failureReason: 'insufficient_funds' });
    expect(await payments.events(link)).to.deep.equal(['processing', 'failed']);
    expect((await payments.pages().find(link.token))?.state).to.equal('bank_failed');
  });

  it('the record of an authorisation has text, hash, locale, address, time and amount', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'bank_settles');
    const [row] = await service.query(
      `select locale, address, authorisation_text as text, encode(authorisation_hash, 'hex') as hash,
         created_at, amount_cents as cents from payment_attempts
       where payment_link_id = $1`,
      [link.id],
    );
    const text = 'I authorise this debit, once.';
    const hash = createHash('sha256').update(text).digest('hex');
    expect(row).to.include({ locale: 'en', address: '203.0.113.7', cents: link.amountCents, text, hash });
    expect(row?.created_at).to.deep.equal(service.clock.now());
  });

  it('a decline leaves the link active without an event; five declines throttle it for 15 minutes', async () => {
    const link = await payments.link(practice);
    for (let decline = 0; decline < 5; decline++) {
      expect((await payments.pages().find(link.token))?.state).to.equal('payable');
      expect(await payments.pay(link, 'card_declined')).to.equal('declined');
    }
    expect((await seen(link)).status).to.equal('active');
    expect(await payments.events(link)).to.deep.equal([]);
    const throttled = await payments.pages().find(link.token);
    const until = new Date(service.clock.now().getTime() + 15 * 60_000);
    expect([throttled?.state, throttled?.throttledUntil]).to.deep.equal(['throttled', until]);
    expect(await payments.pay(link, 'card_success')).to.equal('try_later');
    service.clock.advance({ minutes: 14, seconds: 59 });
    expect(await payments.pay(link, 'card_success')).to.equal('try_later');
    service.clock.advance({ seconds: 1 });
    const page = await payments.pages().find(link.token);
    expect([page?.state, page?.lastFailure]).to.deep.equal(['payable', 'card_declined']);
    expect(await payments.pay(link, 'card_success')).to.equal('accepted');
  });

  it('a decline is shown for half an hour, and not weeks later', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_declined');
    service.clock.advance({ minutes: 29 });
    expect((await payments.pages().find(link.token))?.lastFailure).to.equal('card_declined');
    service.clock.advance({ minutes: 1 });
    const page = await payments.pages().find(link.token);
    expect([page?.state, page?.lastFailure]).to.deep.equal(['payable', null]);
  });

  for (const [period, seconds, state] of [
    ['more than', 901, 'payable'],
    ['exactly', 900, 'throttled'],
  ] as const) {
    it(`five declines within ${period} 15 minutes leave a link ${state}`, async () => {
      const link = await payments.link(practice);
      await payments.pay(link, 'card_declined');
      service.clock.advance({ seconds });
      for (let decline = 0; decline < 4; decline++) await payments.pay(link, 'card_declined');
      expect((await payments.pages().find(link.token))?.state).to.equal(state);
    });
  }

  it('a payment that requires an action waits for the patient, and goes on with the result', async () => {
    for (const approve of [true, false]) {
      const link = await payments.link(practice);
      expect(await payments.pay(link, 'card_challenge')).to.equal('requires_action');
      const page = await payments.pages().find(link.token);
      expect([page?.state, page?.clientAction]).to.deep.equal(['requires_action', { kind: 'choice' }]);
      expect(await payments.pages().resume(link.token)).to.equal('requires_action');
      expect(await payments.pages().answerInSandbox(link.token, approve)).to.equal(approve ? 'accepted' : 'declined');
      expect((await seen(link)).status).to.equal(approve ? 'paid' : 'active');
      expect(await payments.charges(link)).to.equal(approve ? 1 : 0);
    }
  });

  it('a patient who pays another way cancels the action, unless it was passed already', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_challenge');
    expect(await payments.pages().cancelAttempt(link.token)).to.equal('cancelled');
    expect((await payments.pages().find(link.token))?.state).to.equal('payable');
    expect(await payments.pay(link, 'bank_settles')).to.equal('accepted');
    expect(await payments.pages().cancelAttempt(link.token)).to.equal('not_payable');

    const passed = await payments.link(practice);
    await payments.pay(passed, 'card_challenge');
    await payments.sandbox.bank.answerAction((await payments.payment(passed)).reference, true);
    expect(await payments.pages().cancelAttempt(passed.token)).to.equal('accepted');
    expect(await payments.events(passed)).to.deep.equal(['paid']);
  });

  it('five cancelled actions within 15 minutes throttle a link like five declines', async () => {
    const link = await payments.link(practice);
    for (let given = 0; given < 5; given++) {
      expect(await payments.pay(link, 'card_challenge')).to.equal('requires_action');
      expect(await payments.pages().cancelAttempt(link.token)).to.equal('cancelled');
    }
    expect((await payments.pages().find(link.token))?.state).to.equal('throttled');
    expect(await payments.pay(link, 'card_challenge')).to.equal('try_later');
    service.clock.advance({ minutes: 15 });
    expect(await payments.pay(link, 'card_success')).to.equal('accepted');
  });

  it('a patient cannot cancel a charge that is on its way', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'crash_after_charge').catch(() => {});
    expect(await payments.pages().cancelAttempt(link.token)).to.equal('accepted');
    expect(await payments.charges(link)).to.equal(1);
  });

  it('an unfinished action is cancelled after 15 minutes, and the patient can pay again', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_challenge');
    const lookAgain = async () => {
      await service.query('update payment_attempts set reconcile_at = created_at where closed_at is null');
      await payments.sweep();
      return (await payments.pages().find(link.token))?.state;
    };
    service.clock.advance({ minutes: 15, ms: -1 });
    expect(await lookAgain()).to.equal('requires_action');
    service.clock.advance({ ms: 1 });
    expect(await lookAgain()).to.equal('payable');
    const page = await payments.pages().find(link.token);
    expect([page?.state, page?.lastFailure]).to.deep.equal(['payable', null]);
    expect(await payments.pay(link, 'card_success')).to.equal('accepted');
    expect(await payments.charges(link)).to.equal(1);
  });

  it('the hosted page shows the telephone of the location, else of the practice; the API’s locations stay unchanged', async () => {
    const { practiceId, locationId, live } = await service.practice();
    const place = { practiceId, name: 'Uptown', city: 'Springfield', state: 'IL', timeZone: 'America/Chicago' };
    const uptown = await createLocation(service.scope(), { ...place, phone: '+1 202-555-0199' });
    const phoneAt = async (location: string) => {
      const { url } = await createLink(live, { locationId: location });
      return (await payments.pages().find(url.slice(url.lastIndexOf('/') + 1)))?.phone;
    };
    expect([await phoneAt(uptown.id), await phoneAt(locationId)]).to.deep.equal(['+12025550199', null]);
    await updatePractice(service.scope(), practiceId, { phone: '+12025550143' });
    expect([await phoneAt(uptown.id), await phoneAt(locationId)]).to.deep.equal(['+12025550199', '+12025550143']);
    expect((await live.get(`/api/v1/locations/${uptown.id}`)).body).to.not.have.property('phone');
  });

  it('a submission does not charge another amount than the button shows', async () => {
    const link = await payments.link(practice);
    await practice.live.patch(`/api/v1/payment-links/${link.id}`, { amount: 130 });
    expect(await payments.pay(link, 'card_success')).to.equal('amount_changed');
    expect(await payments.charges(link)).to.equal(0);
  });

  it('a submission refuses a bank debit without its authorisation, unknown tokens, and unpayable links', async () => {
    const link = await payments.link(practice);
    const bare = { ...submission(link, 'bank_settles'), authorisationText: null };
    expect(await payments.pages().submit(link.token, bare)).to.equal('not_payable');
    expect(await payments.pay({ ...link, token: 'nobody' }, 'card_success')).to.equal('not_payable');
    expect(await payments.pages().find('nobody')).to.equal(null);
    await practice.live.post(`/api/v1/payment-links/${link.id}/cancel`);
    expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
    expect((await payments.pages().find(link.token))?.state).to.equal('cancelled');
  });

  it('a link cannot be paid while the practice cannot take payments', async () => {
    const other = await service.practice();
    const link = await payments.link(other);
    await service.query('update practices set payments_enabled = false where id = $1', [other.practiceId]);
    expect((await payments.pages().find(link.token))?.state).to.equal('unavailable');
    expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
  });

  it('the hosted page shows an overdue link as expired before the sweep ran', async () => {
    const expiresAt = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const link = await payments.link(practice, { expiresAt });
    service.clock.advance({ minutes: 1 });
    expect((await payments.pages().find(link.token))?.state).to.equal('expired');
    expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
  });

  it('a test link is simulated and never charged; a live link is never simulated', async () => {
    const { url, id } = (
      await practice.test.post(
        '/api/v1/payment-links',
        { amount: 10, description: 'x', patient: { firstName: 'A', lastName: 'B' } },
        { headers: { 'idempotency-key': 'test-page' } },
      )
    ).body;
    const link = { id, token: url.slice(url.lastIndexOf('/') + 1), amountCents: 1000 };
    const page = await payments.pages().find(link.token);
    expect([page?.state, page?.test, page?.methods]).to.deep.equal(['payable', true, []]);
    expect(await payments.pay(link, 'card_success')).to.equal('not_payable');
    await payments.pages().simulate(link.token, 'paid');
    expect((await payments.pages().find(link.token))?.state).to.equal('paid');
    const live = await payments.link(practice);
    const refusal = await payments
      .pages()
      .simulate(live.token, 'paid')
      .catch((error) => error);
    expect(refusal.code).to.equal('not_found');
  });
});
