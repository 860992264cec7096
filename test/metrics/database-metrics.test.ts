import { expect } from 'chai';
import pg from 'pg';
import { SESSION } from '../../src/database/connection/service-connection.ts';
import { READINGS } from '../../src/metrics/database-metrics.ts';
import { createDatabase, query } from '../harness/database.ts';
import { Payments } from '../harness/payments.ts';
import { TestService } from '../harness/service.ts';
import { createEndpoint, ENDPOINTS, paidLink } from '../harness/webhooks.ts';
import { databaseValues } from './counters.ts';

describe('metrics of the database', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
  });

  afterEach(() => service.close());

  it('statuses and ages without anything are 0, so that an alert can compare them with the past', async () => {
    expect(await databaseValues(service, 'paylinks_webhook_endpoints')).to.deep.equal({
      'status="enabled"': 0,
      'status="disabled"': 0,
    });
    expect(await databaseValues(service, 'paylinks_webhook_deliveries_waiting')).to.deep.equal({
      'status="pending",endpoint="enabled"': 0,
      'status="pending",endpoint="disabled"': 0,
      'status="pending",endpoint="deleted"': 0,
      'status="retrying",endpoint="enabled"': 0,
      'status="retrying",endpoint="disabled"': 0,
      'status="retrying",endpoint="deleted"': 0,
    });
    expect(await databaseValues(service, 'paylinks_payment_attempts_open')).to.deep.equal({
      'age="<1m"': 0,
      'age="1m-1h"': 0,
      'age="1h-1d"': 0,
      'age=">=1d"': 0,
    });
  });

  it('open payment attempts are counted in the class of their age, which begins with its first moment', async () => {
    const practice = await service.practice();
    const payments = new Payments(service);
    const open = async () => payments.pay(await payments.link(practice), 'card_challenge');
    await open();
    service.clock.advance({ hours: 23 });
    await open();
    service.clock.advance({ minutes: 59 });
    await open();
    service.clock.advance({ minutes: 1 });
    await open();
    await open();
    await payments.pay(await payments.link(practice), 'card_success');
    expect(await databaseValues(service, 'paylinks_payment_attempts_open')).to.deep.equal({
      'age="<1m"': 2,
      'age="1m-1h"': 1,
      'age="1h-1d"': 1,
      'age=">=1d"': 1,
    });
    expect(await databaseValues(service, 'paylinks_payment_attempt_oldest_open_seconds')).to.deep.equal({
      paylinks_payment_attempt_oldest_open_seconds: 86_400,
    });
    expect(await databaseValues(service, 'paylinks_reconciliations_overdue')).to.deep.equal({
      paylinks_reconciliations_overdue: 2,
    });
  });

  it('waiting deliveries are counted by the status of their endpoint, and none waits at one that was disabled', async () => {
    const practice = await service.practice();
    const { id } = await createEndpoint(practice.test, 'https://127.0.0.1/hook');
    await paidLink(practice.test);
    await paidLink(practice.test);
    const rows = (text: string) => query(service.config.databaseUrl, text, [id]);
    const waiting = async () => {
      const values = await databaseValues(service, 'paylinks_webhook_deliveries_waiting');
      return Object.entries(values).filter(([, value]) => value !== 0);
    };
    expect(await waiting()).to.deep.equal([['status="pending",endpoint="enabled"', 2]]);
    // As in the moment between the end of an endpoint and that of its waiting deliveries.
    await rows(`update webhook_endpoints set status = 'disabled' where id = $1`);
    expect(await waiting()).to.deep.equal([['status="pending",endpoint="disabled"', 2]]);
    await rows(
      `update webhook_endpoints set deleted_at = now(), url = '', secret_ciphertext = '', description = null where id = $1`,
    );
    expect(await waiting()).to.deep.equal([['status="pending",endpoint="deleted"', 2]]);
    const { id: other } = await createEndpoint(practice.test, 'https://127.0.0.1/other');
    await rows(`update webhook_deliveries set endpoint_id = '${other}' where endpoint_id = $1`);
    expect((await practice.test.patch(`${ENDPOINTS}/${other}`, { enabled: false })).status).to.equal(200);
    expect(await waiting()).to.deep.equal([]);
  });

  it('no reading scans a table of payments or deliveries, and what is overdue is a range of an index', async () => {
    const client = new pg.Client({ connectionString: await createDatabase(), options: SESSION });
    await client.connect();
    try {
      await client.query('analyze');
      for (const { name, text } of READINGS) {
        const values = text.includes('$1') ? [null] : [];
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan, name).to.not.match(/Seq Scan on (payment_attempts|transactions|webhook_deliveries)/);
        if (name === 'paylinks_reconciliations_overdue') {
          expect(plan.match(/Index Cond: \(reconcile_at < /g) ?? [], plan).to.have.length(2);
        }
      }
    } finally {
      await client.end();
    }
  });
});
