import { expect } from 'chai';
import pg from 'pg';
import { inviteUser } from '../../src/console/people/users.ts';
import { connect, inMove, switchTriggersOff } from '../../src/moves/connection.ts';
import { type MoveOptions, type MoveStep, movePractices } from '../../src/moves/move.ts';
import { MoveRefused } from '../../src/moves/preconditions.ts';
import { makeFirstCopy } from '../../src/moves/two-copies.ts';
import { query } from '../harness/database.ts';
import { Payments } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';
import { Receiver } from '../harness/receiver.ts';
import { createLink, idempotent, linkBody, type TestPractice } from '../harness/service.ts';
import { createEndpoint, deliver } from '../harness/webhooks.ts';
import { TwoCells } from './two-cells.ts';

const LINKS = '/api/v1/payment-links';

describe('a practice whose rows are copied before its freeze', function () {
  this.timeout(180_000);
  let cells: TwoCells;
  let practice: TestPractice;

  before(async () => {
    cells = await TwoCells.start({ workers: false });
  });

  beforeEach(async () => {
    practice = await cells.source.practice();
    await createLink(practice.live);
  });

  after(() => cells.close());

  const there = () => cells.target.client(practice.live.key);

  const create = async () => (await practice.live.post(LINKS, linkBody(), idempotent())).status;

  /** Moves the practice, and does something at a step. */
  const move = (at: MoveStep, work: () => Promise<unknown>): ReturnType<typeof movePractices> => {
    const onStep: MoveOptions['onStep'] = async (step) => {
      if (step === at) await work();
    };
    return movePractices({ ...cells.urls, practiceIds: [practice.practiceId], onStep });
  };

  /** Expects that the practice is active in the source, and that a later move succeeds. */
  async function expectUnmoved(): Promise<void> {
    expect(await create()).to.equal(201);
    expect((await there().get(LINKS)).status).to.equal(401);
    await move('begun', async () => undefined);
    expect([await create(), (await there().get(LINKS)).status]).to.deep.equal([503, 200]);
  }

  it('a practice is served while its rows are copied: creates, payments and deliveries go on, and arrive', async () => {
    const receiver = await new Receiver().start();
    const { id: endpointId } = await createEndpoint(practice.live, receiver.url);
    const payments = new Payments(cells.source);
    const link = await payments.link(practice);
    const blocker = new pg.Client({ connectionString: cells.urls.targetUrl });
    await blocker.connect();
    const moving = move('begun', () => blocker.query('begin; lock table practices in access exclusive mode'));
    try {
      const waits = `select from pg_locks where not granted and relation = 'practices'::regclass
        and database = (select oid from pg_database where datname = current_database())`;
      await until(
        async () => (await query(cells.urls.targetUrl, waits)).length > 0,
        () => 'the copy does not wait',
      );
      expect(await create()).to.equal(201);
      await payments.pay(link, 'card_success');
      await deliver(cells.source.deliverer(), endpointId);
      expect(receiver.received.map(({ type }) => type)).to.deep.equal(['payment_link.paid']);
    } finally {
      await blocker.query('rollback');
      await blocker.end();
    }
    const { tables } = await moving;
    expect(tables.find(({ table }) => table === 'payment_links')?.rows).to.equal(3);
    const list = await there().get(`${LINKS}?pageSize=10`);
    const statuses = list.body.data.map(({ status }: { status: string }) => status);
    expect(statuses).to.have.members(['active', 'active', 'paid']);
    expect(list.body.totalCount).to.equal(3);
    const deliveries = await query(
      cells.urls.targetUrl,
      'select status, attempt_count from webhook_deliveries where endpoint_id = $1',
      [endpointId],
    );
    expect(deliveries).to.deep.equal([{ status: 'delivered', attempt_count: 1 }]);
    await receiver.close();
    expect([await cells.check(cells.source), await cells.check(cells.target)]).to.deep.equal([[], []]);
  });

  it('a copy ends after its time when another transaction of the target keeps a lock, and both connections go on', async () => {
    // More rows than fit into the buffers between both cells.
    await query(
      cells.urls.sourceUrl,
      `insert into audit_log
       select 'audit_' || n, $1, 'operator', null, repeat('a', 1000), 'practice', $1, null, null, null, now()
       from generate_series(1, 20000) as n`,
      [practice.practiceId],
    );
    const { sourceUrl, targetUrl } = cells.urls;
    const [source, target, blocker] = [await connect(sourceUrl), await connect(targetUrl), await connect(targetUrl)];
    const practiceIds = [practice.practiceId];
    try {
      await blocker.query('begin; lock table audit_log in share mode');
      const refused = await inMove(target, async () => {
        await switchTriggersOff(target);
        const mode = 'isolation level repeatable read read only';
        return inMove(source, () => makeFirstCopy({ source, target, practiceIds }, 3_000), mode);
      }).catch((error: Error) => error);
      expect(refused).to.be.instanceOf(MoveRefused).with.property('message').that.includes('took longer than');
      for (const cell of [source, target])
        expect((await cell.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
    } finally {
      await blocker.end();
      await source.end();
      await target.end();
    }
    await expectUnmoved();
  });

  it('a copy that ends in time leaves no limit to the statements of the freeze', async () => {
    const { sourceUrl, targetUrl } = cells.urls;
    const [source, target] = [await connect(sourceUrl), await connect(targetUrl)];
    const practiceIds = [practice.practiceId];
    try {
      const left = await inMove(target, async () => {
        await switchTriggersOff(target);
        const mode = 'isolation level repeatable read read only';
        await inMove(source, () => makeFirstCopy({ source, target, practiceIds }), mode);
        const cellsLeft = [source, target].map((cell) => cell.query('show statement_timeout'));
        return (await Promise.all(cellsLeft)).map(({ rows }) => rows[0].statement_timeout);
      });
      expect(left).to.deep.equal(['0', '0']);
    } finally {
      await source.end();
      await target.end();
    }
  });

  it('a cancellation during the copy waits for its end, and finds the practice arrived', async () => {
    let cancelling: Promise<unknown[]> | undefined;
    await move('first copy made', async () => {
      const moves = await query(cells.urls.sourceUrl, 'select id from practice_moves where practice_id = $1', [
        practice.practiceId,
      ]);
      cancelling = query(
        cells.urls.targetUrl,
        `insert into practice_moves (id, practice_id, side, state)
         select m.id, $2, 'target', 'cancelled' from json_to_recordset($1) as m (id text) on conflict do nothing returning id`,
        [JSON.stringify(moves), practice.practiceId],
      );
    });
    expect(await cancelling).to.deep.equal([]);
    expect([await create(), (await there().get(LINKS)).status]).to.deep.equal([503, 200]);
  });

  it('a move whose connection to the source breaks during the copy leaves the practice as it was', async () => {
    const broken = move('first copy made', () =>
      query(
        cells.urls.sourceUrl,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'paylinks move' and datname = current_database()`,
      ),
    );
    expect(await broken.catch((error: Error) => error)).to.be.instanceOf(Error);
    await expectUnmoved();
  });

  it('a practice that is created in the slot during the copy keeps the slot from moving', async () => {
    const slots = await query<{ slot: number }>(cells.urls.sourceUrl, 'select slot from practices where id = $1', [
      practice.practiceId,
    ]);
    let other: TestPractice | undefined;
    const refused = await move('first copy made', async () => {
      other = await cells.source.practice({ slots: slots.map(({ slot }) => slot) });
    }).catch((error: Error) => error);
    expect(refused)
      .to.have.property('message')
      .that.equals(
        `${other?.practiceId} has the slot of a practice that moves, and the map gives a whole slot to one cell.`,
      );
    await query(cells.urls.sourceUrl, 'update practices set slot = slot + 500 where id = $1', [other?.practiceId]);
    await expectUnmoved();
  });

  it('a migration of the source during the copy ends the move', async () => {
    const refused = await move('first copy made', () =>
      query(cells.urls.sourceUrl, 'alter table payment_links add column added integer not null default 1'),
    ).catch((error: Error) => error);
    await query(cells.urls.sourceUrl, 'alter table payment_links drop column added');
    expect(refused).to.have.property('message', 'The schema of the source changed during the copy.');
    await expectUnmoved();
  });

  it('a person moves without passkeys, because they belong to the console of the source', async () => {
    const email = 'passkeys@elm.example';
    const operator = { kind: 'operator' } as const;
    const invited = { email, role: 'owner', locationIds: null } as const;
    await inviteUser(cells.source.scope(), operator, practice.practiceId, invited);
    await query(
      cells.urls.sourceUrl,
      `insert into passkeys (id, person_id, credential_id, public_key, counter, transports, name, created_at)
       select 'pkey_1', id, 'credential', '\\x01', 0, '{}', 'Laptop', now() from people where email = $1`,
      [email],
    );
    await move('begun', async () => undefined);
    const rows = await query<{ people: number; passkeys: number }>(
      cells.urls.targetUrl,
      `select count(*)::integer as people, count(k.id)::integer as passkeys
       from people p left join passkeys k on k.person_id = p.id where p.email = $1`,
      [email],
    );
    expect(rows).to.deep.equal([{ people: 1, passkeys: 0 }]);
  });
});
