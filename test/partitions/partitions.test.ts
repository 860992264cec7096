import { expect } from 'chai';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import { migrate } from '../../src/database/migrate.ts';
import { foldListChanges } from '../../src/database/query/kept-counts.ts';
import { purgeOldDeliveries } from '../../src/webhooks/events/retention.ts';
import { partitionDeliveries } from '../../src/webhooks/partitions/convert.ts';
import { startWorker } from '../../src/worker.ts';
import { query } from '../harness/database.ts';
import {
  deliveriesByPartition,
  expectSound,
  insertDeliveries,
  maintain,
  partition,
  unlimited,
} from '../harness/partitions.ts';
import { until } from '../harness/processes.ts';
import { Receiver } from '../harness/receiver.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import {
  createEndpoint,
  DELIVERIES,
  deliver,
  type Endpoint,
  getDelivery,
  listDeliveries,
  ping,
} from '../harness/webhooks.ts';

describe('partitions of deliveries', function () {
  this.timeout(120_000);

  let service: TestService;
  let practice: TestPractice;
  let receiver: Receiver;
  let endpoint: Endpoint;

  beforeEach(async () => {
    service = await TestService.start();
    service.clock.set('2030-06-12T09:00:00.000Z');
    practice = await service.practice();
    receiver = await new Receiver().start();
    endpoint = await createEndpoint(practice.test, receiver.url);
  });

  afterEach(async () => {
    await service.close();
    await receiver.close();
  });

  const rows = <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    query<Row>(service.config.databaseUrl, text, values);

  const insert = (...times: string[]) =>
    insertDeliveries(
      service,
      times.map((time) => ({
        ...{ practiceId: practice.practiceId, endpointId: endpoint.id, createdAt: new Date(time) },
        status: 'delivered' as const,
      })),
    );

  const names = async () =>
    (await rows<{ name: string }>('select name from delivery_partitions order by to_id')).map(({ name }) => name);

  /** Partitions the deliveries, and drops the first partition, so that the next one is the next to be replaced. */
  async function withoutFirst(): Promise<void> {
    await partition(service);
    service.clock.set('2030-07-21T00:00:00.000Z');
    await maintain(service);
  }

  /** Opens a transaction that keeps a lock of the deliveries, as a backup or a long report does. */
  async function lockOut(): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: service.config.databaseUrl });
    await client.connect();
    await client.query('begin; lock table webhook_deliveries in access share mode');
    return () => client.end();
  }

  it('partitioning keeps every delivery, and all that is known of it, in the first partition', async () => {
    for (let n = 0; n < 3; n += 1) await ping(practice.test, endpoint.id);
    await deliver(service.deliverer(), endpoint.id);
    await foldListChanges(service.scope());
    const before = await practice.test.get(DELIVERIES);
    const details = await Promise.all(before.body.data.map(({ id }: { id: string }) => getDelivery(practice.test, id)));
    expect(await partition(service)).to.equal(true);
    expect(await partition(service), 'a second time').to.equal(false);
    expect((await practice.test.get(DELIVERIES)).body).to.deep.equal(before.body);
    for (const detail of details) expect(await getDelivery(practice.test, detail.id)).to.deep.equal(detail);
    expect(Object.keys(await deliveriesByPartition(service))).to.deep.equal(['first']);
    await expectSound(service);
  });

  it('partitioned tables have all constraints, indexes, statistics and triggers of whole ones, and so does each partition', async () => {
    const definitions = (table: string) =>
      rows<{ kind: string; statement: string }>(
        `select kind, statement from definitions_of_table($1) where kind <> 'statistics' or statement !~ '_first' order by 1, 2`,
        [table],
      );
    const tables = ['webhook_deliveries', 'webhook_attempts'];
    const before = await Promise.all(tables.map(definitions));
    await partition(service);
    const after = await Promise.all(tables.map(definitions));
    const written = (all: { kind: string; statement: string }[]) =>
      all
        .map(({ kind, statement }) => `${kind}: ${statement.replace(/ ON ONLY /, ' ON ').replace(/ public\./g, ' ')}`)
        .filter((statement) => !statement.includes('REFERENCES webhook_deliveries('));
    expect(after.map(written)).to.deep.equal(before.map(written));
    for (const table of tables) {
      const kinds = async (name: string) => {
        const all = await rows<{ kind: string; count: number }>(
          `select kind, count(*)::integer as count from definitions_of_table($1) where kind <> 'statistics' group by 1 order by 1`,
          [name],
        );
        return all.map(({ kind, count }) => `${count} ${kind}`);
      };
      const whole = await kinds(`${table}_first`);
      for (const name of [...(await names()), 'default'])
        expect(await kinds(`${table}_${name}`), name).to.deep.equal(whole);
    }
  });

  it('a delivery is in the partition of its millisecond; before all weeks in the first, after them in the default one', async () => {
    await partition(service);
    const ids = await insert(
      '2001-01-01T00:00:00.000Z',
      '2030-06-16T23:59:59.999Z',
      '2030-06-17T00:00:00.000Z',
      '2030-06-23T23:59:59.999Z',
      '2030-06-24T00:00:00.000Z',
      '2031-01-01T00:00:00.000Z',
    );
    expect(await deliveriesByPartition(service)).to.deep.equal({
      first: ids.slice(0, 2),
      w20300617: ids.slice(2, 4),
      w20300624: ids.slice(4, 5),
      default: ids.slice(5),
    });
    expect(await names()).to.deep.equal(['first', 'w20300617', 'w20300624', 'w20300701', 'w20300708']);
  });

  it('deliveries that came before their partition move into it with their attempts, and lists show them all the time', async () => {
    await partition(service);
    const [late = '', later = ''] = await insert('2030-07-16T12:00:00.000Z', '2030-09-01T12:00:00.000Z');
    expect(await deliveriesByPartition(service)).to.deep.equal({ default: [late, later] });
    await foldListChanges(service.scope());
    service.clock.set('2030-06-18T00:00:00.000Z');
    await maintain(service);
    expect(await deliveriesByPartition(service)).to.deep.equal({ w20300715: [late], default: [later] });
    expect((await getDelivery(practice.test, late)).attempts).to.have.length(1);
    expect((await practice.test.get(DELIVERIES)).body.totalCount).to.equal(2);
    await expectSound(service);
  });

  it('events are sent, recorded and listed across partitions, while weeks pass', async () => {
    await partition(service);
    const deliverer = service.deliverer();
    for (let week = 0; week < 5; week += 1) {
      await ping(practice.test, endpoint.id);
      await deliver(deliverer, endpoint.id);
      service.clock.advance({ days: 7 });
      await maintain(service);
    }
    const found = await listDeliveries(practice.test);
    expect(found.map(({ status }) => status)).to.deep.equal(Array(5).fill('delivered'));
    expect(receiver.received).to.have.length(5);
    const placed = await deliveriesByPartition(service);
    expect(Object.values(placed).map((ids) => ids.length)).to.deep.equal([1, 1, 1, 1, 1]);
    expect(placed).not.to.have.property('default');
  });

  it('a worker adds partitions and replaces them, while it delivers', async () => {
    await unlimited(service, (scope) => partitionDeliveries(scope));
    await insert('2030-06-01T00:00:00.000Z');
    service.clock.set('2030-07-20T00:00:00.000Z');
    const { id } = await ping(practice.test, endpoint.id);
    const worker = await startWorker(service.config, createLogger('silent'), { clock: service.clock });
    try {
      await until(
        async () => (await names())[0] === 'w20300617',
        () => 'the first partition is still there',
        60_000,
      );
      await until(
        async () => (await getDelivery(practice.test, id)).status === 'delivered',
        () => 'the event is not delivered',
        60_000,
      );
    } finally {
      await worker.stop();
    }
    expect((await names()).at(-1), 'the week in four weeks').to.equal('w20300812');
    expect(await names()).to.have.length(9);
    expect(await deliveriesByPartition(service)).to.deep.equal({ w20300715: [id] });
    await expectSound(service);
  });

  it('an empty partition is dropped after 33 days, and one with survivors when the last one is gone', async () => {
    await partition(service);
    const [id = ''] = await insertDeliveries(service, [
      {
        ...{ practiceId: practice.practiceId, endpointId: endpoint.id, status: 'exhausted' },
        createdAt: new Date('2030-06-18T00:00:00.000Z'),
      },
    ]);
    service.clock.set('2030-07-26T23:59:59.999Z');
    await maintain(service);
    expect((await names()).slice(0, 2), 'before the 33 days of the second are over').to.deep.equal([
      'w20300617',
      'w20300624',
    ]);
    service.clock.advance({ ms: 1 });
    await maintain(service);
    expect((await names()).slice(0, 2)).to.deep.equal(['w20300617_kept', 'w20300624']);
    expect(await deliveriesByPartition(service)).to.deep.equal({ w20300617_kept: [id] });
    await rows('delete from webhook_deliveries');
    await maintain(service);
    expect((await names())[0]).to.equal('w20300624');
    await expectSound(service);
  });

  it('a week is dropped 90 days after its end, and later only for a redelivery that a client asked for', async () => {
    await withoutFirst();
    const lastOfWeek = new Date('2030-07-28T23:59:59.999Z');
    const exhausted = { practiceId: practice.practiceId, endpointId: endpoint.id, status: 'exhausted' as const };
    await insertDeliveries(service, [{ ...exhausted, createdAt: lastOfWeek }]);
    const [redelivered = ''] = await insertDeliveries(service, [
      { ...exhausted, createdAt: new Date('2030-07-29T00:00:00.000Z') },
    ]);
    const work = async (at: string) => {
      service.clock.set(at);
      await maintain(service);
      await purgeOldDeliveries(service.scope());
      await maintain(service);
      return names();
    };
    expect(await work('2030-10-26T23:59:59.999Z')).to.include.members(['w20300722_kept', 'w20300729_kept']);
    expect(await work('2030-10-27T00:00:00.000Z'))
      .to.include('w20300729_kept')
      .and.not.include('w20300722_kept');
    await practice.test.post(`${DELIVERIES}/${redelivered}/redeliver`);
    await deliver(service.deliverer(), endpoint.id);
    expect((await getDelivery(practice.test, redelivered)).status).to.equal('delivered');
    expect(await work('2030-11-25T00:00:00.000Z'), 'within 30 days of the delivery').to.include('w20300729_kept');
    expect(await work('2030-12-07T00:00:00.000Z'), 'after 41 days').to.not.include('w20300729_kept');
    await expectSound(service);
  });

  it('nothing is lost when a delivery changes while its partition is replaced', async () => {
    await withoutFirst();
    const times = Array.from({ length: 5 }, (_, n) => `2030-06-18T00:00:0${n}.000Z`);
    const [again = '', deleted = '', alone = ''] = await insert(...times);
    const [failed = ''] = await insertDeliveries(service, [
      {
        ...{ practiceId: practice.practiceId, endpointId: endpoint.id, status: 'exhausted', attempts: 8 },
        createdAt: new Date('2030-06-19T00:00:00.000Z'),
      },
    ]);
    await foldListChanges(service.scope());
    service.clock.set('2030-07-28T00:00:00.000Z');
    const unlock = await lockOut();
    const maintained = maintain(service);
    const isCopied = async () =>
      (
        await rows(
          `select from pg_stat_activity where datname = current_database()
             and query like '%replace_delivery_partition%' and wait_event = 'PgSleep'`,
        )
      ).length > 0;
    while (!(await isCopied())) await ping(practice.live, endpoint.id).catch(() => null);
    for (const id of [again, failed]) {
      expect((await practice.test.post(`${DELIVERIES}/${id}/redeliver`)).status).to.equal(202);
    }
    await rows('delete from webhook_deliveries where id = $1', [deleted]);
    const [late = ''] = await insertDeliveries(service, [
      {
        ...{ practiceId: practice.practiceId, endpointId: endpoint.id, status: 'skipped', attempts: 0 },
        createdAt: new Date('2030-06-20T00:00:00.000Z'),
      },
    ]);
    await deliver(service.deliverer(), endpoint.id);
    await unlock();
    await maintained;
    // On a slow machine the first run has stopped trying by now.
    await maintain(service);
    const found = await listDeliveries(practice.test);
    expect(found.map(({ id }) => id)).to.deep.equal([again, failed, late]);
    expect(found.map(({ status }) => status)).to.deep.equal(['delivered', 'delivered', 'skipped']);
    expect((await getDelivery(practice.test, failed)).attempts).to.have.length(9);
    expect((await practice.test.get(`${DELIVERIES}/${alone}`)).status, 'its retention was over').to.equal(404);
    expect((await names())[0]).to.equal('w20300617_kept');
    await expectSound(service);
  });

  it('while a lock prevents the replacement, requests are answered, and nothing has changed afterwards', async () => {
    await partition(service);
    const ids = await insert('2030-06-18T00:00:00.000Z', '2030-06-19T00:00:00.000Z');
    service.clock.set('2030-07-28T00:00:00.000Z');
    const before = await names();
    const unlock = await lockOut();
    let isOver = false;
    const maintained = maintain(service).finally(() => {
      isOver = true;
    });
    let answered = 0;
    while (!isOver) {
      const startMs = performance.now();
      await ping(practice.test, endpoint.id);
      expect(performance.now() - startMs, 'one try to lock, and much margin').to.be.below(4_000);
      answered += 1;
    }
    await maintained;
    await unlock();
    expect(answered).to.be.above(5);
    expect(
      (await names()).filter((name) => !name.startsWith('w20300')),
      'nothing was replaced',
    ).to.deep.equal(before.filter((name) => !name.startsWith('w20300')));
    expect((await deliveriesByPartition(service)).w20300617).to.deep.equal(ids);
    await maintain(service);
    expect(await deliveriesByPartition(service)).not.to.have.property('w20300617');
    await expectSound(service);
  });

  it('a replacement that dies with its connection has changed nothing, and the next run completes it', async () => {
    await withoutFirst();
    const ids = await insert('2030-06-18T00:00:00.000Z');
    await insert('2030-07-01T00:00:00.000Z');
    await foldListChanges(service.scope());
    service.clock.set('2030-07-28T00:00:00.000Z');
    const unlock = await lockOut();
    const maintained = maintain(service).then(
      () => 'completed',
      () => 'died',
    );
    const kill = async () =>
      (
        await rows(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
          and query like '%replace_delivery_partition%' and pid <> pg_backend_pid() and wait_event = 'PgSleep'`)
      ).length;
    while ((await kill()) === 0) await new Promise(setImmediate);
    expect(await maintained).to.equal('died');
    await unlock();
    expect((await deliveriesByPartition(service)).w20300617).to.deep.equal(ids);
    expect((await practice.test.get(DELIVERIES)).body.totalCount).to.equal(2);
    await expectSound(service);
    await maintain(service);
    expect(await deliveriesByPartition(service)).not.to.have.property('w20300617');
    expect((await practice.test.get(DELIVERIES)).body.totalCount).to.equal(1);
    await expectSound(service);
  });

  it('events that happen during the conversion are neither refused nor lost', async () => {
    const deliverer = service.deliverer();
    let isOver = false;
    const asked: string[] = [];
    const writer = async () => {
      while (!isOver) asked.push((await ping(practice.test, endpoint.id)).id);
    };
    const writers = [writer(), writer(), writer()];
    while (asked.length < 10) await new Promise(setImmediate);
    await partition(service);
    const during = asked.length;
    while (asked.length < during + 10) await new Promise(setImmediate);
    isOver = true;
    await Promise.all(writers);
    await deliver(deliverer, endpoint.id);
    const found = await rows<{ id: string; status: string }>('select id, status from webhook_deliveries order by id');
    expect(found.map(({ id }) => id)).to.deep.equal(asked.toSorted());
    expect(new Set(found.map(({ status }) => status))).to.deep.equal(new Set(['delivered']));
    await expectSound(service);
  });

  it('a conversion reads no table while it locks it', async () => {
    await insert('2030-06-11T00:00:00.000Z');
    const [{ id } = { id: '' }] = await rows<{ id: string }>(`select 'evt_' || repeat('z', 26) as id`);
    await rows('select bound_whole_deliveries($1)', [id]);
    for (const table of ['webhook_deliveries', 'webhook_attempts']) {
      await rows(`alter table ${table} validate constraint before_partitions`);
    }
    const client = new pg.Client({ connectionString: service.config.databaseUrl });
    const messages: string[] = [];
    client.on('notice', ({ message }) => messages.push(message ?? ''));
    await client.connect();
    await client.query('set client_min_messages = debug1');
    await client.query('select partition_deliveries($1)', [id]);
    await client.end();
    const implied = messages.filter((message) => message.includes('is implied by existing constraints'));
    expect(implied.map((message) => /"(\w+_first)"/.exec(message)?.[1])).to.deep.equal([
      'webhook_deliveries_first',
      'webhook_attempts_first',
    ]);
    const reading = messages.filter((message) => /^(verifying table|rewriting table|building index)/.test(message));
    expect(reading.filter((message) => message.includes('_first'))).to.deep.equal([]);
    expect(messages.filter((message) => message.startsWith('validating foreign key'))).to.deep.equal([
      'validating foreign key constraint "webhook_attempts_default_delivery_id_fkey"',
    ]);
  });

  it('a conversion is refused if an event is of the future, and leaves the tables as they were', async () => {
    const [id = ''] = await insert('2030-08-01T00:00:00.000Z');
    const refused = await partition(service).catch((error: Error) => error.message);
    expect(refused).to.equal(
      'There are events of a time after 2030-06-17T00:00:00.000Z. Correct the clocks, and wait.',
    );
    expect(await deliveriesByPartition(service)).to.deep.equal({ webhook_deliveries: [id] });
    await insert('2030-09-01T00:00:00.000Z');
  });

  it('what a conversion leaves behind that died is removed before it would stop deliveries', async () => {
    await rows(`select bound_whole_deliveries('evt_' || $1)`, [
      `${(await insert('2030-06-17T00:00:00.000Z'))[0]?.slice(4, 14)}${'0'.repeat(16)}`,
    ]);
    const isBound = async () => (await rows(`select from pg_constraint where conname = 'before_partitions'`)).length;
    service.clock.set('2030-06-16T11:59:59.999Z');
    await maintain(service);
    expect(await isBound(), 'a conversion may still be under way').to.equal(2);
    service.clock.advance({ ms: 1 });
    await maintain(service);
    expect(await isBound()).to.equal(0);
    await insert('2030-09-01T00:00:00.000Z');
  });

  it('migrating a partitioned database again replaces its triggers, and lists stay exact', async () => {
    await partition(service);
    await rows('delete from schema_functions');
    const applied = await migrate(service.config.databaseUrl, createLogger('silent'));
    expect(applied).to.include('triggers');
    await insert('2030-06-18T00:00:00.000Z', '2031-01-01T00:00:00.000Z');
    await rows(`update webhook_deliveries set status = 'exhausted', delivered_at = null where id like 'evt_%'`);
    expect((await practice.test.get(`${DELIVERIES}?status=exhausted`)).body.totalCount).to.equal(2);
  });

  it('a conversion can be tried again after its lock was not to be had', async () => {
    const unlock = await lockOut();
    const converted = unlimited(service, (scope) => partitionDeliveries(scope));
    const isWaiting = async () =>
      (await rows(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
        .length > 0;
    while (!(await isWaiting())) await new Promise(setImmediate);
    await ping(practice.test, endpoint.id);
    await unlock();
    expect(await converted).to.equal(true);
  });
});
