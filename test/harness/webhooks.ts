import type { components } from '../../generated/contract.ts';
import type { Scope } from '../../src/platform/base/scope.ts';
import { sql } from '../../src/platform/database/query/sql.ts';
import type { Deliverer } from '../../src/webhooks/delivery/deliverer.ts';
import { claimLeases, type Lease, releaseLease, type StartedAttempt } from '../../src/webhooks/delivery/start.ts';
import { DELIVER_TASK, type DeliverJob, enqueueDueDeliveries } from '../../src/webhooks/delivery/sweep.ts';
import { DEFAULT_RETRY_SECONDS } from '../../src/webhooks/model/retry-schedule.ts';
import type { Client } from './client.ts';
import { madeForEach, useReceiver, useService } from './fixtures.ts';
import { accept, delayedAnswer } from './receiver.ts';
import { createLink, type TestService } from './service.ts';

export type Endpoint = components['schemas']['WebhookEndpointWithSecret'];
export type Delivery = components['schemas']['WebhookDelivery'];
type DeliveryDetail = components['schemas']['WebhookDeliveryDetail'];

export const ENDPOINTS = '/api/v1/webhook-endpoints';
export const DELIVERIES = '/api/v1/webhook-deliveries';

/**
 * Returns the service and the receiver of a `describe`. Each test has a new practice, with an endpoint of its test mode.
 * `deliver` wakes the endpoint up, by default in a worker of its own. `underWay` starts an attempt that ends when the test says so.
 */
export function useEndpoint(overrides: object = {}) {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const receiver = useReceiver();
  const endpoint = madeForEach(() => createEndpoint(practice.test, receiver.url, overrides));
  return {
    ...{ service, practice, receiver, endpoint },
    deliver: (by = service.deliverer(), endpointId = endpoint.id) => deliver(by, endpointId),

    /** Waits until the receiver has got an attempt, and returns its deliverer. The receiver accepts those that follow. */
    async underWay(status: number) {
      const { answer, arrived } = delayedAnswer(status);
      receiver.answer = answer;
      const deliverer = service.deliverer();
      void deliverer.deliver([endpoint.id]);
      const release = await arrived;
      receiver.answer = accept;
      const end = () => {
        release();
        return deliverer.idle();
      };
      return { deliverer, release, end };
    },
  };
}

/** Creates an endpoint; throws when the API refuses it. */
export async function createEndpoint(client: Client, url: string, overrides: object = {}): Promise<Endpoint> {
  const created = await client.post(ENDPOINTS, { url, ...overrides });
  if (created.status !== 201) throw new Error(`create answered ${created.status}: ${created.text}`);
  return created.body;
}

/** Queues a ping for the endpoint; throws when the API refuses it. */
export async function ping(client: Client, endpointId: string): Promise<Delivery> {
  const queued = await client.post(`${ENDPOINTS}/${endpointId}/test`);
  if (queued.status !== 202) throw new Error(`test answered ${queued.status}: ${queued.text}`);
  return queued.body;
}

/** Creates a test link and pays it by card: one `payment_link.paid` for each subscribed endpoint. */
export async function paidLink(client: Client, overrides: Record<string, unknown> = {}): Promise<{ id: string }> {
  const link = await createLink(client, overrides);
  const paid = await client.post(`/api/v1/payment-links/${link.id}/simulate`, { outcome: 'paid' });
  if (paid.status !== 200) throw new Error(`simulate answered ${paid.status}: ${paid.text}`);
  return paid.body;
}

/** Returns the deliveries that the key sees, at most 100, oldest first. */
export async function listDeliveries(client: Client, query = ''): Promise<Delivery[]> {
  const { body } = await client.get(`${DELIVERIES}?pageSize=100${query === '' ? '' : `&${query}`}`);
  return body.data.reverse();
}

export async function getDelivery(client: Client, id: string): Promise<DeliveryDetail> {
  return (await client.get(`${DELIVERIES}/${id}`)).body;
}

/** Returns the seconds from now until the next attempt of a delivery; NaN without one. */
export async function secondsUntilNext(service: TestService, client: Client, id: string): Promise<number> {
  const { nextAttemptAt } = await getDelivery(client, id);
  return nextAttemptAt === null ? Number.NaN : (Date.parse(nextAttemptAt) - service.clock.now().getTime()) / 1000;
}

/** Runs the recurring job that finds due deliveries. Takes the jobs that it adds, and returns their endpoints. */
export async function sweep(scope: Scope): Promise<string[]> {
  await enqueueDueDeliveries(scope);
  const taken = await sql<{ payload: DeliverJob }>(
    scope.em,
    `with taken as (
       delete from graphile_worker._private_jobs where task_id = (
         select id from graphile_worker._private_tasks where identifier = '${DELIVER_TASK}') returning payload
     ) select payload from taken`,
    [],
  );
  return taken.flatMap(({ payload }) => payload.endpointIds);
}

/** Delivers at the endpoint, and waits until nothing is due any more. */
export async function deliver(deliverer: Deliverer, endpointId: string): Promise<void> {
  await deliverer.deliver([endpointId]);
  await deliverer.idle();
}

/** Delivers, then advances the clock from retry to retry. Makes `attempts` attempts, by default a whole delivery run. */
export async function followRetrySchedule(
  service: TestService,
  deliverer: Deliverer,
  endpointId: string,
  attempts = DEFAULT_RETRY_SECONDS.length + 1,
): Promise<void> {
  await deliver(deliverer, endpointId);
  for (const seconds of DEFAULT_RETRY_SECONDS.slice(0, attempts - 1)) {
    service.clock.advance({ seconds });
    await deliver(deliverer, endpointId);
  }
}

/** Creates this many events and exhausts them together. The receiver must refuse them. */
export async function exhaust(
  service: TestService,
  deliverer: Deliverer,
  client: Client,
  endpointId: string,
  events: number,
): Promise<void> {
  for (let event = 0; event < events; event++) await paidLink(client);
  await followRetrySchedule(service, deliverer, endpointId);
}

/** Sets the endpoint's count of exhausted events in a row. To exhaust each event would take seconds. */
export async function setExhaustedInARow(service: TestService, endpointId: string, count: number): Promise<void> {
  await service.query('update webhook_endpoints set consecutive_exhausted = $1 where id = $2', [count, endpointId]);
}

/** Takes the lease of an endpoint without starting an attempt; null when another worker has it. */
export async function claim(scope: Scope, endpointId: string, leaseMs: number): Promise<Lease | null> {
  const [claimed] = await claimLeases(scope, leaseMs, [{ endpointId, ranks: [] }]);
  return claimed?.lease ?? null;
}

/** Takes the lease of an endpoint without starting an attempt; throws when another worker has it. */
export async function claimFree(scope: Scope, endpointId: string, leaseMs: number): Promise<Lease> {
  const lease = await claim(scope, endpointId, leaseMs);
  if (lease === null) throw new Error('another worker has the lease');
  return lease;
}

/** Claims the lease again, with the next attempt. Throws when nothing is due. */
export async function startDue(scope: Scope, lease: Lease, leaseMs: number): Promise<StartedAttempt> {
  await releaseLease(scope, lease);
  const [claimed] = await claimLeases(scope, leaseMs, [{ endpointId: lease.endpointId, ranks: [0, 1, 2] }]);
  if (!claimed?.next) throw new Error('nothing is due');
  Object.assign(lease, claimed.lease);
  return claimed.next;
}
