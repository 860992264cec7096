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

const DUE: ExplainedState = {
  status: 'pending',
  endpointStatus: 'enabled',
  isDue: true,
  isAskedToWait: false,
  isInFlight: false,
  canSign: true,
};

/** States of each reason. */
const CASES: Readonly<Record<DeliveryReason, Partial<ExplainedState>[]>> = {
  delivered: [{ status: 'delivered' }],
  in_flight: [{ isInFlight: true }, { isInFlight: true, endpointStatus: 'disabled' }],
  unsignable: [{ canSign: false }, { status: 'retrying', isDue: false, canSign: false }],
  waits_for_retry: [{ status: 'retrying', isDue: false }],
  asked_to_wait: [{ status: 'retrying', isDue: false, isAskedToWait: true }],
  due: [{}, { isDue: false }, { status: 'retrying' }],
  exhausted: [{ status: 'exhausted' }, { status: 'exhausted', endpointStatus: 'disabled' }],
  skipped: [{ status: 'skipped' }, { endpointStatus: 'disabled' }, { endpointStatus: 'disabled', canSign: false }],
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
      service.clock.advance({ minutes: 1 });
      expect(await explainStored(id)).to.equal('due');
    });

    it('a receiver asked to wait until the time that it named, and then the retry is awaited', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      receiver.answer = refuse(503, { 'retry-after': '20' });
      await deliver();
      expect(await explainStored(id)).to.equal('asked_to_wait');
      service.clock.advance({ seconds: 21 });
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
