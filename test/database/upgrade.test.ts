import { expect } from 'chai';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { UnusableDatabase } from '../../src/platform/database/connection/unusable-database.ts';
import { migrate, readUsableSchema } from '../../src/platform/database/migrate.ts';
import { hashText, LAST_OF_2_0_0, MIGRATIONS } from '../../src/platform/database/schema-files.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { SettableClock } from '../harness/clock.ts';
import { createDatabase, createEmptyDatabase, query } from '../harness/database.ts';
import { Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { isSignedWith, Receiver } from '../harness/receiver.ts';
import { idempotent, linkBody, TestService } from '../harness/service.ts';
import { deliver, ENDPOINTS } from '../harness/webhooks.ts';
import { KEPT_RELEASES, keptRequest, readDump, readRecord, SETTLED_KEY } from './release/record.ts';

const log = createLogger('silent');

/** Functions that releases since 2.0.0 have dropped, one release after their last call. */
const DROPPED: readonly string[] = [];

interface Signature {
  name: string;
  signature: string;
}

const signaturesOf = (url: string) =>
  query<Signature & Record<string, string>>(
    url,
    `select proname as name, pg_get_function_arguments(oid) || ' returns ' || pg_get_function_result(oid) as signature
     from pg_proc where pronamespace = 'public'::regnamespace order by 1, 2`,
  );

/** The rows of links, payments and deliveries. Columns that migrations add or drop are left out. */
const ROWS = `
  select 'link' as kind, id, status, token as fact from payment_links
  union all select 'attempt', id, status, created_at::text from payment_attempts
  union all select 'transaction', id, status, amount_cents::text from transactions
  union all select 'refund', id, status, amount_cents::text from refunds
  union all select 'dispute', id, status, amount_cents::text from disputes
  union all select 'reversal', id, transaction_id, created_at::text from bank_reversals
  union all select 'mail', payment_link_id, kind, queued_at::text from payment_admin_mails
  union all select 'delivery', id, status, payload from webhook_deliveries
  union all select 'delivery attempt', delivery_id, number::text, started_at::text from webhook_attempts order by 1, 2, 3`;

/** All that makes a schema: one row for each column, constraint, index, statistics, trigger, function and setting of a table, as text. */
const definitionsOf = async (url: string) =>
  (
    await query<{ definition: string }>(
      url,
      `with ours as (
         select c.* from pg_class c join pg_namespace n on n.oid = relnamespace
         where nspname not in ('information_schema', 'graphile_worker') and nspname !~ '^pg_' and relkind in ('r', 'p', 'v')
       )
       select format('%s %s %s %s', o.oid::regclass, relkind, array(select unnest(reloptions) order by 1), case relkind when 'v' then pg_get_viewdef(o.oid) end)
           as definition
         from ours o
       union all select format('%s.%s %s %s %s', o.oid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
           pg_get_expr(adbin, adrelid))
         from ours o join pg_attribute on attrelid = o.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
         where attnum > 0 and not attisdropped
       union all select format('%s %s %s %s', o.oid::regclass, conname, convalidated, pg_get_constraintdef(t.oid))
         from ours o join pg_constraint t on conrelid = o.oid where contype <> 'n'
       union all select pg_get_indexdef(indexrelid) from ours o join pg_index on indrelid = o.oid
       union all select pg_get_statisticsobjdef(e.oid) from ours o join pg_statistic_ext e on stxrelid = o.oid
       union all select pg_get_triggerdef(t.oid) from ours o join pg_trigger t on tgrelid = o.oid where not tgisinternal
       union all select pg_get_functiondef(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace
       union all select format('type %s.%s %s', typname, attname, format_type(atttypid, atttypmod))
         from pg_type join pg_attribute on attrelid = typrelid
         where typnamespace = 'public'::regnamespace and typtype = 'c' and attnum > 0`,
    )
  )
    .map(({ definition }) => definition)
    .toSorted();

for (const release of KEPT_RELEASES) {
  describe(`a database that release ${release} left, once migrated,`, () => {
    const record = readRecord(release);
    let url: string;
    let service: TestService;
    let payments: Payments;
    let signaturesBefore: Signature[];
    let rowsBefore: unknown[];

    const client = (name: string) => service.client(record.keys[name] ?? null);

    /** Asks for bytes that the older release stored. They lack what the contract promises since then. */
    async function stored(key: string, path: string, init: RequestInit = {}) {
      const headers = { authorization: `Bearer ${record.keys[key]}`, 'content-type': 'application/json' };
      const reply = await fetch(`${service.baseUrl}${path}`, { ...init, headers: { ...headers, ...init.headers } });
      return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
    }

    before(async () => {
      url = await createEmptyDatabase();
      await query(url, readDump(release));
      signaturesBefore = await signaturesOf(url);
      rowsBefore = await query(url, ROWS);
      await migrate(url, log);
      service = await TestService.start({ databaseUrl: url, clock: new SettableClock(record.now) });
      payments = new Payments(service);
    });

    after(() => service?.close());

    it('an upgraded database lacks no migration, and those that it has had never change', async () => {
      expect(await readUsableSchema(service.orm.em.fork())).to.deep.include({
        pendingMigrations: [],
        changedFiles: [],
      });
      for (const { name, text } of MIGRATIONS)
        expect(record.migrations[name] ?? hashText(text), name).to.equal(hashText(text));
    });

    it('an upgraded database has the functions that processes of the older release call, as they were', async () => {
      const kept = signaturesBefore.filter(({ name }) => !DROPPED.includes(name));
      expect(await signaturesOf(url)).to.include.deep.members(kept);
      expect(kept).to.have.length.above(5);
    });

    it('an upgraded database has the tables, constraints, indexes, triggers, functions and comments of a new one', async () => {
      const [expected, upgraded] = [await definitionsOf(await createDatabase()), await definitionsOf(url)];
      expect(
        expected.filter((definition) => !upgraded.includes(definition)),
        'only schema.sql has it',
      ).to.deep.equal([]);
      expect(
        upgraded.filter((definition) => !expected.includes(definition)),
        'only the upgrade has it',
      ).to.deep.equal([]);
      expect(expected).to.have.length.above(500);
    });

    it('an upgraded database has every row of links, payments and deliveries', async () => {
      expect(await query(url, ROWS)).to.deep.equal(rowsBefore);
    });

    it('an upgraded database answers every read of links, locations, endpoints and deliveries as before, with each kind of key', async () => {
      for (const { key, path, body } of record.exchanges) {
        const reply = await stored(key, path);
        expect(reply.status, path).to.equal(200);
        expectIncluded(JSON.parse(reply.text), body, `${path} with the ${key} key`);
      }
    });

    it('an upgraded database replays a stored create reply byte by byte, and a stored reply with a secret', async () => {
      const body = JSON.stringify(linkBody(keptRequest(record.locationId)));
      const created = await stored('live', '/api/v1/payment-links', {
        method: 'POST',
        body,
        ...idempotent(SETTLED_KEY),
      });
      expect([created.text, created.headers['idempotency-replayed']]).to.deep.equal([record.keptReply, 'true']);
      const path = `${ENDPOINTS}/${record.endpointId}/rotate-secret`;
      const rotated = await client('live').post(path, {}, idempotent(SETTLED_KEY));
      expect([rotated.text, rotated.headers['idempotency-replayed']]).to.deep.equal([record.sealedReply, 'true']);
    });

    it('an upgraded database knows the payment of each refund', async () => {
      const wrong = await query(
        url,
        `select r.id from refunds r join payment_links l on l.id = r.payment_link_id join transactions t on t.id = r.transaction_id
         where (r.test, r.paid_at, r.location_id, r.payment_method_type)
           is distinct from (l.test, l.paid_at, l.location_id, t.payment_method_type)`,
      );
      expect(wrong).to.deep.equal([]);
    });

    it('an upgraded database shows the hosted page of an active link', async () => {
      const page = await fetch(`${service.baseUrl}/pay/${record.payable.token}`);
      expect([page.status, (await page.text()).includes('Crown, upper left')]).to.deep.equal([200, true]);
    });

    it('an upgraded database lets an active link be paid, another be cancelled and a pending debit settle', async () => {
      await payments.pay(record.payable, 'card_success');
      const cancelled = await client('pinned').post(`/api/v1/payment-links/${record.cancellableId}/cancel`);
      expect(cancelled.status).to.equal(200);
      service.clock.advance({ seconds: SETTLE_SECONDS });
      await payments.sweep();
      const statuses = await Promise.all(
        [record.payable.id, record.processingId].map(async (id) => {
          const { body } = await client('live').get(`/api/v1/payment-links/${id}`);
          return [body.status, body.transaction.status];
        }),
      );
      expect(statuses).to.deep.equal([
        ['paid', 'succeeded'],
        ['paid', 'succeeded'],
      ]);
    });

    it('an upgraded database delivers what was due before and what happens now, signed with the stored secret', async () => {
      const receiver = await new Receiver().start();
      afterThisTest(() => receiver.close());
      const moved = await client('live').patch(`${ENDPOINTS}/${record.endpointId}`, { url: receiver.url });
      expect(moved.status).to.equal(200);
      await deliver(service.deliverer(), record.endpointId);
      const { secret } = JSON.parse(record.sealedReply);
      expect(receiver.received.map(({ event }) => event.type)).to.include.members(['ping', 'payment_link.paid']);
      expect(receiver.received.filter((request) => !isSignedWith(secret, request))).to.deep.equal([]);
      const waiting = await query(
        url,
        `select from webhook_deliveries where endpoint_id = $1 and status in ('pending', 'retrying')`,
        [record.endpointId],
      );
      expect(waiting).to.deep.equal([]);
    });
  });
}

describe('a database of a release before 2.0.0', () => {
  it('migrate refuses a database of 1.x, says to migrate with 2.0.0 first, and leaves it as it was', async () => {
    const url = await createEmptyDatabase();
    await query(url, readDump('2.0.0'));
    await query(url, `delete from schema_migrations where name = $1`, [LAST_OF_2_0_0]);
    await query(url, `update schema_functions set release = '{1,9,0}'`);
    const before = await definitionsOf(url);
    const error = await migrate(url, log).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(UnusableDatabase);
    expect(String(error)).to.include('release 1.9.0');
    expect(error).to.have.property('hint').that.includes('migrate with 2.0.0 first');
    expect(await definitionsOf(url)).to.deep.equal(before);
  });
});

describe('a database with migrations of this release', () => {
  it('processes of 2.0.0 go on: they refuse a schema whose record begins with a number above theirs', async () => {
    const [row] = await query<{ oldest: number }>(
      await createDatabase(),
      'select max(release[1]) as oldest from schema_functions',
    );
    expect(row?.oldest).to.equal(2);
  });
});

/** Expects every field of the older reply with its value. Newer releases may add fields, so `deep.equal` would not do. */
function expectIncluded(actual: unknown, expected: unknown, place: string): void {
  if (typeof expected !== 'object' || expected === null) {
    expect(actual, place).to.equal(expected);
    return;
  }
  expect(actual, place).to.be.an(Array.isArray(expected) ? 'array' : 'object');
  if (Array.isArray(expected)) expect(actual, place).to.have.length(expected.length);
  for (const [key, value] of Object.entries(expected)) {
    expectIncluded(Reflect.get(Object(actual), key), value, `${place}.${key}`);
  }
}
