import { expect } from 'chai';
import type { Exchange } from '../harness/client.ts';
import { createLink } from '../harness/service.ts';
import {
  create,
  crowd,
  isClear,
  type LockablePractice,
  liveOn,
  Neighbourhood,
  OWN_ANSWER_MS,
  ROWS,
  type Row,
} from './neighbourhood.ts';

describe('while another transaction has locked a row of one practice', function () {
  this.timeout(180_000);
  let neighbourhood: Neighbourhood;
  let neighbour: LockablePractice;

  before(async () => {
    neighbourhood = await Neighbourhood.start();
    neighbour = await neighbourhood.lockablePractice();
  });

  after(() => neighbourhood.close());

  for (const row of Object.keys(ROWS) as Row[]) {
    it(`while the ${row} is locked, every operation of another practice succeeds at both APIs, and its own answers are clear`, async () => {
      const stuck = await neighbourhood.lockablePractice();
      const release = await neighbourhood.lockRow(stuck, row);
      let own: Promise<Exchange>[] = [];
      try {
        const stuckClients = neighbourhood.clients(stuck.practice.test);
        own = stuckClients.flatMap((client) => crowd(client, stuck));
        await neighbourhood.untilWaiting();
        const { test, locationId } = neighbour.practice;
        await Promise.all(
          neighbourhood.clients(test).map((client) =>
            liveOn(client, locationId, () => {
              own.push(...stuckClients.map(create));
            }),
          ),
        );
        const deadline = AbortSignal.timeout(OWN_ANSWER_MS);
        const late = new Promise<never>((_, reject) => {
          deadline.addEventListener('abort', () => reject(new Error('the practice itself gets no answer')));
        });
        const unclear = (await Promise.race([Promise.all(own), late])).filter((answer) => !isClear(answer));
        expect(unclear.map(({ status, text }) => `${status} ${text}`)).to.deep.equal([]);
      } finally {
        await release();
        await Promise.allSettled(own);
      }
      await createLink(stuck.practice.test);
    });
  }

  it('a burst of one healthy practice is served whole: fifty creates, updates and reads at once', async () => {
    const { practice, linkId } = await neighbourhood.lockablePractice();
    const fifty = Array.from({ length: 50 });
    const asked = fifty.flatMap(() => [
      createLink(practice.test).then(() => 201),
      practice.test.patch(`/api/v1/payment-links/${linkId}`, { amount: 70 }).then(({ status }) => status),
      practice.test.get('/api/v1/payment-links').then(({ status }) => status),
    ]);
    expect(new Set(await Promise.all(asked))).to.deep.equal(new Set([200, 201]));
  });
});
