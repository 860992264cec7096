import { expect } from 'chai';
import { newId } from '../../src/base/ids.ts';
import {
  type Charge,
  type MethodType,
  type PaymentSnapshot,
  ProcessorUnavailable,
} from '../../src/processors/processor.ts';
import { type Arena, type Staged, sandboxArena, stripeArena } from './arenas.ts';
import { stripeTestModeArena } from './stripe-test-mode.ts';

const ARENAS: Record<string, () => Promise<Arena>> = { sandbox: sandboxArena, stripe: stripeArena };

const { STRIPE_TEST_KEY, STRIPE_TEST_ACCOUNT } = process.env;
if (STRIPE_TEST_KEY) {
  ARENAS['Stripe’s test mode'] = () => stripeTestModeArena(STRIPE_TEST_KEY, STRIPE_TEST_ACCOUNT || null);
} else {
  describe('processor conformance: Stripe’s test mode', () => {
    it('is skipped, because STRIPE_TEST_KEY is not set');
  });
}

for (const [name, start] of Object.entries(ARENAS)) {
  describe(`processor conformance: ${name}`, function () {
    // Across the network, and until a debit has settled.
    if (start !== sandboxArena && start !== stripeArena) this.timeout(240_000);
    let arena: Arena;

    before(async () => {
      arena = await start();
    });

    after(() => arena?.close());

    /** A scenario that this arena can stage only with all of these; skipped where it can't. */
    function staged(needs: readonly Staged[], title: string, scenario: () => Promise<void>): void {
      it(title, async function () {
        // Stripe's own test mode can't stage everything, such as answers that get lost.
        if (!needs.every((need) => arena.stages.has(need))) return this.skip();
        await scenario();
      });
    }

    function charge(methodToken: string, methodType: MethodType = 'card'): Charge {
      return {
        account: arena.account,
        attemptId: newId('paymentAttempt', new Date()),
        paymentLinkId: 'plink_1',
        amountCents: 12_550,
        currency: 'usd',
        methodType,
        methodToken,
        returnUrl: 'https://pay.example.com/pay/x',
        customerAddress: '203.0.113.7',
        customerUserAgent: 'test',
      };
    }

    async function begin(made: Charge): Promise<string> {
      const reference = await arena.processor.begin(made);
      if (reference === null) throw new Error('begun');
      return reference;
    }

    async function confirm(made: Charge): Promise<PaymentSnapshot> {
      return arena.processor.confirm(made, await begin(made));
    }

    async function paid() {
      const made = charge(await arena.token('success'));
      const snapshot = await confirm(made);
      return { charge: made, snapshot, reference: snapshot.reference };
    }

    /** What must be the same however often it is asked. */
    async function lookedUp(reference: string) {
      const found = await arena.processor.retrieve(arena.account, reference);
      expect(await arena.processor.retrieve(arena.account, reference)).to.deep.equal(found);
      return found;
    }

    /** Made final, if it was declined in a step of its own. */
    async function ended(reference: string) {
      const found = await lookedUp(reference);
      if (found?.state !== 'declined') return found;
      const closed = await arena.processor.cancel(arena.account, reference);
      expect(closed.failureReason).to.equal(found.failureReason);
      expect((await lookedUp(reference))?.state).to.equal(closed.state);
      return closed;
    }

    it('charges a card, once for an attempt however often it is asked', async () => {
      const before = await arena.charged();
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
      expect(await arena.charged()).to.equal(before + 1);
      expect((await lookedUp(snapshot.reference))?.state).to.equal('succeeded');
    });

    it('tells why it declined, and charges nothing for that attempt any more', async () => {
      const before = await arena.charged();
      const made = charge(await arena.token('declined'));
      const snapshot = await confirm(made);
      expect(snapshot).to.include({ state: 'failed', failureReason: 'insufficient_funds', wasProcessing: false });
      expect((await confirm(made)).state).to.equal('failed');
      await arena.payBehindOurBack(snapshot.reference);
      expect((await lookedUp(snapshot.reference))?.state).to.equal('failed');
      expect((await arena.processor.cancel(arena.account, snapshot.reference)).state).to.equal('failed');
      expect(await arena.charged()).to.equal(before);
    });

    it('declines a method token that it doesn’t know, or of another type', async () => {
      for (const made of [charge('nonsense'), charge(await arena.token('bankSettles'), 'card')]) {
        const snapshot = await confirm(made);
        expect([snapshot.state, snapshot.failureReason]).to.deep.equal(['failed', 'invalid_payment_method']);
      }
    });

    for (const passes of [true, false]) {
      staged(['actions'], `waits for the patient, who ${passes ? 'passes' : 'fails'}`, async () => {
        const before = await arena.charged();
        const made = charge(await arena.token('challenge'));
        const snapshot = await confirm(made);
        expect(snapshot.state).to.equal('requires_action');
        expect(snapshot.clientAction?.kind).to.equal(arena.processor.name);
        const reference = snapshot.reference;
        await arena.finishAction(reference, passes);
        const after = await ended(reference);
        expect(after?.state).to.equal(passes ? 'succeeded' : 'failed');
        if (!passes) expect(after?.failureReason).to.match(/^[a-z_]+$/);
        await arena.finishAction(reference, true);
        await arena.payBehindOurBack(reference);
        expect(await arena.charged()).to.equal(before + (passes ? 1 : 0));
      });

      staged(
        [passes ? 'settledDebits' : 'returnedDebits'],
        `debits a bank account, which ${passes ? 'settles' : 'is returned'}`,
        async () => {
          const made = charge(await arena.token('bankSettles'), 'us_bank_account');
          const snapshot = await confirm(made);
          expect(snapshot).to.include({ state: 'processing', feeCents: null });
          const reference = snapshot.reference;
          expect((await arena.processor.cancel(arena.account, reference)).state).to.equal('processing');
          await arena.finishDebit(reference, passes);
          const after = await ended(reference);
          expect(after?.method).to.deep.equal({ type: 'us_bank_account', brand: null, last4: '6789' });
          expect([after?.state, after?.wasProcessing, after?.failureReason]).to.deep.equal(
            passes ? ['succeeded', false, null] : ['failed', true, 'insufficient_funds'],
          );
          await arena.payBehindOurBack(reference);
          expect((await lookedUp(reference))?.state).to.equal(after?.state);
        },
      );
    }

    staged(
      ['returnedDebits'],
      'tells a debit that is refused at its submission from one that is returned, whoever asks',
      async () => {
        const made = charge(await arena.token('bankRefused'), 'us_bank_account');
        const snapshot = await confirm(made);
        const refused = { state: 'failed', wasProcessing: false, failureReason: 'account_closed' };
        expect(snapshot).to.include(refused);
        expect(await lookedUp(snapshot.reference)).to.include(refused);
      },
    );

    staged(['lostAnswers'], 'loses an answer, not the charge', async () => {
      const before = await arena.charged();
      const made = charge(await arena.loseNextAnswer());
      const reference = await begin(made);
      const lost = await arena.processor.confirm(made, reference).catch((error) => error);
      expect(lost).to.be.instanceOf(ProcessorUnavailable);
      expect((await lookedUp(reference))?.state).to.equal('succeeded');
      expect((await arena.processor.cancel(arena.account, reference)).state).to.equal('succeeded');
      expect(await arena.charged()).to.equal(before + 1);
    });

    it('begins without charging, the same payment when it is asked again at once', async () => {
      const before = await arena.charged();
      const made = charge(await arena.token('success'));
      const reference = await begin(made);
      expect(await begin(made)).to.equal(reference);
      expect(await lookedUp(reference)).to.include({ state: 'created', attemptId: made.attemptId });
      expect(await arena.charged()).to.equal(before);
    });

    it('calls off what was never confirmed, so that a confirmation comes too late', async () => {
      const before = await arena.charged();
      const made = charge(await arena.token('success'));
      const reference = await begin(made);
      expect((await arena.processor.cancel(arena.account, reference)).state).to.equal('cancelled');
      expect((await arena.processor.confirm(made, reference)).state).to.equal('cancelled');
      expect(await arena.charged()).to.equal(before);
    });

    it('calls off what waits for the patient, and nothing that is final', async () => {
      const waiting = charge(await arena.token('challenge'));
      const { reference } = await confirm(waiting);
      expect((await arena.processor.cancel(arena.account, reference)).state).to.equal('cancelled');
      await arena.finishAction(reference, true);
      expect((await lookedUp(reference))?.state).to.equal('cancelled');
      const final = await paid();
      expect((await arena.processor.cancel(arena.account, final.reference)).state).to.equal('succeeded');
    });

    it('knows nothing of what it never saw, nor of another account’s payments', async () => {
      const { reference } = await paid();
      expect(await arena.processor.retrieve(arena.account, 'nobody')).to.equal(null);
      expect(await arena.processor.retrieve(arena.otherAccount, reference)).to.equal(null);
      expect(await arena.processor.retrieveDispute(arena.account, 'nobody')).to.equal(null);
    });

    it('refunds once for a refund’s id, and never more than was paid', async () => {
      const { reference } = await paid();
      const request = {
        account: arena.account,
        paymentReference: reference,
        refundId: newId('refund', new Date()),
        amountCents: 5000,
      };
      const made = await arena.processor.refund(request);
      expect(made).to.include({ refundId: request.refundId, paymentReference: reference, state: 'succeeded' });
      expect(await arena.processor.refund(request)).to.deep.equal(made);
      const tooMuch = { ...request, refundId: newId('refund', new Date()), amountCents: 7551 };
      expect((await arena.processor.refund(tooMuch)).state).to.equal('failed');
      await arena.refundThere(reference, 1000);
      const all = await arena.processor.retrieveRefunds(arena.account, reference);
      expect(all.map(({ refundId, amountCents }) => [refundId, amountCents])).to.have.deep.members([
        [request.refundId, 5000],
        [null, 1000],
      ]);
    });

    staged(['failedRefunds'], 'tells of refunds that fail afterwards', async () => {
      const { reference } = await paid();
      await arena.refundThere(reference, 1000);
      await arena.failRefunds(reference);
      const failed = await arena.processor.retrieveRefunds(arena.account, reference);
      expect(failed.map(({ state }) => state)).to.deep.equal(['failed']);
    });

    for (const [kind, state] of [
      ['refundLater', 'succeeded'],
      ['refundFails', 'failed'],
    ] as const) {
      staged(['failedRefunds'], `refunds with delay, and counts it until it ${state}`, async () => {
        const { reference } = await confirm(charge(await arena.token(kind)));
        const request = {
          account: arena.account,
          paymentReference: reference,
          refundId: newId('refund', new Date()),
          amountCents: 12_550,
        };
        const made = await arena.processor.refund(request);
        expect(made.state).to.equal('pending');
        const states = async () =>
          (await arena.processor.retrieveRefunds(arena.account, reference)).map((one) => one.state);
        expect(await states()).to.deep.equal(['pending']);
        const second = { ...request, refundId: newId('refund', new Date()), amountCents: 1 };
        expect((await arena.processor.refund(second)).state).to.equal('failed');
        await arena.finishRefunds(reference);
        expect(await states()).to.deep.equal([state]);
        const third = { ...request, refundId: newId('refund', new Date()), amountCents: 1 };
        expect((await arena.processor.refund(third)).state).to.equal(state === 'failed' ? 'pending' : 'failed');
      });
    }

    staged(['disputes'], 'tells of disputes and how they end', async () => {
      const { reference } = await paid();
      const dispute = await arena.openDispute(reference, 12_550, 'fraudulent');
      expect(await arena.processor.retrieveDispute(arena.account, dispute)).to.include({
        paymentReference: reference,
        amountCents: 12_550,
        reason: 'fraudulent',
        state: 'open',
        isBankReversal: false,
      });
      const ofPayment = await arena.processor.retrieveDisputes(arena.account, reference);
      expect(ofPayment).to.deep.equal([await arena.processor.retrieveDispute(arena.account, dispute)]);
      expect(await arena.processor.retrieveDisputes(arena.account, (await paid()).reference)).to.deep.equal([]);
      await arena.closeDispute(reference, dispute, 'lost');
      expect((await arena.processor.retrieveDispute(arena.account, dispute))?.state).to.equal('lost');
      expect(await arena.processor.retrieveDispute(arena.otherAccount, dispute)).to.equal(null);
    });

    staged(['disputes', 'settledDebits'], 'tells a bank that takes a settled debit back from a dispute', async () => {
      const made = charge(await arena.token('bankSettles'), 'us_bank_account');
      const reference = (await confirm(made)).reference;
      await arena.finishDebit(reference, true);
      const dispute = await arena.openDispute(reference, 12_550, 'insufficient_funds');
      expect((await arena.processor.retrieveDispute(arena.account, dispute))?.isBankReversal).to.equal(true);
    });

    staged(['notifications'], 'verifies its notifications, and nobody else’s', async () => {
      const { reference } = await paid();
      const { raw, headers } = await arena.notification(reference);
      const seen = await arena.processor.verifyNotification(raw, headers);
      expect([seen?.accountId, seen?.subject]).to.deep.equal([arena.account.id, { kind: 'payment', reference }]);
      expect(await arena.processor.verifyNotification(raw, {})).to.equal(null);
      const changed = Buffer.from(raw.toString().replace(reference, 'another'));
      expect(await arena.processor.verifyNotification(changed, headers)).to.equal(null);
    });

    it('makes one account for a practice', async () => {
      const practice = { id: `prac_${run}`, name: 'Elm', adminEmail: 'admin@elm.example' };
      const account = await arena.processor.accounts.create(practice);
      expect(await arena.processor.accounts.create(practice)).to.deep.equal(account);
      const { paymentsEnabled } = await arena.processor.accounts.retrieve(account);
      const link = await arena.processor.accounts.onboardingLink(account, 'https://pay.example.com');
      expect(link === null, 'either enabled, or told where to go').to.equal(paymentsEnabled);
    });
  });
}
