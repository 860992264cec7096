import { expect } from 'chai';
import { expireDueLinks } from '../../src/payment-links/upkeep/expire-links.ts';
import { useService } from '../harness/fixtures.ts';
import { createLink, type TestPractice } from '../harness/service.ts';

describe('expiry of many overdue links', () => {
  const service = useService();
  let practice: TestPractice;

  beforeEach(async () => {
    practice = await service.practice();
    await practice.test.post('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
  });

  const run = <Row extends object>(text: string, values: unknown[] = []) =>
    service.query<Row & Record<string, unknown>>(text, values);
  const sweep = () => expireDueLinks(() => service.scope());

  /** So many links that were due an hour ago, the first of them first; returns its id. */
  async function makeDue(count: number): Promise<string> {
    const { id } = await createLink(practice.test);
    await run(
      `insert into payment_links select r.* from payment_links l, generate_series(1, $2::integer - 1) as n,
         json_populate_record(l, json_build_object('id', l.id || '_' || n, 'token', l.token || n,
           'expires_at', l.expires_at + n * interval '1 millisecond')) as r
       where l.id = $1`,
      [id, count],
    );
    service.clock.advance({ days: 30, hours: 1 });
    return id;
  }

  async function statuses(): Promise<object> {
    const rows = await run<{ status: string; n: number }>(
      'select status, count(*)::integer as n from payment_links where practice_id = $1 group by 1',
      [practice.practiceId],
    );
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  }

  async function events(): Promise<number | undefined> {
    const count = `select count(*)::integer as n from webhook_deliveries
      where practice_id = $1 and type = 'payment_link.expired'`;
    return (await run<{ n: number }>(count, [practice.practiceId]))[0]?.n;
  }

  /** Returns a function that counts the statements of this database so far. */
  async function countedCalls(): Promise<() => Promise<number>> {
    await run('create extension if not exists pg_stat_statements');
    const ofHere = 'dbid = (select oid from pg_database where datname = current_database())';
    return async () =>
      Number((await run<{ n: string }>(`select sum(calls) as n from pg_stat_statements where ${ofHere}`))[0]?.n);
  }

  it('3,000 links are expired, each with its event, in three statements per five hundred', async () => {
    await makeDue(3000);
    const calls = await countedCalls();
    const before = await calls();
    expect(await sweep()).to.equal(3000);
    expect((await calls()) - before).to.be.below((3000 / 500) * 3 + 5);
    expect(await statuses()).to.deep.equal({ expired: 3000 });
    expect(await events()).to.equal(3000);
  });

  it('each event of a batch shows its own link as expired, at the endpoints that listen to its location', async () => {
    await makeDue(600);
    const elsewhere = await service.location(practice.practiceId, 'Uptown');
    const hook = { url: 'http://127.0.0.1:9/uptown', locationId: elsewhere };
    const { body: uptown } = await practice.test.post('/api/v1/webhook-endpoints', hook);
    await run(`update payment_links set location_id = $2 where practice_id = $1 and id like '%7'`, [
      practice.practiceId,
      elsewhere,
    ]);
    expect(await sweep()).to.equal(600);
    const wrong = await run(
      `select d.id from webhook_deliveries d join payment_links l on l.id = d.payment_link_id,
         lateral (select d.payload::json #> '{data,paymentLink}' as shown) as s
       where l.practice_id = $1 and (shown ->> 'id' <> l.id or shown ->> 'url' not like '%' || l.token
         or shown ->> 'status' <> 'expired' or shown #>> '{location,id}' <> l.location_id
         or d.payload::json #>> '{data,context,triggeredBy}' <> 'system')`,
      [practice.practiceId],
    );
    expect(wrong).to.deep.equal([]);
    const closed = `select count(*)::integer as n from payment_links
      where practice_id = $1 and closed_by = 'system' and closed_at = $2`;
    expect(await run(closed, [practice.practiceId, service.clock.now()])).to.deep.equal([{ n: 600 }]);
    const atUptown = `select count(*)::integer as n from webhook_deliveries d join payment_links l on l.id = d.payment_link_id
      where endpoint_id = $1 and l.location_id = $2`;
    const ofUptown = 'select count(*)::integer as n from payment_links where location_id = $1';
    expect(await run(atUptown, [uptown.id, elsewhere])).to.deep.equal(await run(ofUptown, [elsewhere]));
    expect(await events()).to.be.greaterThan(600);
  });

  it('a practice whose endpoint is locked does not delay the links of another practice, and costs few statements', async () => {
    const neighbour = practice;
    await makeDue(250);
    // The links of the locked practice are the last ones, where a search from the first one on would take longest.
    const locked = await service.practice();
    await locked.test.post('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
    practice = locked;
    await makeDue(5);
    practice = neighbour;
    const calls = await countedCalls();
    const lock = 'select from webhook_endpoints where practice_id = $1 for update';
    const release = await service.lock(lock, [locked.practiceId]);
    const before = await calls();
    expect(await sweep()).to.equal(250);
    expect((await calls()) - before).to.be.below(60);
    expect(await statuses()).to.deep.equal({ expired: 250 });
    await release();
    expect(await sweep()).to.equal(5);
  });

  it('a link that cannot be expired does not delay others, and is tried again at the next run', async () => {
    const id = await makeDue(250);
    await run(
      `create function refuse() returns trigger language plpgsql as $$
       begin
         if new.id = '${id}' then raise exception 'not this one'; end if;
         return new;
       end $$;
       create trigger refuse before update on payment_links for each row execute function refuse()`,
    );
    expect(await sweep()).to.equal(249);
    expect(await statuses()).to.deep.equal({ active: 1, expired: 249 });
    expect(await sweep()).to.equal(0);
    await run('drop trigger refuse on payment_links');
    expect(await sweep()).to.equal(1);
    expect(await events()).to.equal(250);
  });

  it('a locked link does not delay others, and is not expired if its expiry was extended', async () => {
    const id = await makeDue(2);
    const later = new Date(service.clock.now().getTime() + 60_000);
    const extend = 'update payment_links set expires_at = $2, version = version + 1 where id = $1';
    const commit = await service.lock(extend, [id, later]);
    expect(await sweep()).to.equal(1);
    await commit();
    expect(await sweep()).to.equal(0);
    expect(await statuses()).to.deep.equal({ active: 1, expired: 1 });
    service.clock.advance({ minutes: 2 });
    expect(await sweep()).to.equal(1);
  });
});
