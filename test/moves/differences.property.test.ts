import { expect } from 'chai';
import fc from 'fast-check';
import type { Client } from 'pg';
import { inviteUser } from '../../src/console/people/users.ts';
import { connect, inMove, switchTriggersOff } from '../../src/moves/connection.ts';
import type { Cells } from '../../src/moves/copy.ts';
import { MoveRefused } from '../../src/moves/preconditions.ts';
import { isInFirstCopy, readTenantTables, type TenantTable } from '../../src/moves/tables.ts';
import { type FirstCopy, makeFirstCopy, makeSecondCopy } from '../../src/moves/two-copies.ts';
import { query } from '../harness/database.ts';
import { maintain, partition } from '../harness/partitions.ts';
import { Payments } from '../harness/payments.ts';
import { Receiver } from '../harness/receiver.ts';
import { createLink, idempotent, type TestPractice } from '../harness/service.ts';
import { createEndpoint, deliver, ENDPOINTS, paidLink } from '../harness/webhooks.ts';
import { applyChange, type Change, KINDS } from './changes.ts';
import { TwoCells } from './two-cells.ts';

const READ_ONLY = 'isolation level repeatable read read only';

/** Tables of each kind: by practice, by key, by parent, with late references, unguarded, with people, in order, counts. */
const KINDS_OF_TABLES = [
  ...[
    'api_keys',
    'api_requests',
    'audit_log',
    'daily_link_counts',
    'idempotent_replies',
    'list_changes',
    'memberships',
  ],
  ...['payment_attempts', 'payment_links', 'practices', 'sandbox.payments', 'sealed_replies', 'test_event_readers'],
  ...['test_events', 'transactions', 'webhook_attempts', 'webhook_deliveries', 'webhook_endpoints'],
];

describe('changes between the two snapshots of a move', function () {
  this.timeout(300_000);
  let cells: TwoCells;
  let practice: TestPractice;
  let source: Client;
  let target: Client;
  let changing: Client;
  let tables: TenantTable[];
  /** Id of a person in the source, and in the target. */
  let person: { there: string; here: string };
  const receiver = new Receiver();

  before(() => receiver.start());

  // The changes obey no foreign keys, so that a database with them is good for one test only.
  beforeEach(async () => {
    cells = await TwoCells.start({ workers: false });
    [source, target, changing] = [
      await connect(cells.urls.sourceUrl),
      await connect(cells.urls.targetUrl),
      await connect(cells.urls.sourceUrl),
    ];
    tables = await readTenantTables(source);
    practice = await cells.source.practice();
    await fill();
  });

  afterEach(async () => {
    for (const client of [source, target, changing]) await client.end();
    await cells.close();
  });

  after(() => receiver.close());

  /** Gives the practice rows in tables of every kind. */
  async function fill(): Promise<void> {
    const { source: cell } = cells;
    const payments = new Payments(cell);
    const { id: endpointId } = await createEndpoint(practice.test, receiver.url);
    await practice.test.post(`${ENDPOINTS}/${endpointId}/rotate-secret`, {}, idempotent());
    await practice.test.get('/api/v1/test-helpers/events');
    for (const method of ['card_success', 'bank_settles', 'card_challenge']) {
      await payments.pay(await payments.link(practice), method);
      await paidLink(practice.test);
      await createLink(practice.live);
    }
    await deliver(cell.deliverer(), endpointId);
    // Its delivery waits.
    await paidLink(practice.test);
    const email = `${practice.practiceId.replace('_', '-')}@elm.example`;
    const invited = { email, role: 'owner', locationIds: null } as const;
    await inviteUser(cell.scope(), { kind: 'operator' }, practice.practiceId, invited);
    const elsewhere = await cells.target.practice();
    await inviteUser(cells.target.scope(), { kind: 'operator' }, elsewhere.practiceId, invited);
    const idOf = async (url: string) =>
      (await query<{ id: string }>(url, 'select id from people where email = $1', [email]))[0]?.id ?? '';
    person = { there: await idOf(cells.urls.sourceUrl), here: await idOf(cells.urls.targetUrl) };
    await changing.query(
      `insert into audit_log (id, practice_id, actor_kind, actor_id, action, target_kind, target_id, created_at)
       values ('audit_' || $1, $1, 'person', $2, 'member.invited', 'member', 'mem_1', now())`,
      [practice.practiceId, person.there],
    );
    await changing.query(
      `with logo as (insert into practice_logos values ($1, repeat('a', 64), '\\x01', 1, 1, now()) returning *)
       update practices set logo_hash = hash, logo_width = width, logo_height = height from logo where id = practice_id`,
      [practice.practiceId],
    );
    await changing.query(
      `insert into api_requests values ('areq_' || $1, $1, false, 'key_1', 'req_1', 'createPaymentLink', 503, null, 1, now())`,
      [practice.practiceId],
    );
  }

  /**
   * Makes both copies of the practice, and compares all rows.
   *
   * @param open changes of a transaction that is open at the first snapshot
   * @param later changes of a transaction that begins after it
   * @param between what else happens between the snapshots
   * @returns names of tables with the changes that constraints allowed
   */
  async function copied(
    open: readonly Change[],
    later: readonly Change[],
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<string[]> {
    const both: Cells = { source, target, practiceIds: [practice.practiceId] };
    const applied: string[] = [];
    const change = async (changes: readonly Change[]) => {
      await changing.query(`set local session_replication_role = 'replica'`);
      for (const one of changes) {
        if (await applyChange(changing, tables, practice.practiceId, one)) {
          applied.push(`${one.kind} ${tables[one.table % tables.length]?.name}`);
        }
      }
    };
    await target.query('begin');
    try {
      expect(await switchTriggersOff(target)).to.equal(true);
      await changing.query('begin');
      await change(open);
      const first: FirstCopy = await inMove(source, () => makeFirstCopy(both), READ_ONLY);
      await changing.query('commit; begin');
      await change(later);
      await changing.query('commit');
      await between();
      // The log of requests grows at any time, so that all is compared in the second snapshot.
      await inMove(
        source,
        async () => {
          await makeSecondCopy(both, 'pmove_1', first);
          await expectEqual(both);
        },
        READ_ONLY,
      );
    } finally {
      await target.query('rollback');
      await changing.query('rollback');
    }
    return applied;
  }

  /** Compares all rows of the practice, with the ids that people have in the target. */
  async function expectEqual({ practiceIds }: Cells): Promise<void> {
    for (const { name, columns, values, rows } of tables) {
      const text = (selected: readonly string[]) =>
        `select r::text as row from (select ${selected.join(', ')} from ${name} where ${rows}) as r order by 1`;
      const [there, here] = [
        await source.query<{ row: string }>(text(values), [practiceIds]),
        await target.query<{ row: string }>(text(columns), [practiceIds]),
      ];
      const expected = there.rows
        .map(({ row }) => row.replace(new RegExp(`\\b${person.there}\\b`, 'g'), person.here))
        .toSorted();
      expect(here.rows.map(({ row }) => row).toSorted(), name).to.deep.equal(expected);
    }
  }

  /** Changes of all kinds in all tables. Rows that others are found by go last. */
  const everyChange = (names: readonly string[] = tables.map(({ name }) => name)) =>
    tables
      .map(({ name }, table) => ({ name, table }))
      .filter(({ name }) => names.includes(name))
      .toReversed()
      .flatMap(({ table }) => KINDS.map((kind, row): Change => ({ kind, table, row })));

  it('a changed row of each kind of table arrives, whether it is new, changed or gone', async () => {
    const applied = new Set(await copied([], everyChange()));
    const missing = KINDS_OF_TABLES.filter((name) => !applied.has(`update ${name}`));
    expect(missing).to.deep.equal([]);
    for (const kind of KINDS) {
      for (const name of ['payment_links', 'webhook_attempts', 'idempotent_replies', 'api_requests', 'audit_log']) {
        expect(applied).to.include(`${kind} ${name}`);
      }
    }
  });

  it('a row arrives whose subtransaction was open at the first snapshot', async () => {
    expect(await copied(everyChange(), [])).to.include('update payment_links');
  });

  it('rows of partitions arrive, also if their partition is replaced between the snapshots', async () => {
    const { clock } = cells.source;
    await partition(cells.source);
    await copied([], everyChange(['webhook_deliveries', 'webhook_attempts']), async () => {
      clock.advance({ days: 45 });
      await maintain(cells.source);
    });
    const names = await query<{ name: string }>(
      cells.urls.sourceUrl,
      'select name from delivery_partitions order by to_id',
    );
    expect(names.map(({ name }) => name)).to.include('first_kept');
  });

  it('any changes between the snapshots arrive', async () => {
    const change = fc.record({
      kind: fc.constantFrom(...KINDS),
      table: fc.nat({ max: tables.length - 1 }),
      row: fc.nat({ max: 9 }),
    });
    const changes = fc.array(change, { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(changes, changes, async (open, later) => {
        await copied(open, later);
      }),
      { numRuns: 25 },
    );
  });

  it('a first copy that takes too long is refused, because its snapshot keeps vacuum from its work', async () => {
    await target.query('begin');
    const both: Cells = { source, target, practiceIds: [practice.practiceId] };
    const refused = await inMove(source, () => makeFirstCopy(both, 0), READ_ONLY).catch((error: Error) => error);
    await target.query('rollback');
    expect(refused).to.be.instanceOf(MoveRefused);
  });

  it('only tables that stay small are copied as a whole during the freeze', () => {
    expect(tables.filter((table) => !isInFirstCopy(table)).map(({ name }) => name)).to.have.members([
      ...['sandbox.refunds', 'test_events', 'frequent_references', 'list_changes', 'list_chunks', 'list_counts'],
    ]);
  });
});
