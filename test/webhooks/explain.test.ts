import { expect } from 'chai';
import type { CallerScope } from '../../src/platform/base/scope.ts';
import {
  type DeliveryReason,
  type ExplainedState,
  explain,
  explainDelivery,
} from '../../src/webhooks/delivery/explain.ts';
import { getVisibleDelivery } from '../../src/webhooks/events/deliveries.ts';
import { refuse } from '../harness/receiver.ts';
import { claim, ENDPOINTS, ping, useEndpoint } from '../harness/webhooks.ts';

const NOW = new Date('2030-06-15T12:00:00.000Z');
const LATER = new Date(NOW.getTime() + 5_000);

const DUE: ExplainedState = {
  status: 'pending',
  endpointStatus: 'enabled',
  now: NOW,
  dueAt: NOW,
  askedToWaitUntil: null,
  isInFlight: false,
  canSign: true,
};

/** States of each reason. */
const CASES: Readonly<Record<DeliveryReason, Partial<ExplainedState>[]>> = {
  delivered: [{ status: 'delivered', dueAt: null }],
  in_flight: [{ isInFlight: true }, { isInFlight: true, endpointStatus: 'disabled' }],
  unsignable: [{ canSign: false }, { status: 'retrying', dueAt: LATER, canSign: false }],
  waits_for_retry: [
    { status: 'retrying', dueAt: LATER },
    { status: 'retrying', dueAt: LATER, askedToWaitUntil: NOW },
  ],
  asked_to_wait: [{ status: 'retrying', dueAt: LATER, askedToWaitUntil: LATER }],
  due: [{}, { dueAt: LATER }, { status: 'retrying' }],
  exhausted: [
    { status: 'exhausted', dueAt: null },
    { status: 'exhausted', dueAt: null, endpointStatus: 'disabled' },
  ],
  skipped: [
    { status: 'skipped', dueAt: null },
    { endpointStatus: 'disabled' },
    { endpointStatus: 'disabled', canSign: false },
  ],
};

describe('the explanation of a delivery', () => {
  for (const [reason, states] of Object.entries(CASES)) {
    it(`the reason ${reason} is found by the state of a delivery and its endpoint`, () => {
      for (const state of states) expect(explain({ ...DUE, ...state }), JSON.stringify(state)).to.equal(reason);
    });
  }

  describe('of stored deliveries', () => {
    const { service, practice, receiver, endpoint, deliver } = useEndpoint();

    const explainStored = async (id: string) => {
      const { practiceId } = practice;
      const caller = { apiKeyId: '', practiceId, test: true, scopes: [], locationId: null };
      const scope: CallerScope = { ...service.scope(), caller };
      const { delivery } = await getVisibleDelivery(scope, id);
      return explainDelivery(scope, delivery);
    };

    it('a delivery is due behind the lease of its endpoint, then under way, and then waits for its retry', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await claim(service.scope(), endpoint.id, 15_000);
      expect(await explainStored(id)).to.equal('due');
      service.clock.advance({ seconds: 15 });
      const seen: string[] = [];
      receiver.answer = async (...request) => {
        seen.push(await explainStored(id));
        refuse(500)(...request);
      };
      await deliver();
      expect(seen).to.deep.equal(['in_flight']);
      expect(await explainStored(id)).to.equal('waits_for_retry');
    });

    it('a delivery of a disabled endpoint was skipped, also after the endpoint was enabled again', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
      expect(await explainStored(id)).to.equal('skipped');
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: true });
      expect(await explainStored(id)).to.equal('skipped');
    });

    it('a delivery whose secret cannot be read waits for the operator', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await service.query("update webhook_endpoints set secret_ciphertext = 'gone.a.b.c' where id = $1", [endpoint.id]);
      expect(await explainStored(id)).to.equal('unsignable');
    });
  });
});
