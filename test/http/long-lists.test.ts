import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { listLinks } from '../../src/payment-links/api/get-and-list.ts';
import { sql } from '../../src/platform/database/query/sql.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { listVisibleDeliveries } from '../../src/webhooks/events/deliveries.ts';
import type { Client } from '../harness/client.ts';
import { useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createEndpoint } from '../harness/webhooks.ts';

const LINKS = '/api/v1/payment-links';
const DELIVERIES = '/api/v1/webhook-deliveries';

const ROWS = 6_000;

/** The reference of most links. */
const FREQUENT = 'plan = 2030';

describe('lists of many rows', () => {
  const service = useService();
  let database: pg.Client;
  let practiceId: string;
  let locations: string[];
  let endpoints: string[];
  /** The practice's test key, and one that is pinned to the second location. */
  let client: Client;
  let pinned: Client;
  /** A time within the rows by the share of them that are older. */
  const at = (share: number) =>
    new Date(Date.parse('2030-01-01T00:00:00.000Z') + Math.round(share * ROWS) * 1_000).toISOString();

  before(async () => {
    database = new pg.Client({ connectionString: service.config.databaseUrl });
    await database.connect();
    await database.query(`set timezone = 'UTC'`);
    const practice = await service.practice();
    practiceId = practice.practiceId;
    locations = [practice.locationId, await service.location(practiceId, 'Eastside')];
    client = practice.test;
    pinned = await service.key({ practiceId, test: true, locationId: locations[1] ?? null });
    const made = [];
    for (let count = 0; count < 3; count++) made.push(await createEndpoint(practice.test, 'http://127.0.0.1:9/'));
    endpoints = [...made.map(({ id }) => id), (await createEndpoint(pinned, 'http://127.0.0.1:9/')).id];
    await seedLinks();
    await seedDeliveries();
    await database.query('vacuum analyze');
  });

  after(() => database.end());

  /** Thousands at one moment among them; a few are overdue. Rows are wide, as in practices, so reading the table never pays. */
  async function seedLinks() {
    await database.query(
      `insert into payment_links (id, practice_id, location_id, test, token, status, source, amount_cents, currency,
         description, external_reference, patient_first_name, patient_last_name, expires_at, paid_at, closed_at, created_at)
       select 'plink_' || lpad(n::text, 30, '0'), $1, ($2::text[])[1 + (n % 5 = 0)::integer], true, 'token-' || n, status,
         'api', 100, 'usd', repeat('Cleaning, two fillings. ', 20), case when n % 9 > 0 then $3 when n % 2 = 0 then 'visit-' || n end, 'Ada', 'Byron',
         case when n % 50 = 3 then timestamptz '2030-01-02' else timestamptz '2031-01-01' end,
         case when status = 'paid' then created_at + n % 7 * interval '1 minute' end,
         case when status <> 'active' then created_at end, created_at
       from generate_series(0, $4 - 1) as n,
         lateral (select (array['paid', 'paid', 'active', 'expired', 'cancelled'])[1 + n % 11 % 5] as status,
           timestamptz '2030-01-01' + case when n between 2000 and 3500 then 2000 else n end * interval '1 second'
             as created_at) as t`,
      [practiceId, locations, FREQUENT, ROWS],
    );
  }

  async function seedDeliveries() {
    await database.query(
      `insert into webhook_deliveries (id, practice_id, endpoint_id, type, test, status, payload, delivery_run, due_at,
         delivered_at, created_at)
       select 'evt_' || lpad(n::text, 30, '0'), $1, ($2::text[])[1 + n % 13 % 4],
         case when n % 17 = 0 then 'ping' when n % 3 = 0 then 'payment_link.expired' else 'payment_link.paid' end, true,
         status, '{}', 'automatic', case when status = 'pending' then created_at end,
         case when status = 'delivered' then created_at end, created_at
       from generate_series(0, $3 - 1) as n,
         lateral (select case when n % 10 = 0 then 'pending' when n % 97 = 0 then 'exhausted' else 'delivered' end as status,
           timestamptz '2030-01-01' + case when n between 2000 and 3500 then 2000 else n end * interval '1 second'
             as created_at) as t`,
      [practiceId, endpoints, ROWS],
    );
  }

  /** Values of a filter, with the condition that a plain query has for one of them. */
  type Filters = Record<string, [values: readonly string[], condition: (value: string) => string]>;

  const shares = [0, 0.1, 1 / 3, 0.33, 0.5, 0.6, 0.9, 0.999, 1].map((share) => at(share));

  /**
   * Compares pages of a list under any few filters with a plain query. `ofPin` is the condition of the pinned key. The filters of
   * `certain` are tried in each run.
   */
  async function expectPages(
    path: string,
    table: string,
    ofPin: string,
    filters: Filters,
    { numRuns, certain = [] }: { numRuns: number; certain?: readonly Record<string, string>[] },
  ) {
    const values = fc.record(
      Object.fromEntries(Object.entries(filters).map(([name, [all]]) => [name, fc.constantFrom(...all)])),
    );
    const chosen = fc.subarray(Object.keys(filters), { maxLength: 3 });
    const pages = fc.record({ page: fc.integer({ min: 1, max: 130 }), pageSize: fc.constantFrom(1, 7, 50, 100) });
    const property = fc.asyncProperty(
      fc.boolean(),
      values,
      chosen,
      pages,
      async (isPinned, all, names, { page, pageSize }) => {
        const search = new URLSearchParams({ page: `${page}`, pageSize: `${pageSize}` });
        const conditions = isPinned ? [ofPin] : [];
        for (const name of names) {
          search.set(name, all[name] ?? '');
          conditions.push(filters[name]?.[1](all[name] ?? '') ?? expect.fail());
        }
        const { rows } = await database.query<{ id: string }>(
          `select id from ${table} where practice_id = $1 and test and ${['true', ...conditions].join(' and ')}
         order by created_at desc, id desc`,
          [practiceId],
        );
        const reply = await (isPinned ? pinned : client).get(`${path}?${search}`);
        expect(outcome(reply), `${search}`).to.equal('200');
        const shown = reply.body.data.map(({ id }: { id: string }) => id);
        const wanted = rows.map(({ id }) => id).slice((page - 1) * pageSize, page * pageSize);
        expect(shown, `${search}`).to.deep.equal(wanted);
        const total = [reply.body.totalCount, reply.body.hasMore];
        expect(total, `${search}`).to.deep.equal([rows.length, page * pageSize < rows.length]);
      },
    );
    const first = { page: 1, pageSize: 50 };
    type Example = [isPinned: boolean, all: Record<string, string>, names: string[], first: typeof first];
    const examples = certain.map((all): Example => [false, all, Object.keys(all), first]);
    await fc.assert(property, { numRuns, examples });
  }

  const equal = (column: string) => (value: string) => `${column} = '${value}'`;

  it('links: any page under any few filters shows what is there, with the exact total', async () => {
    const overdue = `(status = 'active' and open_attempt_id is null and expires_at <= '${service.clock.now().toISOString()}')`;
    const ofStatus: Record<string, string> = {
      ...{ active: `status = 'active' and not ${overdue}`, expired: `(status = 'expired' or ${overdue})` },
      ...{ paid: `status = 'paid'`, cancelled: `status = 'cancelled'` },
    };
    const filters: Filters = {
      status: [Object.keys(ofStatus), (status) => ofStatus[status] ?? expect.fail()],
      externalReference: [[FREQUENT, FREQUENT, 'visit-18', 'visit-1'], equal('external_reference')],
      locationId: [locations, equal('location_id')],
      createdAfter: [shares, (time) => `created_at >= '${time}'`],
      createdBefore: [shares, (time) => `created_at < '${time}'`],
      paidAfter: [shares, (time) => `paid_at >= '${time}'`],
    };
    // Only paid links have a time of payment.
    const certain = Object.keys(ofStatus).map((status) => ({ status, paidAfter: at(0.5) }));
    await expectPages(LINKS, 'payment_links', `location_id = '${locations[1]}'`, filters, { numRuns: 250, certain });
  });

  it('deliveries: any page under any few filters shows what is there, with the exact total', async () => {
    const filters: Filters = {
      endpointId: [endpoints, equal('endpoint_id')],
      status: [['pending', 'delivered', 'exhausted', 'skipped'], equal('status')],
      type: [['payment_link.paid', 'payment_link.expired', 'ping'], equal('type')],
      since: [shares, (time) => `created_at >= '${time}'`],
    };
    // Only the last endpoint is of the pinned key's location.
    await expectPages(DELIVERIES, 'webhook_deliveries', `endpoint_id = '${endpoints[3]}'`, filters, { numRuns: 150 });
  });

  /** Rows that a list fetches of the tables. An index that answers alone fetches none. */
  async function rowsFetched(work: (scope: Parameters<typeof listLinks>[0]) => Promise<unknown>) {
    const caller = { apiKeyId: 'key_x', practiceId, test: true, scopes: [], locationId: null };
    return inTransaction({ ...service.scope(), caller }, async (scope) => {
      const fetchedSoFar = async () => {
        const [row] = await sql<{ fetched: number }>(
          scope.em,
          `select sum(pg_stat_get_xact_tuples_fetched(oid) + pg_stat_get_xact_tuples_returned(oid))::integer as fetched
           from pg_class where oid in ('payment_links'::regclass, 'webhook_deliveries'::regclass)`,
        );
        return row?.fetched ?? expect.fail();
      };
      const before = await fetchedSoFar();
      await work(scope);
      return (await fetchedSoFar()) - before;
    });
  }

  /** Rows of a page with one more, overdue links, and what the pieces of a list share at their ends. */
  const A_PAGE = 250;

  it('totals and list pages of links are answered by indexes alone, wherever the page lies', async () => {
    for (const [filter, number] of [
      [{}, 1],
      [{ externalReference: FREQUENT }, 1],
      [{}, 550],
      [{ status: 'paid' }, 200],
      [{ status: 'expired' }, 100],
      [{ status: 'active' }, 80],
      [{ locationId: 'first' }, 450],
      [{ externalReference: FREQUENT }, 480],
      [{ createdAfter: at(0.05) }, 500],
      [{ createdBefore: at(0.95) }, 500],
      [{ status: 'paid', createdBefore: at(0.95) }, 200],
      [{ paidAfter: at(0.2) }, 150],
      [{ status: 'paid', paidAfter: at(0.2) }, 150],
      [{ locationId: 'first', paidAfter: at(0.2) }, 100],
      [{}, 1_000_000],
    ] as const) {
      const asked = 'locationId' in filter ? { ...filter, locationId: locations[0] } : filter;
      const fetched = await rowsFetched((scope) => listLinks(scope, asked, { page: number, pageSize: 10 }));
      expect(fetched, JSON.stringify([filter, number])).to.be.below(A_PAGE);
    }
  });

  it('totals and list pages of deliveries are answered by indexes alone, wherever the page lies', async () => {
    for (const [filter, number] of [
      [{}, 1],
      [{}, 540],
      [{ status: 'delivered' }, 480],
      [{ since: new Date(at(0.1)) }, 530],
      [{ type: 'payment_link.paid' }, 330],
      [{ endpointId: 'first' }, 160],
      [{}, 1_000_000],
    ] as const) {
      const asked = 'endpointId' in filter ? { endpointId: endpoints[0] } : filter;
      const fetched = await rowsFetched((scope) => listVisibleDeliveries(scope, asked, { page: number, pageSize: 10 }));
      expect(fetched, JSON.stringify([filter, number])).to.be.below(A_PAGE);
    }
  });
});
