import { expect } from 'chai';
import fc from 'fast-check';
import { expireDueLinks } from '../../src/payment-links/expire-links.ts';
import type { Client, Exchange } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { createLink } from '../harness/service.ts';
import { createEndpoint, ENDPOINTS } from '../harness/webhooks.ts';

/** Changes of fields. Each has a field of its own, so the last state shows which of them were written. */
const UPDATES = {
  description: { description: 'Crown' },
  externalReference: { externalReference: 'inv-1' },
  metadata: { metadata: { visit: '7' } },
  amount: { amount: 77 },
} as const;

/** Events of a link by its last change. */
const EVENTS = {
  active: [],
  cancelled: ['cancelled'],
  expired: ['expired'],
  paid: ['paid'],
  processing: ['processing'],
  processing_then_paid: ['processing', 'paid'],
  failed: ['processing', 'failed'],
} as const;

type Action =
  | 'cancel'
  | 'expire'
  | 'pay'
  | keyof typeof UPDATES
  | `simulate ${string}`
  | `${'disable' | 'enable'} endpoint`;

const common: Action[] = ['cancel', 'cancel', 'expire', ...(Object.keys(UPDATES) as (keyof typeof UPDATES)[])];
const simulations: Action[] = ['paid', 'processing', 'processing_then_paid', 'failed', 'expired'].map(
  (outcome): Action => `simulate ${outcome}`,
);
const actions = (more: Action[]) =>
  fc.array(fc.constantFrom<Action>(...common, ...more, 'disable endpoint', 'enable endpoint'), {
    minLength: 2,
    maxLength: 10,
  });
const scenarios = fc.oneof(
  fc.record({ live: fc.constant(true), actions: actions(['pay', 'pay']) }),
  fc.record({ live: fc.constant(false), actions: actions(simulations) }),
);

const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.FC_RUNS ?? 40);

describe(`changes of one link that meet (FC_SEED=${seed})`, function () {
  this.timeout(300_000);
  const service = useService();
  /** A second server on the same database: its changes share no statement with those of the first. */
  const second = useService({ beside: service });
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);
  const endpointIds = { live: '', test: '' };

  before(async () => {
    for (const mode of ['live', 'test'] as const) {
      endpointIds[mode] = (await createEndpoint(practice[mode], 'http://127.0.0.1:9/hook')).id;
    }
  });

  it('one link whose changes meet ends in one state, with exactly the events of this state', async () => {
    await fc.assert(fc.asyncProperty(scenarios, run), { seed, numRuns: RUNS, endOnFailure: true });
  });

  async function run({ live, actions }: { live: boolean; actions: Action[] }): Promise<void> {
    const mode = live ? 'live' : 'test';
    const clients = [practice[mode], second.client(practice[mode].key)];
    const link = live ? await payments.link(practice) : await testLink();
    const taken = await Promise.all(
      actions.map((action, index) => take(action, clients[index % 2] ?? practice[mode], link, endpointIds[mode])),
    );
    const replies = taken.filter((each) => each !== null);
    for (const { reply } of replies) expect(reply.status, reply.text).to.be.oneOf([200, 409]);
    const succeeded = replies.filter(({ reply }) => reply.status === 200).map(({ action }) => action);

    // Expiry leaves out a link that is locked, until its next run.
    await payments.sweep();
    const last = (await practice[mode].get(`/api/v1/payment-links/${link.id}`)).body;
    for (const [name, change] of Object.entries(UPDATES)) {
      const expected = succeeded.includes(name as Action) ? change : {};
      expect(last).to.deep.include(expected);
    }
    const simulated = succeeded.filter((action) => action.startsWith('simulate'));
    const ends = new Set(succeeded.filter((action) => action === 'cancel' || action.startsWith('simulate')));
    expect(simulated.length, 'at most one simulation wins').to.be.at.most(1);
    expect(ends.size, 'a link is not cancelled and simulated').to.be.at.most(1);
    expect(last.status === 'cancelled').to.equal(succeeded.includes('cancel'));
    const [outcome = last.status] = simulated.map((action) => action.replace('simulate ', ''));
    expect(await payments.events(link)).to.deep.equal(EVENTS[outcome as keyof typeof EVENTS]);
    if (live) expect(await payments.charges(link)).to.equal(last.status === 'paid' ? 1 : 0);
    await practice[mode].patch(`${ENDPOINTS}/${endpointIds[mode]}`, { enabled: true });
  }

  async function testLink(): Promise<PayableLink> {
    const { id, url, amount } = await createLink(practice.test);
    return { id, token: url.slice(url.lastIndexOf('/') + 1), amountCents: amount * 100 };
  }

  /** Takes the action. Returns the reply to a change of the link through the API; null for other actions. */
  async function take(
    action: Action,
    client: Client,
    link: PayableLink,
    endpointId: string,
  ): Promise<{ action: Action; reply: Exchange } | null> {
    const path = `/api/v1/payment-links/${link.id}`;
    switch (action) {
      case 'cancel':
        return { action, reply: await client.post(`${path}/cancel`) };
      case 'pay':
        await payments.pay(link, 'card_success');
        return null;
      case 'expire':
        service.clock.advance({ days: 31 });
        await expireDueLinks(() => service.scope());
        return null;
      case 'disable endpoint':
      case 'enable endpoint':
        await client.patch(`${ENDPOINTS}/${endpointId}`, { enabled: action === 'enable endpoint' });
        return null;
      case 'description':
      case 'externalReference':
      case 'metadata':
      case 'amount':
        return { action, reply: await client.patch(path, UPDATES[action]) };
      default:
        return { action, reply: await client.post(`${path}/simulate`, { outcome: action.replace('simulate ', '') }) };
    }
  }
});
