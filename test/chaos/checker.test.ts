import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { examine } from '../../proofs/trial/checker.ts';
import type { Evidence, Query } from '../../proofs/trial/evidence.ts';
import type { Arrival } from '../../proofs/trial/receivers.ts';
import { RunningClock } from '../faults/crash-setup.ts';
import { useReceiver, useService } from '../harness/fixtures.ts';
import { createEndpoint, deliver, paidLink } from '../harness/webhooks.ts';

const SECRET = 'whsec_one';

/** Violations that the test inserts, each with the rule that must find it. */
const PLANTED: [rule: string, statement: string][] = [
  ['Q1 every change has its events', `delete from webhook_attempts; delete from webhook_deliveries`],
  [
    'Q1 every change has its events',
    `insert into webhook_deliveries select (json_populate_record(d, json_build_object('id', d.id || 'x'))).*
     from webhook_deliveries d`,
  ],
  ['Q1 every delivery has ended', `update webhook_deliveries set status = 'retrying', due_at = now()`],
  ['Q1 one link per idempotency key', `update payment_links set external_reference = 'same'`],
  [
    'Q1 what was confirmed is there',
    `update payment_links set status = 'cancelled', paid_at = null where status = 'paid'`,
  ],
  [
    'Q2 delivered means that the last attempt got a 2xx',
    `update webhook_attempts set response_status = 500, error = 'http_status'`,
  ],
  [
    'Q4 at most eight attempts in a delivery run, numbers without gaps, none left open',
    `update webhook_attempts set number = 2`,
  ],
  ['Q4 at most eight attempts in a delivery run, numbers without gaps, none left open', `delete from webhook_attempts`],
  [
    'Q4 at most eight attempts in a delivery run, numbers without gaps, none left open',
    `update webhook_attempts set duration_ms = null`,
  ],
  [
    'Q4 nothing is attempted after a 2xx',
    `insert into webhook_attempts select (json_populate_record(a, '{"number": 2}')).* from webhook_attempts a;
     update webhook_deliveries set attempt_count = 2`,
  ],
  ['Q5 every event has its committed change', `update webhook_deliveries set payment_link_id = 'plink_rolled_back'`],
  ['Q5 what arrives is committed, byte for byte', `update webhook_deliveries set payload = payload || ' '`],
];

describe('the checker', function () {
  this.timeout(60_000);
  const service = useService({ clock: new RunningClock() });
  const receiver = useReceiver();
  let client: pg.Client;
  let evidence: Evidence;
  const query: Query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await client.query<Row & pg.QueryResultRow>(text, values)).rows;

  before(async () => {
    client = new pg.Client({ connectionString: service.config.databaseUrl });
    await client.connect();
    const { test } = await service.practice();
    const endpoint = await createEndpoint(test, receiver.url);
    const links = [await paidLink(test), await paidLink(test)];
    await deliver(service.deliverer(), endpoint.id);
    expect(receiver.received).to.have.length(2);
    evidence = {
      arrivals: receiver.received.map(({ id, raw }, index) => arrival(id, raw, 1_000 * index)),
      confirmed: new Map(links.map(({ id }) => [id, 'paid'])),
      timeoutMs: 500,
      secrets: new Map([['one', SECRET]]),
    };
  });
  beforeEach(() => client.query('begin'));
  afterEach(() => client.query('rollback'));
  after(() => client.end());

  function arrival(eventId: string, body: string, openedMs: number): Arrival {
    const signature = `t=1,v1=${createHmac('sha256', SECRET).update(`1.${body}`).digest('hex')}`;
    return { endpoint: 'one', eventId, body, signature, openedMs, closedMs: openedMs + 100, answered: 200 };
  }

  async function broken(changed: Evidence = evidence): Promise<string[]> {
    const { results } = await examine(query, changed);
    return results.filter((result) => result.broken.length > 0).map(({ rule }) => rule);
  }

  it('the checker finds nothing in a sound database', async () => {
    expect(await examine(query, evidence)).to.deep.include({ lost: 0, doubled: 0 });
    expect(await broken()).to.deep.equal([]);
  });

  for (const [rule, statement] of PLANTED) {
    it(`the checker finds a breach of "${rule}": ${statement.replaceAll(/\s+/g, ' ').slice(0, 60)}`, async () => {
      await query(statement);
      expect(await broken()).to.include(rule);
    });
  }

  it('the checker finds events that are delivered in the tables only', async () => {
    const arrivals = evidence.arrivals.map((one) => ({ ...one, answered: 500 }));
    expect(await broken({ ...evidence, arrivals })).to.deep.equal([
      'Q2 the receiver of what is delivered answered 2xx',
    ]);
  });

  it('the checker finds two concurrent requests, and counts a request as ended when its sender closed it', async () => {
    const [first, second] = evidence.arrivals;
    if (first === undefined || second === undefined) throw new Error('two events arrived');
    const within = { ...evidence, arrivals: [first, { ...second, openedMs: 99 }] };
    expect(await broken(within)).to.deep.equal(['Q3 an endpoint never has two requests at once']);
    const hanging = { ...first, closedMs: null };
    expect(await broken({ ...evidence, arrivals: [hanging, { ...second, openedMs: 499 }] })).to.have.length(1);
    expect(await broken({ ...evidence, arrivals: [hanging, { ...second, openedMs: 501 }] })).to.deep.equal([]);
  });

  it('the checker finds events without a committed change, and bodies that were written again', async () => {
    const [first] = evidence.arrivals;
    if (first === undefined) throw new Error('two events arrived');
    const stranger = arrival('evt_nobody', first.body ?? '', 9_000);
    expect(await broken({ ...evidence, arrivals: [...evidence.arrivals, stranger] })).to.deep.equal([
      'Q5 what arrives is committed, byte for byte',
    ]);
    await query('update webhook_deliveries set payload = payload::jsonb::text');
    expect(await broken()).to.deep.equal(['Q5 what arrives is committed, byte for byte']);
  });

  it('the checker finds a signature of another secret, and an endpoint whose secret nobody knows', async () => {
    const rule = 'Q5 what arrives is signed with the secret of its endpoint';
    for (const secrets of [new Map([['one', 'whsec_other']]), new Map<string, string>()]) {
      expect(await broken({ ...evidence, secrets })).to.deep.equal([rule]);
    }
  });
});
