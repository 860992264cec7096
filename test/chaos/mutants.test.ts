import { expect } from 'chai';
import { MUTANTS, UNGUARDED_OUTCOME } from '../../scripts/chaos/mutants.ts';
import { mutation } from '../../scripts/mutants/mutation.ts';
import { examine } from '../../scripts/trial/checker.ts';
import type { Query } from '../../scripts/trial/evidence.ts';
import { CrashSetup } from '../faults/crash-setup.ts';
import { until } from '../harness/processes.ts';
import { accept } from '../harness/receiver.ts';

describe('mutants of the service', function () {
  this.timeout(180_000);

  // `make chaos MUTANTS=1` runs them; here they must only still be possible.
  for (const mutant of MUTANTS) {
    it(`the mutant “${mutant.name}” fits the code`, () => {
      expect(() => mutation(mutant)).not.to.throw();
    });
  }

  it(`the checker catches the mutant “${UNGUARDED_OUTCOME.name}”`, async () => {
    const broken = await run(mutation(UNGUARDED_OUTCOME));
    expect(broken).to.deep.equal([UNGUARDED_OUTCOME.caughtBy]);
  });

  it('the service itself passes where that mutant fails', async () => {
    expect(await run({ nodeArguments: [], env: {} })).to.deep.equal([]);
  });

  /** A worker is frozen past its lease with a request under way; its 2xx comes when another one has delivered. */
  async function run({ nodeArguments, env }: ReturnType<typeof mutation>): Promise<string[]> {
    const setup = await CrashSetup.start();
    try {
      let answer: (() => void) | undefined;
      setup.receiver.answer = (_, response) => {
        answer = () => response.writeHead(200).end();
        setup.receiver.answer = accept;
      };
      const eventId = await setup.createEvent();
      const frozen = setup.worker(setup.databaseUrl, { ...env, WEBHOOK_TIMEOUT_MS: '30000' }, nodeArguments);
      await until(() => answer !== undefined, frozen.log);
      frozen.signal('SIGSTOP');
      await setup.expireLease();
      setup.worker(setup.databaseUrl);
      await setup.untilStatus(eventId, 'delivered');
      answer?.();
      frozen.signal('SIGCONT');
      await until(() => frozen.log().includes('"msg":"webhook attempt"'), frozen.log);
      const query: Query = (text, values) => setup.rows(text, values);
      const { results } = await examine(query, null);
      return results.filter(({ broken }) => broken.length > 0).map(({ rule }) => rule);
    } finally {
      await setup.close();
    }
  }
});
