import { expect } from 'chai';
import fc from 'fast-check';
import type pg from 'pg';
import { type Admissions, createAdmissions } from '../../src/access/admission.ts';
import { ApiError } from '../../src/platform/base/errors.ts';
import { updatePractice } from '../../src/practices/service.ts';
import { useService } from '../harness/fixtures.ts';
import { unknownKey } from '../harness/service.ts';

const ADDRESS_LIMIT = 7;
const KEY_LIMIT = 4;

/** A request: from which address, with which key; null asks for the address alone. */
interface Asked {
  address: number;
  key: number | null;
}

describe('requests that come together', () => {
  const service = useService();
  let runs = 0;

  async function keys(): Promise<string[]> {
    const open = await service.practice();
    const closed = await service.practice();
    await updatePractice(service.scope(), closed.practiceId, { apiAccessEnabled: false });
    const issue = async (practiceId: string) =>
      (await service.key({ practiceId, test: true, requestsPerMinute: KEY_LIMIT })).key ?? '';
    return [
      await issue(open.practiceId),
      await issue(open.practiceId),
      await issue(closed.practiceId),
      unknownKey(),
      'not a key',
    ];
  }

  /** Returns the outcome of the request, to compare. */
  async function ask(admissions: Admissions, addresses: string, known: string[], { address, key }: Asked) {
    const from = `${addresses}.${address}`;
    try {
      if (key === null) {
        await admissions.admitAddress(from);
        return 'admitted';
      }
      const { caller, keyLimit, refusal } = await admissions.admitKey(from, [`Bearer ${known[key] ?? ''}`]);
      return { test: caller.test, keyLimit, refusal: refusal?.code, retryAfter: refusal?.details.retryAfterSeconds };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { code: error.code, retryAfter: error.details.retryAfterSeconds };
    }
  }

  it('requests that come together are admitted as if they came one after the other', async () => {
    const asked = fc.record({
      address: fc.integer({ min: 1, max: 3 }),
      key: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 8 }),
    });
    const rounds = fc.array(
      fc.record({
        pauseMs: fc.constantFrom(0, 1, 5_000, 30_000, 59_999, 60_000),
        together: fc.array(asked, { minLength: 1, maxLength: 12 }),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(rounds, async (rounds) => {
        const [joined, single] = [++runs, ++runs].map((run) => `198.${18 + (run >> 8)}.${run & 255}`);
        const [ofJoined, ofSingle] = [await keys(), await keys()];
        const admissions = createAdmissions(() => service.scope(), ADDRESS_LIMIT);
        for (const { pauseMs, together } of rounds) {
          service.clock.advance({ ms: pauseMs });
          const answers = await Promise.all(together.map((one) => ask(admissions, joined ?? '', ofJoined, one)));
          const expected = [];
          for (const one of together) expected.push(await ask(admissions, single ?? '', ofSingle, one));
          expect(answers).to.deep.equal(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('requests that come together do not deadlock, whatever their order', async () => {
    const known = await keys();
    const processes = Array.from({ length: 4 }, () => createAdmissions(() => service.scope(), 1_000_000));
    const rounds = Array.from({ length: 30 }, async (_, round) => {
      const addresses = [1, 2, 3, 4, 5, 6].map((address) => ({ address: address + 10 * round, key: address % 3 }));
      await Promise.all(
        processes.flatMap((admissions, index) =>
          (index % 2 === 0 ? addresses : addresses.toReversed()).map((one) => ask(admissions, '203.0.114', known, one)),
        ),
      );
    });
    await Promise.all(rounds);
  });

  describe('do not depend on each other', () => {
    let holder: pg.Client;

    beforeEach(async () => {
      holder = await service.session();
      await holder.query('begin');
    });

    it('requests are admitted while another transaction has locked the rows of their keys', async () => {
      const known = await keys();
      await holder.query('select from api_keys for update');
      const admissions = createAdmissions(() => service.scope(), ADDRESS_LIMIT);
      const answers = await Promise.all(
        [0, 1].map((key) => ask(admissions, '203.0.115', known, { address: key + 1, key })),
      );
      expect(
        answers.map((answer) => typeof answer === 'object' && 'refusal' in answer && answer.refusal),
      ).to.deep.equal([undefined, undefined]);
    });

    it('requests are admitted when their idle window is removed just before it is locked', async () => {
      const known = await keys();
      const admissions = createAdmissions(() => service.scope(), ADDRESS_LIMIT);
      const once = () => ask(admissions, '203.0.116', known, { address: 1, key: 0 });
      const first = await once();
      await holder.query(`select from rate_windows where subject like 'key:%' for update`);
      const second = once();
      await service.untilWaiting(1, 'admit_requests');
      await holder.query(`delete from rate_windows where subject like 'address:203.0.116.1/%' or subject like 'key:%'`);
      await holder.query('commit');
      expect(await second).to.deep.equal(first);
    });
  });
});
