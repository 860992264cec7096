import { expect } from 'chai';
import fc from 'fast-check';
import { retentionSweep } from '../../src/main/processes/tasks.ts';
import type { Deliverer } from '../../src/webhooks/delivery/deliverer.ts';
import { useReceiver, useService } from '../harness/fixtures.ts';
import { accept, isSignedWith, type Received, refuse } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import type { TestPractice } from '../harness/service.ts';
import {
  createEndpoint,
  DELIVERIES,
  deliver,
  ENDPOINTS,
  type Endpoint,
  listDeliveries,
  paidLink,
  ping,
  setExhaustedInARow,
} from '../harness/webhooks.ts';
import { Model } from './life-cycle-model.ts';

/** One thing that happens; indices are taken modulo the number of deliveries. */
type Step =
  | { kind: 'event' | 'ping' | 'deliver' | 'enable' | 'disable' | 'rotate' | 'retention' | 'nearly disabled' }
  | { kind: 'receiver'; isUp: boolean }
  | { kind: 'time'; seconds: number }
  | { kind: 'redeliver'; index: number }
  | { kind: 'replay'; daysAgo: number };

const SECONDS = [1, 30, 120, 600, 3_600, 21_600, 86_400, 172_800, 10 * 86_400, 31 * 86_400, 91 * 86_400];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'deliver' }) },
  { weight: 5, arbitrary: fc.constantFrom(...SECONDS).map<Step>((seconds) => ({ kind: 'time', seconds })) },
  { weight: 4, arbitrary: fc.constant<Step>({ kind: 'event' }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Step>(
      { kind: 'ping' },
      { kind: 'enable' },
      { kind: 'disable' },
      { kind: 'rotate' },
      { kind: 'retention' },
      { kind: 'nearly disabled' },
    ),
  },
  { weight: 3, arbitrary: fc.boolean().map<Step>((isUp) => ({ kind: 'receiver', isUp })) },
  { weight: 2, arbitrary: fc.nat(20).map<Step>((index) => ({ kind: 'redeliver', index })) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 30 }).map<Step>((daysAgo) => ({ kind: 'replay', daysAgo })) },
);

/** A whole delivery run, step by step, so that exhausted events are frequent. */
const climbing: Step[] = [
  { kind: 'receiver', isUp: false },
  { kind: 'event' },
  ...[30, 120, 600, 3_600, 21_600, 86_400, 172_800, 1].flatMap<Step>((seconds) => [
    { kind: 'deliver' },
    { kind: 'time', seconds },
  ]),
];

const lives = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: step.map((one) => [one]) }, { weight: 1, arbitrary: fc.constant(climbing) }),
    {
      minLength: 5,
      maxLength: 25,
    },
  )
  .map((parts) => parts.flat());

/** Chosen anew at every run; PROPERTY_SEED repeats one that failed. */
const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);

describe('the life cycle of deliveries', () => {
  const service = useService();
  const receiver = useReceiver();
  let practice: TestPractice;
  let endpoint: Endpoint;
  let deliverer: Deliverer;
  let model: Model;

  before(async () => {
    deliverer = service.deliverer();
  });

  const path = (suffix = '') => `${ENDPOINTS}/${endpoint.id}${suffix}`;
  const nowMs = () => service.clock.now().getTime();

  /** Takes the step in the service and in the model; refusals must be the model's as well. */
  const take: { [Kind in Step['kind']]: (step: Extract<Step, { kind: Kind }>) => Promise<void> | void } = {
    async event() {
      const link = await paidLink(practice.test);
      const [delivery] = await listDeliveries(practice.test, `paymentLinkId=${link.id}`);
      model.happen(delivery?.id ?? '', false, nowMs());
    },
    async ping() {
      if (model.enabled) model.happen((await ping(practice.test, endpoint.id)).id, true, nowMs());
      else expect(outcome(await practice.test.post(path('/test')))).to.equal('409 endpoint_disabled');
    },
    async deliver() {
      const before = receiver.received.length;
      await deliver(deliverer, endpoint.id);
      model.deliver(nowMs());
      for (const received of receiver.received.slice(before)) expectSignatures(received);
    },
    async enable() {
      await practice.test.patch(path(), { enabled: true });
      model.setEnabled(true);
    },
    async disable() {
      await practice.test.patch(path(), { enabled: false });
      model.setEnabled(false);
    },
    async rotate() {
      model.rotate((await practice.test.post(path('/rotate-secret'))).body.secret, nowMs());
    },
    async retention() {
      await retentionSweep(() => service.scope())(() => true);
      model.retain(nowMs());
    },
    async 'nearly disabled'() {
      if (!model.enabled) return;
      await setExhaustedInARow(service, endpoint.id, 19);
      model.exhaustedInARow = 19;
    },
    receiver({ isUp }) {
      receiver.answer = isUp ? accept : refuse(500);
      model.receiverIsUp = isUp;
    },
    time({ seconds }) {
      service.clock.advance({ seconds });
    },
    async redeliver({ index }) {
      const delivery = model.deliveries[index % model.deliveries.length];
      if (delivery === undefined) return;
      const reply = await practice.test.post(`${DELIVERIES}/${delivery.id}/redeliver`);
      expect(outcome(reply)).to.equal(model.enabled ? '202' : '409 endpoint_disabled');
      if (model.enabled) model.redeliver(delivery, nowMs());
    },
    async replay({ daysAgo }) {
      const sinceMs = nowMs() - daysAgo * 86_400_000;
      const reply = await practice.test.post(path('/replay'), { since: new Date(sinceMs).toISOString() });
      const isCool = model.replayedMs === null || nowMs() - model.replayedMs >= 600_000;
      if (!model.enabled) expect(outcome(reply)).to.equal('409 endpoint_disabled');
      else if (!isCool) expect(outcome(reply)).to.equal('429 replay_cooldown');
      else {
        const requeuedCount = model.replay(sinceMs, nowMs());
        expect(reply.body).to.deep.include({ requeuedCount, freshCount: 0, capped: false });
      }
    },
  };

  function expectSignatures(received: Received): void {
    const valid = model.secrets.filter(({ untilMs }) => untilMs > nowMs());
    expect(String(received.headers['service-signature']).split(',')).to.have.length(1 + valid.length);
    for (const { secret } of valid) expect(isSignedWith(secret, received)).to.equal(true);
  }

  /** Everything that the service shows of the endpoint is what the model says. */
  async function expectAgreement(): Promise<void> {
    const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
    const expected = model.deliveries.map((one) => ({
      id: one.id,
      status: one.status,
      attemptCount: one.attemptCount,
      deliveredAt: iso(one.deliveredMs),
      nextAttemptAt: one.status === 'retrying' ? iso(one.dueMs) : null,
    }));
    const shown = await listDeliveries(practice.test, `endpointId=${endpoint.id}`);
    const actual = shown.map(({ id, status, attemptCount, deliveredAt, nextAttemptAt }) => ({
      id,
      status,
      attemptCount,
      deliveredAt,
      nextAttemptAt,
    }));
    expect(actual).to.deep.equal(expected);
    const [row] = await service.query(
      `select status, consecutive_exhausted as "inARow", lease_until as lease,
         (select count(*)::integer from webhook_attempts a where a.endpoint_id = w.id and duration_ms is null) as open
       from webhook_endpoints w where id = $1`,
      [endpoint.id],
    );
    expect(row).to.deep.equal({
      status: model.enabled ? 'enabled' : 'disabled',
      inARow: model.exhaustedInARow,
      lease: null,
      open: 0,
    });
    expect(receiver.received.map(({ id }) => id)).to.deep.equal(model.arrived);
  }

  it(`the life cycle of deliveries agrees with the model after each step (PROPERTY_SEED=${seed})`, async function () {
    this.timeout(300_000);
    const property = fc.asyncProperty(lives, async (steps) => {
      practice = await service.practice();
      endpoint = await createEndpoint(practice.test, receiver.url);
      model = new Model(endpoint.secret);
      receiver.answer = accept;
      receiver.received.length = 0;
      for (const one of steps) {
        await (take[one.kind] as (step: Step) => Promise<void> | void)(one);
        await expectAgreement();
      }
      const bytes = Map.groupBy(receiver.received, ({ id }) => id);
      for (const [id, sent] of bytes) expect(new Set(sent.map(({ raw }) => raw)).size, id).to.equal(1);
    });
    await fc.assert(property, { numRuns: 12, seed, endOnFailure: false });
  });
});
