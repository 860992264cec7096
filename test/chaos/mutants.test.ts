import { expect } from 'chai';
import { readMutants } from '../../scripts/mutants/list.ts';
import { mutation } from '../../scripts/mutants/mutation.ts';
import { examine } from '../../scripts/trial/checker.ts';
import type { Query } from '../../scripts/trial/evidence.ts';
import { CrashSetup } from '../faults/crash-setup.ts';
import { until } from '../harness/processes.ts';
import { accept } from '../harness/receiver.ts';

/** It shows only if a frozen worker continues within the deadline of its attempt. Runs meet that too rarely. */
const UNGUARDED_OUTCOME = {
  file: 'src/webhooks/delivery/record.ts',
  text: "IS_OPEN = 'coalesce(a.duration_ms, -1) = -1'",
  instead: "IS_OPEN = 'true'",
};

describe('mutants of the service', function () {
  this.timeout(180_000);

  // `make chaos MUTANTS=1` runs them; here they must only still be possible.
  for (const mutant of readMutants('scripts/chaos/mutants.txt')) {
    it(`the mutant “${mutant.name}” fits the code`, () => {
      expect(() => mutation(mutant)).not.to.throw();
    });
  }

  it('the checker catches that an attempt is written after it was declared interrupted', async () => {
    expect(await run(mutation(UNGUARDED_OUTCOME))).to.deep.equal(['Q4 nothing is attempted after a 2xx']);
  });

  it('the service itself passes where that mutant fails', async () => {
    expect(await run({ nodeArguments: [], env: {} })).to.deep.equal([]);
  });

  /** A worker is frozen past its lease with a request under way; its 2xx comes when another one has delivered. */
  async function run({ nodeArguments, env }: ReturnType<typeof mutation>): Promise<string[]> {
    const setup = await new CrashSetup().start();
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
