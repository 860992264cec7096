import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { inviteUser } from '../../src/console/people/users.ts';
import { deleteMoved } from '../../src/moves/delete-moved.ts';
import { movePractices } from '../../src/moves/move.ts';
import type { Client, Exchange } from '../harness/client.ts';
import { query } from '../harness/database.ts';
import { Payments } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';
import { isSignedWith, Receiver } from '../harness/receiver.ts';
import { idempotent, linkBody, type TestPractice, type TestService } from '../harness/service.ts';
import { createEndpoint } from '../harness/webhooks.ts';
import { TwoCells } from './two-cells.ts';

const LINKS = '/api/v1/payment-links';

/** A create that was answered 201. */
interface Created {
  key: string;
  reply: string;
  id: string;
  /** The last thing that its client did and saw confirmed. */
  state: 'active' | 'cancelled' | 'paid';
}

/** A practice under load: clients that create, cancel and pay links, and repeat what is answered 503. */
class Load {
  readonly created: Created[] = [];
  readonly unexpected: string[] = [];
  refused = 0;
  cell: TestService;
  readonly #practice: TestPractice;
  #isRunning = true;
  #loops: Promise<void>[] = [];

  constructor(cell: TestService, practice: TestPractice) {
    this.cell = cell;
    this.#practice = practice;
  }

  run(loops: number): void {
    this.#loops = Array.from({ length: loops }, (_, index) => this.#loop(index));
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#loops);
  }

  client(): Client {
    return this.cell.client(this.#practice.live.key);
  }

  /** Sends a request until it is not answered 503, through the cell that the map names at that moment. */
  async #confirmed(send: (client: Client) => Promise<Exchange>): Promise<Exchange> {
    for (;;) {
      const reply = await send(this.client());
      if (reply.status !== 503) return reply;
      if (reply.headers['retry-after'] === undefined) this.unexpected.push('503 without Retry-After');
      this.refused++;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #loop(index: number): Promise<void> {
    for (let round = index; this.#isRunning; round++) {
      const key = randomUUID();
      const body = linkBody({ externalReference: `round-${round}`, metadata: { b: '1', a: '2' } });
      const created = await this.#confirmed((client) => client.post(LINKS, body, idempotent(key)));
      if (created.status !== 201) {
        this.unexpected.push(`create ${created.status}: ${created.text}`);
        continue;
      }
      const one: Created = { key, reply: created.text, id: created.body.id, state: 'active' };
      this.created.push(one);
      if (round % 3 === 0) {
        const cancelled = await this.#confirmed((client) => client.post(`${LINKS}/${one.id}/cancel`));
        // A cancel whose answer was lost is found done.
        if (cancelled.status === 200) one.state = 'cancelled';
        else this.unexpected.push(`cancel ${cancelled.status}: ${cancelled.text}`);
      } else if (round % 3 === 1) {
        const { url, amount } = created.body;
        const payable = {
          id: one.id,
          token: url.slice(url.lastIndexOf('/') + 1),
          amountCents: Math.round(amount * 100),
        };
        // The page answers an error with the advice to look again. Only a confirmed payment counts.
        const result = await new Payments(this.cell).pay(payable, 'card_success').catch(() => 'refused');
        if (result !== 'refused' && (await this.#status(one.id)) === 'paid') one.state = 'paid';
      }
    }
  }

  async #status(id: string): Promise<string> {
    return (await this.#confirmed((client) => client.get(`${LINKS}/${id}`))).body.status;
  }
}

describe('a practice that moves under load', function () {
  this.timeout(180_000);
  let cells: TwoCells;
  let moving: TestPractice;
  let staying: TestPractice;
  let load: Load;
  let other: Load;
  let secret: string;
  let endpointId: string;
  const receiver = new Receiver();
  const otherReceiver = new Receiver();

  before(async () => {
    cells = await TwoCells.start({ workers: true });
    await Promise.all([receiver.start(), otherReceiver.start()]);
    moving = await cells.source.practice();
    staying = await cells.source.practice();
    ({ secret, id: endpointId } = await createEndpoint(moving.live, receiver.url));
    await createEndpoint(staying.live, otherReceiver.url);
    // A person whom the target knows by the address already, with another id.
    const person = { email: 'dana@elm.example', role: 'owner', locationIds: null } as const;
    const operator = { kind: 'operator' } as const;
    await inviteUser(cells.source.scope(), operator, moving.practiceId, person);
    const there = await cells.target.practice();
    await inviteUser(cells.target.scope(), operator, there.practiceId, person);

    load = new Load(cells.source, moving);
    other = new Load(cells.source, staying);
    load.run(4);
    other.run(2);
    await until(
      () => load.created.length > 60 && receiver.received.length > 20,
      () => 'the load does not begin',
    );
    const moved = await movePractices({ ...cells.urls, practiceIds: [moving.practiceId] });
    expect(moved.tables.find(({ table }) => table === 'payment_links')?.rows).to.be.above(50);
    // The edge learns of it a moment later.
    await until(
      () => load.refused > 0,
      () => 'the source does not refuse the practice',
    );
    load.cell = cells.target;
    const before = load.created.length;
    await until(
      () => load.created.length > before + 60,
      () => 'the load does not go on in the target',
    );
    await Promise.all([load.stop(), other.stop()]);
    await until(isDelivered, () => 'deliveries wait');
  });

  after(async () => {
    await cells.close();
    await Promise.all([receiver.close(), otherReceiver.close()]);
  });

  async function isDelivered(): Promise<boolean> {
    const waits = `select from webhook_deliveries where status in ('pending', 'retrying') and practice_id = $1 limit 1`;
    const [a, b] = await Promise.all([
      query(cells.urls.targetUrl, waits, [moving.practiceId]),
      query(cells.urls.sourceUrl, waits, [staying.practiceId]),
    ]);
    return a.length === 0 && b.length === 0;
  }

  it('a practice that moves is refused for a while with Retry-After, and another practice never', () => {
    expect([load.unexpected, other.unexpected]).to.deep.equal([[], []]);
    expect(load.refused).to.be.above(0);
    expect(other.refused).to.equal(0);
    expect(other.created.length).to.be.above(20);
  });

  it('every confirmed create, cancel and payment is in the target', async () => {
    for (const { id, state } of load.created) {
      const { status, body } = await load.client().get(`${LINKS}/${id}`);
      expect(status, id).to.equal(200);
      if (state !== 'active') expect(body.status, id).to.equal(state);
    }
    const list = await load.client().get(`${LINKS}?pageSize=1`);
    expect(list.body.totalCount).to.equal(load.created.length);
  });

  it('a create is replayed byte by byte in the target, whichever cell created the link', async () => {
    for (const { key, reply } of [...load.created.slice(0, 3), ...load.created.slice(-3)]) {
      const round = JSON.parse(reply).externalReference;
      const body = linkBody({ externalReference: round, metadata: { b: '1', a: '2' } });
      const replayed = await load.client().post(LINKS, body, idempotent(key));
      expect([replayed.text, replayed.headers['idempotency-replayed']]).to.deep.equal([reply, 'true']);
    }
  });

  it('every event of the practice is received at least once, with a valid signature', async () => {
    const deliveries = await query<{ id: string; status: string; link: string }>(
      cells.urls.targetUrl,
      'select id, status, payment_link_id as link from webhook_deliveries where endpoint_id = $1',
      [endpointId],
    );
    const seen = new Set(receiver.received.map(({ id }) => id));
    expect(deliveries.filter(({ id, status }) => !seen.has(id) || status !== 'delivered')).to.deep.equal([]);
    const changed = load.created.filter(({ state }) => state !== 'active').map(({ id }) => id);
    const about = new Set(deliveries.map(({ link }) => link));
    expect(changed.filter((id) => !about.has(id))).to.deep.equal([]);
    expect(receiver.received.filter((received) => !isSignedWith(secret, received))).to.deep.equal([]);
    expect(receiver.received.length - seen.size, 'duplicates').to.be.below(10);
  });

  it('a person whom the target knew by the mail address is a member there, under the id of the target', async () => {
    const rows = await query<{ email: string }>(
      cells.urls.targetUrl,
      'select email from memberships m join people p on p.id = m.person_id where practice_id = $1',
      [moving.practiceId],
    );
    expect(rows).to.deep.equal([{ email: 'dana@elm.example' }]);
  });

  it('paylinks check finds nothing in either cell', async () => {
    const findings = await Promise.all([cells.check(cells.source), cells.check(cells.target)]);
    expect(findings).to.deep.equal([[], []]);
  });

  it('the source refuses the practice until its rows are deleted, and keeps every row of the other practice', async () => {
    const former = cells.source.client(moving.live.key);
    expect((await former.get(LINKS)).status).to.equal(503);
    const kept = await cells.rows(cells.source, staying.practiceId);
    await deleteMoved(cells.urls.sourceUrl, [moving.practiceId]);
    expect(await cells.rows(cells.source, moving.practiceId)).to.deep.equal({});
    expect((await former.get(LINKS)).status).to.equal(401);
    const after = await cells.rows(cells.source, staying.practiceId);
    for (const table of ['payment_links', 'webhook_deliveries', 'transactions', 'audit_log', 'api_keys']) {
      expect(after[table], table).to.equal(kept[table]);
    }
    expect(await cells.check(cells.source)).to.deep.equal([]);
    const guards = await query(cells.urls.sourceUrl, `select from pg_trigger where tgname like 'moving_practice%'`);
    expect(guards).to.deep.equal([]);
  });
});
