import { expect } from 'chai';
import { type ServiceProcess, serviceEnvironment, startProcess } from '../../scripts/trial/process.ts';
import { Client } from '../harness/client.ts';
import { until } from '../harness/processes.ts';
import { createLink } from '../harness/service.ts';
import { ENDPOINTS } from '../harness/webhooks.ts';
import { answers, create, type LockablePractice, liveOn, Neighbourhood } from './neighbourhood.ts';
import { ROWS } from './rows.ts';

const LINKS = '/api/v1/payment-links';

/** An operation, and the row of its practice that it reaches in the middle of its transaction. */
interface Moment {
  operation: string;
  row: string;
  ask: (client: Client, lockable: LockablePractice) => Promise<unknown>;
  /** One statement, which the database ends by itself: nothing stays locked. */
  isOneStatement?: true;
}

const MOMENTS: Moment[] = [
  {
    operation: 'a create',
    row: 'daily count',
    ask: create,
    isOneStatement: true,
  },
  { operation: 'an admission', row: 'rate window', ask: (client) => client.get(LINKS), isOneStatement: true },
  {
    operation: 'an update of a link',
    row: 'link',
    ask: (client, { linkId }) => client.patch(`${LINKS}/${linkId}`, { amount: 90 }),
    isOneStatement: true,
  },
  {
    operation: 'the end of a link',
    row: 'endpoint',
    ask: (client, { linkId }) => client.post(`${LINKS}/${linkId}/cancel`),
    isOneStatement: true,
  },
  {
    operation: 'the creation of an endpoint',
    row: 'practice',
    ask: (client) => client.post(ENDPOINTS, { url: 'https://127.0.0.1/hook' }),
  },
  {
    operation: 'the deletion of an endpoint',
    row: 'endpoint',
    ask: (client, { endpointId }) => client.delete(`${ENDPOINTS}/${endpointId}`),
  },
  {
    operation: 'a redelivery',
    row: 'delivery',
    ask: (client, { deliveryId }) => client.post(`/api/v1/webhook-deliveries/${deliveryId}/redeliver`),
  },
];

describe('while an API process is frozen', function () {
  this.timeout(180_000);
  let neighbourhood: Neighbourhood;
  let neighbour: LockablePractice;
  let api: ServiceProcess;
  let baseUrl: string;

  before(async () => {
    neighbourhood = await Neighbourhood.start();
    neighbour = await neighbourhood.lockablePractice();
    api = startProcess('serve', serviceEnvironment(neighbourhood.databaseUrl, { PORT: '0' }));
    const port = () => /"port":(\d+)/.exec(api.log())?.[1];
    await until(() => port() !== undefined, api.log);
    baseUrl = `http://127.0.0.1:${port()}`;
  });

  after(async () => {
    api.signal('SIGKILL');
    await api.ended;
    await neighbourhood.close();
  });

  /** Transactions that nobody goes on with. */
  const abandoned = async () =>
    (
      await neighbourhood.rows(
        `select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
         and application_name <> 'holder'`,
      )
    ).length;

  for (const { operation, row, ask, isOneStatement } of MOMENTS) {
    it(`an API frozen in ${operation}, at the ${row}, does not stop others, and its practice is soon served again`, async () => {
      const stuck = await neighbourhood.lockablePractice();
      const client = new Client(baseUrl, stuck.practice.test.key);
      await client.get('/api/v1/locations');
      const select = ROWS[row];
      if (select === undefined) throw new Error(`there is no row ${row}`);
      const release = await neighbourhood.lock(select(stuck));
      const frozen = ask(client, stuck).catch(() => undefined);
      await neighbourhood.untilWaiting();
      api.signal('SIGSTOP');
      try {
        await release();
        const isOver = async () => (await abandoned()) === (isOneStatement ? 0 : 1);
        await until(isOver, () => 'the statement does not go on');
        const { test, locationId } = neighbour.practice;
        await Promise.all(neighbourhood.clients(test).map((one) => liveOn(one, locationId)));
        if (isOneStatement) await answers('its own create', create(stuck.practice.test));
        await until(
          async () => (await abandoned()) === 0,
          () => 'the transaction is never ended',
          10_000,
        );
        await answers('its own create', create(stuck.practice.test));
      } finally {
        api.signal('SIGCONT');
      }
      await frozen;
      const again = new Client(baseUrl, neighbour.practice.test.key);
      expect((await createLink(again)).status).to.equal('active');
    });
  }
});
