import { expect } from 'chai';
import { Client } from '../harness/client.ts';
import { addressOf, until } from '../harness/processes.ts';
import { createLink } from '../harness/service.ts';
import { type ServiceProcess, serviceEnvironment, startProcess } from '../harness/service-process.ts';
import { ENDPOINTS } from '../harness/webhooks.ts';
import { answers, create, type LockablePractice, liveOn, Neighbourhood, type Row } from './neighbourhood.ts';

const LINKS = '/api/v1/payment-links';

/** Operations, each with the row of its practice that it reaches in its middle: in its one statement, or in its transaction. */
const MOMENTS: [
  operation: string,
  row: Row,
  isOneStatement: boolean,
  ask: (client: Client, of: LockablePractice) => Promise<unknown>,
][] = [
  ['the end of a link', 'endpoint', true, (client, { linkId }) => client.post(`${LINKS}/${linkId}/cancel`)],
  ['the deletion of an endpoint', 'endpoint', false, (client, of) => client.delete(`${ENDPOINTS}/${of.endpointId}`)],
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
    baseUrl = await addressOf(api.log);
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

  for (const [operation, row, isOneStatement, ask] of MOMENTS) {
    it(`an API frozen in ${operation}, at the ${row}, does not stop others, and its practice is soon served again`, async () => {
      const stuck = await neighbourhood.lockablePractice();
      const client = new Client(baseUrl, stuck.practice.test.key);
      await client.get('/api/v1/locations');
      const release = await neighbourhood.lockRow(stuck, row);
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
