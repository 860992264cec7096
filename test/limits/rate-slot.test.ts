import { expect } from 'chai';
import fc from 'fast-check';
import { createRateSlots, takeRateSlot } from '../../src/limits/rate-slot.ts';
import { useService } from '../harness/fixtures.ts';

const LIMIT = 3;

describe('rate slots of requests that come together', () => {
  const service = useService();
  let runs = 0;

  it('requests that come together get the same slots as requests that come one after the other', async () => {
    const rounds = fc.array(
      fc.record({
        pauseMs: fc.constantFrom(0, 1, 5_000, 30_000, 59_999, 60_000),
        together: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 10 }),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(rounds, async (rounds) => {
        const [joined, single] = [++runs, ++runs];
        const rateSlots = createRateSlots(() => service.scope());
        for (const { pauseMs, together } of rounds) {
          service.clock.advance({ ms: pauseMs });
          const slots = await Promise.all(
            together.map((one) => rateSlots({ subject: `joined:${joined}.${one}`, limit: LIMIT })),
          );
          const expected = [];
          for (const one of together)
            expected.push(await takeRateSlot(service.scope(), `single:${single}.${one}`, LIMIT));
          expect(slots).to.deep.equal(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('a window that another transaction has locked delays only its own requests', async () => {
    const rateSlots = createRateSlots(() => service.scope());
    const take = (name: string, limit = LIMIT) => rateSlots({ subject: `slot:${name}`, limit });
    const takeFree = () => take('free', 2 * LIMIT);
    await Promise.all([take('locked'), takeFree(), takeFree(), takeFree(), takeFree()]);
    const release = await service.lock(`select from rate_windows where subject = 'slot:locked/${LIMIT}' for update`);
    const delayed = take('locked');
    expect(await Promise.all([takeFree(), take('other')])).to.deep.equal([{ granted: true }, { granted: true }]);
    await release();
    expect(await delayed).to.deep.equal({ granted: true });
    const counted = await service.query<{ subject: string; admitted: number }>(
      `select subject, admitted::integer from rate_windows where subject like 'slot:%' order by subject`,
    );
    expect(counted).to.deep.equal([
      { subject: `slot:free/${2 * LIMIT}`, admitted: 5 },
      { subject: `slot:locked/${LIMIT}`, admitted: 2 },
      { subject: `slot:other/${LIMIT}`, admitted: 1 },
    ]);
    const slots = await service.query(`select slot from rate_slots where subject like 'slot:free/%' order by slot`);
    expect(slots.map(({ slot }) => slot)).to.deep.equal([0, 1, 2, 3, 4]);
  });
});
