import { expect } from 'chai';
import fc from 'fast-check';
import type { CallerScope } from '../../src/base/scope.ts';
import { TEXTS } from '../../src/console/texts/texts.ts';
import {
  type DeliveryReason,
  type ExplainedState,
  explain,
  explainDelivery,
} from '../../src/webhooks/delivery/explain.ts';
import { getVisibleDelivery } from '../../src/webhooks/events/deliveries.ts';
import { DELIVERY, type DeliveryStatus } from '../../src/webhooks/model/transitions.ts';
import { refuse } from '../harness/receiver.ts';
import { claim, ENDPOINTS, listDeliveries, ping, useEndpoint } from '../harness/webhooks.ts';

const NOW = new Date('2030-06-15T12:00:00.000Z');
const STATUSES: DeliveryStatus[] = ['pending', 'retrying', 'delivered', 'exhausted', 'skipped'];

/** Moments around now, at and between the limits that matter. */
const moment = fc
  .oneof(fc.constantFrom(-60_001, -60_000, -1, 0, 1, 60_000), fc.integer({ min: -9e9, max: 9e9 }))
  .map((ms) => new Date(NOW.getTime() + ms));

/** Every state of a delivery and its endpoint that the schema allows, and some that only a race shows. */
const anyState: fc.Arbitrary<ExplainedState> = fc.record({
  status: fc.constantFrom(...STATUSES),
  endpointStatus: fc.constantFrom('enabled' as const, 'disabled' as const),
  now: fc.constant(NOW),
  dueAt: fc.option(moment),
  deliveredAt: fc.option(moment),
  lastAttemptAt: fc.option(moment),
  askedToWaitUntil: fc.option(moment),
  hasOpenAttempt: fc.boolean(),
  leaseUntil: fc.option(moment),
  isReplay: fc.boolean(),
  canSign: fc.boolean(),
});

const waiting: ExplainedState = {
  status: 'pending',
  endpointStatus: 'enabled',
  now: NOW,
  dueAt: NOW,
  deliveredAt: null,
  lastAttemptAt: null,
  askedToWaitUntil: null,
  hasOpenAttempt: false,
  leaseUntil: null,
  isReplay: false,
  canSign: true,
};
const earlier = new Date(NOW.getTime() - 5_000);
const longAgo = new Date(NOW.getTime() - 60_001);
const later = new Date(NOW.getTime() + 5_000);

/** A state for each reason, with its moments. */
const CASES: Readonly<
  Record<DeliveryReason, [state: Partial<ExplainedState>, since: Date | null, nextAt: Date | null]>
> = {
  delivered: [{ status: 'delivered', deliveredAt: earlier, dueAt: null }, earlier, null],
  in_flight: [{ hasOpenAttempt: true, lastAttemptAt: earlier, leaseUntil: later }, earlier, later],
  interrupted: [{ hasOpenAttempt: true, lastAttemptAt: earlier, leaseUntil: earlier }, earlier, NOW],
  being_skipped: [{ endpointStatus: 'disabled' }, null, NOW],
  unsignable: [{ canSign: false, dueAt: earlier }, earlier, null],
  waits_for_retry: [
    { status: 'retrying', lastAttemptAt: earlier, dueAt: later, askedToWaitUntil: earlier },
    earlier,
    later,
  ],
  asked_to_wait: [
    { status: 'retrying', lastAttemptAt: earlier, dueAt: later, askedToWaitUntil: later },
    earlier,
    later,
  ],
  waits_for_start: [{ dueAt: later }, null, later],
  endpoint_busy: [{ dueAt: earlier, leaseUntil: later }, earlier, later],
  behind_new_events: [{ dueAt: earlier, leaseUntil: later, isReplay: true }, earlier, later],
  due: [{ dueAt: earlier }, earlier, NOW],
  overdue: [{ dueAt: longAgo }, longAgo, NOW],
  exhausted: [{ status: 'exhausted', lastAttemptAt: earlier, dueAt: null }, earlier, null],
  exhausted_endpoint_disabled: [
    { status: 'exhausted', lastAttemptAt: earlier, dueAt: null, endpointStatus: 'disabled' },
    earlier,
    null,
  ],
  skipped: [{ status: 'skipped', dueAt: null }, null, null],
  skipped_endpoint_disabled: [{ status: 'skipped', dueAt: null, endpointStatus: 'disabled' }, null, null],
};

describe('the explanation of a delivery', () => {
  it('every state has a reason, with a sentence that names its next moment', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const { reason, nextAt } = explain(state);
        const { title, text } = TEXTS.deliveries.reasons[reason];
        expect(title).to.match(/\w/);
        const sentence = text({ since: 'SINCE', next: 'NEXT' });
        expect(sentence).to.match(/\w.*\.$/);
        if (nextAt !== null && nextAt > NOW && reason !== 'behind_new_events') expect(sentence).to.include('NEXT');
        // A final state changes by nobody but a person, and a waiting one never says that nothing follows.
        const isFinal = DELIVERY[state.status].succeed === undefined;
        if (isFinal) expect(nextAt).to.equal(null);
        else if (reason !== 'unsignable') expect(nextAt?.getTime()).to.be.at.least(NOW.getTime());
      }),
      { numRuns: 2_000 },
    );
  });

  for (const [reason, [state, since, nextAt]] of Object.entries(CASES)) {
    it(`the reason ${reason} is found by its state, with its moments`, () => {
      expect(explain({ ...waiting, ...state })).to.deep.equal({ reason, since, nextAt });
    });
  }

  it('a due delivery becomes overdue after a minute, and a replay never, because it is due since its event', () => {
    const atLimit = { ...waiting, dueAt: new Date(NOW.getTime() - 60_000) };
    expect(explain(atLimit).reason).to.equal('due');
    expect(explain({ ...waiting, dueAt: longAgo, isReplay: true }).reason).to.equal('due');
  });

  describe('of stored deliveries', () => {
    const { service, practice, receiver, endpoint, deliver } = useEndpoint();

    const explain = async (id: string) => {
      const { practiceId } = practice;
      const caller = { apiKeyId: '', practiceId, test: true, scopes: [], locationId: null };
      const scope: CallerScope = { ...service.scope(), caller };
      const { delivery } = await getVisibleDelivery(scope, id);
      return explainDelivery(scope, delivery);
    };

    it('a delivery waits behind the lease of its endpoint, until the lease ends at most, and then for its retry at the stored time', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await claim(service.scope(), endpoint.id, 15_000);
      const { reason, nextAt } = await explain(id);
      const end = new Date(service.clock.now().getTime() + 15_000);
      expect([reason, nextAt]).to.deep.equal(['endpoint_busy', end]);
      service.clock.advance({ seconds: 15 });
      expect((await explain(id)).reason).to.equal('due');
      receiver.answer = refuse(500);
      await deliver();
      const retried = await explain(id);
      const [delivery] = await listDeliveries(practice.test);
      expect([retried.reason, retried.nextAt?.toISOString()]).to.deep.equal([
        'waits_for_retry',
        delivery?.nextAttemptAt,
      ]);
    });

    it('a delivery of a disabled endpoint was skipped, also after the endpoint was enabled again', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
      expect((await explain(id)).reason).to.equal('skipped_endpoint_disabled');
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: true });
      expect((await explain(id)).reason).to.equal('skipped');
    });

    it('a delivery whose secret cannot be read waits for the operator', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await service.query("update webhook_endpoints set secret_ciphertext = 'gone.a.b.c' where id = $1", [endpoint.id]);
      expect((await explain(id)).reason).to.equal('unsignable');
    });
  });
});
