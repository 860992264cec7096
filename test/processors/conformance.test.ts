import { expect } from 'chai';
import { newId } from '../../src/platform/base/ids.ts';
import {
  type Account,
  type Charge,
  type MethodType,
  type PaymentSnapshot,
  ProcessorUnavailable,
} from '../../src/processors/processor.ts';
import { leaveOut } from '../harness/leave-out.ts';
import {
  begun,
  type Capability,
  chargeOf,
  type ProcessorFixture,
  sandboxFixture,
  stripeFixture,
} from './processor-fixtures.ts';
import { stripeTestModeFixture } from './stripe-test-mode.ts';

const FIXTURES: Record<string, () => Promise<ProcessorFixture>> = { sandbox: sandboxFixture, stripe: stripeFixture };

const { STRIPE_TEST_KEY, STRIPE_TEST_ACCOUNT } = process.env;
if (STRIPE_TEST_KEY) {
  FIXTURES['Stripe’s test mode'] = () => stripeTestModeFixture(STRIPE_TEST_KEY, STRIPE_TEST_ACCOUNT || null);
} else {
  describe('processor conformance: Stripe’s test mode', () => {
    it('Stripe’s test mode is skipped, because STRIPE_TEST_KEY is not set');
  });
}

for (const [name, start] of Object.entries(FIXTURES)) {
  describe(`processor conformance: ${name}`, function () {
    // Calls cross the network, and a debit takes minutes to settle.
    if (start !== sandboxFixture && start !== stripeFixture) this.timeout(240_000);
    let fixture: ProcessorFixture;

    before(async () => {
      fixture = await start();
    });

    after(() => fixture?.close());

    /** Runs a scenario, or skips it if the processor does not support all its needs. */
    function itWith(needs: readonly Capability[], title: string, scenario: () => Promise<void>): void {
      it(title, async function () {
        // Stripe's test mode does not support all, such as lost answers.
        const missing = needs.filter((need) => !fixture.capabilities.has(need));
        if (missing.length > 0) leaveOut(this, `${name} does not support ${missing.join(' and ')}`);
        await scenario();
      });
    }

    const charge = (methodToken: string, methodType?: MethodType) => chargeOf(fixture.account, methodToken, methodType);

    const begin = (made: Charge) => begun(fixture, made);

    async function confirm(made: Charge): Promise<PaymentSnapshot> {
      return fixture.processor.confirm(made, await begin(made));
    }

    async function paid() {
      const made = charge(await fixture.token('success'));
      const snapshot = await confirm(made);
      return { charge: made, snapshot, reference: snapshot.reference };
    }

    /** Retrieves a payment twice and expects the same snapshot. */
    async function lookedUp(reference: string) {
      const found = await fixture.processor.retrieve(fixture.account, reference);
      expect(await fixture.processor.retrieve(fixture.account, reference)).to.deep.equal(found);
      return found;
    }

    /** Retrieves a payment. Cancels a declined one, which makes it final. */
    async function ended(reference: string) {
      const found = await lookedUp(reference);
      if (found?.state !== 'declined') return found;
      const closed = await fixture.processor.cancel(fixture.account, reference);
      expect(closed.failureReason).to.equal(found.failureReason);
      expect((await lookedUp(reference))?.state).to.equal(closed.state);
      return closed;
    }

    it('a repeated confirmation charges a card once', async () => {
      const before = await fixture.charged();
      const { charge: made, snapshot } = await paid();
      expect(snapshot).to.include({
        state: 'succeeded',
        attemptId: made.attemptId,
        amountCents: 12_550,
        currency: 'usd',
      });
      expect(snapshot.method).to.deep.equal({ type: 'card', brand: 'visa', last4: '4242' });
      expect(snapshot).to.include({ failureReason: null, clientAction: null, wasProcessing: false });
      const again = await confirm(made);
      expect([again.state, again.reference]).to.deep.equal(['succeeded', snapshot.reference]);
      expect(await fixture.charged()).to.equal(before + 1);
      expect((await lookedUp(snapshot.reference))?.state).to.equal('succeeded');
    });

    it('payments that began since a moment are listed with our ids and their states, and those of other accounts are not', async () => {
      const since = new Date(Date.now() - 60_000);
      const { charge: made, reference } = await paid();
      const other = charge(await fixture.token('success'));
      const open = await begin(other);
      const found = async (account: Account) => {
        const listed = [];
        for await (const some of fixture.processor.listPayments(account, since)) listed.push(...some);
        return listed.filter((one) => [reference, open].includes(one.reference));
      };
      const payments = new Map((await found(fixture.account)).map((one) => [one.reference, one]));
      expect(payments.get(reference)).to.include({
        attemptId: made.attemptId,
        state: 'succeeded',
        amountCents: 12_550,
      });
      expect(payments.get(open)).to.include({ attemptId: other.attemptId, state: 'created' });
      expect(payments.size).to.equal(2);
      expect(await found(fixture.otherAccount)).to.deep.equal([]);
    });

    it('a declined attempt has a reason and is never charged later', async () => {
      const before = await fixture.charged();
      const made = charge(await fixture.token('declined'));
      const snapshot = await confirm(made);
      expect(snapshot).to.include({ state: 'failed', failureReason: 'insufficient_funds', wasProcessing: false });
      expect((await confirm(made)).state).to.equal('failed');
      await fixture.payBehindOurBack(snapshot.reference);
      expect((await lookedUp(snapshot.reference))?.state).to.equal('failed');
      expect((await fixture.processor.cancel(fixture.account, snapshot.reference)).state).to.equal('failed');
      expect(await fixture.charged()).to.equal(before);
    });

    it('an unknown method token, or one of another type, is declined', async () => {
      for (const made of [charge('nonsense'), charge(await fixture.token('bankSettles'), 'card')]) {
        const snapshot = await confirm(made);
        expect([snapshot.state, snapshot.failureReason]).to.deep.equal(['failed', 'invalid_payment_method']);
      }
    });

    for (const passes of [true, false]) {
      itWith(
        ['actions'],
        `a payment that waits for the patient ${passes ? 'succeeds after approval' : 'fails after refusal'}`,
        async () => {
          const before = await fixture.charged();
          const made = charge(await fixture.token('challenge'));
          const snapshot = await confirm(made);
          expect(snapshot.state).to.equal('requires_action');
          expect(snapshot.clientAction?.kind).to.equal(fixture.processor.clientConfig({ id: 'acct_1' }).collects);
          const reference = snapshot.reference;
          await fixture.finishAction(reference, passes);
          const after = await ended(reference);
          expect(after?.state).to.equal(passes ? 'succeeded' : 'failed');
          if (!passes) expect(after?.failureReason).to.match(/^[a-z_]+$/);
          await fixture.finishAction(reference, true);
          await fixture.payBehindOurBack(reference);
          expect(await fixture.charged()).to.equal(before + (passes ? 1 : 0));
        },
      );

      itWith(
        [passes ? 'settledDebits' : 'returnedDebits'],
        `a bank debit is pending, then ${passes ? 'settles' : 'is returned'}`,
        async () => {
          const made = charge(await fixture.token('bankSettles'), 'us_bank_account');
          const snapshot = await confirm(made);
          expect(snapshot).to.include({ state: 'processing', feeCents: null });
          const reference = snapshot.reference;
          expect((await fixture.processor.cancel(fixture.account, reference)).state).to.equal('processing');
          await fixture.finishDebit(reference, passes);
          const after = await ended(reference);
          expect(after?.method).to.deep.equal({ type: 'us_bank_account', brand: null, last4: '6789' });
          expect([after?.state, after?.wasProcessing, after?.failureReason]).to.deep.equal(
            passes ? ['succeeded', false, null] : ['failed', true, 'insufficient_funds'],
          );
          await fixture.payBehindOurBack(reference);
          expect((await lookedUp(reference))?.state).to.equal(after?.state);
        },
      );
    }

    itWith(
      ['returnedDebits'],
      'a debit that is refused at its submission was never pending, by every call',
      async () => {
        const made = charge(await fixture.token('bankRefused'), 'us_bank_account');
        const snapshot = await confirm(made);
        const refused = { state: 'failed', wasProcessing: false, failureReason: 'account_closed' };
        expect(snapshot).to.include(refused);
        expect(await lookedUp(snapshot.reference)).to.include(refused);
      },
    );

    itWith(['lostAnswers'], 'a lost answer does not lose the charge', async () => {
      const before = await fixture.charged();
      const made = charge(await fixture.loseNextAnswer());
      const reference = await begin(made);
      const lost = await fixture.processor.confirm(made, reference).catch((error) => error);
      expect(lost).to.be.instanceOf(ProcessorUnavailable);
      expect((await lookedUp(reference))?.state).to.equal('succeeded');
      expect((await fixture.processor.cancel(fixture.account, reference)).state).to.equal('succeeded');
      expect(await fixture.charged()).to.equal(before + 1);
    });

    it('the addition of the practice stands on card statements after the name of its account', async () => {
      const made = { ...charge(await fixture.token('success')), statementDescriptorSuffix: 'CHECK UP' };
      expect((await confirm(made)).statementDescriptor).to.match(/^[^*]{2,10}\* CHECK UP$/);
    });

    itWith(['settledDebits'], 'a bank debit has the name of the account alone on its statement', async () => {
      const made = charge(await fixture.token('bankSettles'), 'us_bank_account');
      const { reference } = await confirm({ ...made, statementDescriptorSuffix: 'CHECK UP' });
      await fixture.finishDebit(reference, true);
      expect((await lookedUp(reference))?.statementDescriptor)
        .to.be.a('string')
        .and.not.include('*');
    });

    it('begin charges nothing, and a repeated begin returns the same payment', async () => {
      const before = await fixture.charged();
      const made = charge(await fixture.token('success'));
      const reference = await begin(made);
      expect(await begin(made)).to.equal(reference);
      expect(await lookedUp(reference)).to.include({ state: 'created', attemptId: made.attemptId });
      expect(await fixture.charged()).to.equal(before);
    });

    it('a payment that is cancelled before its confirmation is never charged', async () => {
      const before = await fixture.charged();
      const made = charge(await fixture.token('success'));
      const reference = await begin(made);
      expect((await fixture.processor.cancel(fixture.account, reference)).state).to.equal('cancelled');
      expect((await fixture.processor.confirm(made, reference)).state).to.equal('cancelled');
      expect(await fixture.charged()).to.equal(before);
    });

    it('cancel ends a payment that waits for the patient, and no final payment', async () => {
      const waiting = charge(await fixture.token('challenge'));
      const { reference } = await confirm(waiting);
      expect((await fixture.processor.cancel(fixture.account, reference)).state).to.equal('cancelled');
      await fixture.finishAction(reference, true);
      expect((await lookedUp(reference))?.state).to.equal('cancelled');
      const final = await paid();
      expect((await fixture.processor.cancel(fixture.account, final.reference)).state).to.equal('succeeded');
    });

    it('an unknown payment, or one of another account, is not found', async () => {
      const { reference } = await paid();
      expect(await fixture.processor.retrieve(fixture.account, 'nobody')).to.equal(null);
      expect(await fixture.processor.retrieve(fixture.otherAccount, reference)).to.equal(null);
      expect(await fixture.processor.retrieveDispute(fixture.account, 'nobody')).to.equal(null);
    });

    it('a refund happens once for its id, in the account of its payment, and never exceeds the payment', async () => {
      const { reference } = await paid();
      const refundId = newId('refund', new Date());
      const request = { account: fixture.account, paymentReference: reference, refundId, amountCents: 5_000 };
      const made = await fixture.processor.refund(request);
      expect(made).to.include({ refundId: request.refundId, paymentReference: reference, state: 'succeeded' });
      expect(await fixture.processor.refund(request)).to.deep.equal(made);
      const tooMuch = { ...request, refundId: newId('refund', new Date()), amountCents: 7551 };
      expect((await fixture.processor.refund(tooMuch)).state).to.equal('failed');
      const ofAnother = { ...tooMuch, account: fixture.otherAccount, amountCents: 1 };
      expect((await fixture.processor.refund(ofAnother)).state).to.equal('failed');
      await fixture.refundThere(reference, 1000);
      const all = await fixture.processor.retrieveRefunds(fixture.account, reference);
      expect(all.map(({ refundId, amountCents }) => [refundId, amountCents])).to.have.deep.members([
        [request.refundId, 5000],
        [null, 1000],
      ]);
    });

    itWith(['failedRefunds'], 'a refund that fails afterwards is reported as failed', async () => {
      const { reference } = await paid();
      await fixture.refundThere(reference, 1000);
      await fixture.failRefunds(reference);
      const failed = await fixture.processor.retrieveRefunds(fixture.account, reference);
      expect(failed.map(({ state }) => state)).to.deep.equal(['failed']);
    });

    for (const [kind, state] of [
      ['refundLater', 'succeeded'],
      ['refundFails', 'failed'],
    ] as const) {
      itWith(['failedRefunds'], `a pending refund counts until it has ${state}`, async () => {
        const { reference } = await confirm(charge(await fixture.token(kind)));
        const refundId = newId('refund', new Date());
        const request = { account: fixture.account, paymentReference: reference, refundId, amountCents: 12_550 };
        const made = await fixture.processor.refund(request);
        expect(made.state).to.equal('pending');
        const states = async () =>
          (await fixture.processor.retrieveRefunds(fixture.account, reference)).map((one) => one.state);
        expect(await states()).to.deep.equal(['pending']);
        const second = { ...request, refundId: newId('refund', new Date()), amountCents: 1 };
        expect((await fixture.processor.refund(second)).state).to.equal('failed');
        await fixture.finishRefunds(reference);
        expect(await states()).to.deep.equal([state]);
        const third = { ...request, refundId: newId('refund', new Date()), amountCents: 1 };
        expect((await fixture.processor.refund(third)).state).to.equal(state === 'failed' ? 'pending' : 'failed');
      });
    }

    itWith(['disputes'], 'disputes and their outcomes are reported', async () => {
      const { reference } = await paid();
      const dispute = await fixture.openDispute(reference, 12_550, 'fraudulent');
      expect(await fixture.processor.retrieveDispute(fixture.account, dispute)).to.include({
        paymentReference: reference,
        amountCents: 12_550,
        reason: 'fraudulent',
        state: 'open',
        isBankReversal: false,
      });
      const ofPayment = await fixture.processor.retrieveDisputes(fixture.account, reference);
      expect(ofPayment).to.deep.equal([await fixture.processor.retrieveDispute(fixture.account, dispute)]);
      expect(await fixture.processor.retrieveDisputes(fixture.account, (await paid()).reference)).to.deep.equal([]);
      await fixture.closeDispute(reference, dispute, 'lost');
      expect((await fixture.processor.retrieveDispute(fixture.account, dispute))?.state).to.equal('lost');
      expect(await fixture.processor.retrieveDispute(fixture.otherAccount, dispute)).to.equal(null);
    });

    itWith(['disputes'], 'a refund takes no more than a lost dispute has left', async () => {
      const { reference: paymentReference } = await paid();
      await fixture.closeDispute(
        paymentReference,
        await fixture.openDispute(paymentReference, 8_000, 'general'),
        'lost',
      );
      const refund = async (amountCents: number) => {
        const request = {
          account: fixture.account,
          paymentReference,
          refundId: newId('refund', new Date()),
          amountCents,
        };
        return (await fixture.processor.refund(request)).state;
      };
      expect([await refund(4_551), await refund(4_550)]).to.deep.equal(['failed', 'succeeded']);
    });

    itWith(
      ['disputes', 'settledDebits'],
      'a bank that takes a settled debit back is reported as a reversal, not as a dispute',
      async () => {
        const made = charge(await fixture.token('bankSettles'), 'us_bank_account');
        const reference = (await confirm(made)).reference;
        await fixture.finishDebit(reference, true);
        const dispute = await fixture.openDispute(reference, 12_550, 'insufficient_funds');
        expect((await fixture.processor.retrieveDispute(fixture.account, dispute))?.isBankReversal).to.equal(true);
      },
    );

    itWith(['notifications'], 'only notifications with a valid signature are accepted', async () => {
      const { reference } = await paid();
      const { raw, headers } = await fixture.notification(reference);
      const seen = await fixture.processor.verifyNotification(raw, headers);
      expect([seen?.accountId, seen?.subject]).to.deep.equal([fixture.account.id, { kind: 'payment', reference }]);
      expect(await fixture.processor.verifyNotification(raw, {})).to.equal(null);
      const changed = Buffer.from(raw.toString().replace(reference, 'another'));
      expect(await fixture.processor.verifyNotification(changed, headers)).to.equal(null);
    });

    it('a practice gets one account, however often it is created', async () => {
      const practice = { id: `prac_${run}`, name: 'Elm', adminEmail: 'admin@elm.example' };
      const account = await fixture.processor.accounts.create(practice);
      expect(await fixture.processor.accounts.create(practice)).to.deep.equal(account);
      const { paymentsEnabled } = await fixture.processor.accounts.retrieve(account);
      const link = await fixture.processor.accounts.onboardingLink(account, 'https://pay.example.com');
      expect(link === null, 'either enabled, or with an onboarding link').to.equal(paymentsEnabled);
    });
  });
}
