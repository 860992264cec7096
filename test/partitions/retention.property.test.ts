import { expect } from 'chai';
import fc from 'fast-check';
import { foldListChanges } from '../../src/database/query/kept-counts.ts';
import { retentionSweep } from '../../src/tasks.ts';
import { addMissing } from '../../src/webhooks/partitions/maintain.ts';
import {
  deliveriesByPartition,
  expectSound,
  type InsertedDelivery,
  insertDeliveries,
  maintain,
  partition,
  unlimited,
} from '../harness/partitions.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint } from '../harness/webhooks.ts';

const DAY_MS = 86_400_000;
const START = new Date('2030-06-17T00:00:00.000Z');

/** A delivery by times relative to the present, in milliseconds of the past. */
interface Drawn {
  status: InsertedDelivery['status'];
  run: 'automatic' | 'redelivery' | 'replay';
  ageMs: number;
  /** Part of its age at which it was delivered, or attempted last. */
  part: number;
}

/** Ages at and around the limits of retention and of weeks. */
const age = fc.oneof(
  fc.integer({ min: 0, max: 140 * DAY_MS }),
  fc
    .tuple(
      fc.constantFrom(0, 7, 14, 28, 30, 33, 34, 35, 40, 41, 42, 63, 90, 91, 98, 119),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([days, ms]) => Math.max(0, days * DAY_MS + ms)),
);

const drawn: fc.Arbitrary<Drawn> = fc.record({
  status: fc.constantFrom('pending', 'delivered', 'delivered', 'delivered', 'exhausted', 'skipped'),
  run: fc.constantFrom('automatic', 'automatic', 'redelivery', 'replay'),
  ageMs: age,
  part: fc.constantFrom(0, 0.01, 0.5, 0.9, 1),
});

describe('retention of partitioned deliveries', function () {
  this.timeout(240_000);

  /** Inserts the deliveries, and returns their ids without what is random in them, so that two services can be compared. */
  async function fill(service: TestService, owner: TestPractice, endpointId: string, all: readonly Drawn[]) {
    const nowMs = service.clock.now().getTime();
    const ids = await insertDeliveries(
      service,
      all.map(({ status, run, ageMs, part }) => {
        const later = new Date(nowMs - ageMs * part);
        const isDelivered = status === 'delivered';
        return {
          ...{ practiceId: owner.practiceId, endpointId, createdAt: new Date(nowMs - ageMs), status },
          run: isDelivered ? 'automatic' : run,
          deliveredAt: isDelivered ? later : null,
          lastAttemptAt: status === 'skipped' ? null : later,
        };
      }),
    );
    return new Map(ids.map((id, index) => [id, index]));
  }

  const indexesOf = (indexes: ReadonlyMap<string, number>, ids: readonly string[]) =>
    ids.map((id) => indexes.get(id) ?? -1).toSorted((a, b) => a - b);

  it('the batches’ retention is the model: nothing is deleted earlier, and in replaced partitions nothing is kept longer', async () => {
    const partitions: Record<string, number> = {};
    for (const convertsLate of [true, false]) await compare(convertsLate, partitions);
    const replacedCount = Object.entries(partitions).filter(([name]) => name.endsWith('_kept')).length;
    expect(replacedCount, 'replaced partitions with survivors').to.be.above(0);
  });

  /**
   * Compares a service whose tables were converted with a whole one, for any deliveries.
   *
   * @param convertsLate so late that the first partition has all deliveries, or so early that they are in weeks
   * @param partitions gets the number of deliveries that were left in each partition
   */
  async function compare(convertsLate: boolean, partitions: Record<string, number>): Promise<void> {
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { minLength: 30, maxLength: 60 }),
        fc.integer({ min: 0, max: 6 * DAY_MS }),
        async (all, passedMs) => {
          const [whole, parted] = [await TestService.start(), await TestService.start()];
          try {
            const kept: number[][] = [];
            let replaced: number[] = [];
            for (const service of [whole, parted]) {
              const owner = await service.practice();
              const { id } = await createEndpoint(owner.test, 'http://127.0.0.1:9/');
              service.clock.set(new Date(START.getTime() - (convertsLate ? 0 : 160 * DAY_MS)).toISOString());
              if (service === parted) await partition(service);
              while (service === parted && service.clock.now() < START) {
                service.clock.advance({ days: 20 });
                await unlimited(service, (scope) => addMissing(scope, () => true));
              }
              service.clock.set(new Date(START.getTime() + passedMs).toISOString());
              const indexes = await fill(service, owner, id, all);
              await foldListChanges(service.scope());
              if (service === parted) await maintain(service);
              const sweep = retentionSweep(() => service.scope());
              await sweep(() => true);
              const left = await deliveriesByPartition(service);
              kept.push(indexesOf(indexes, Object.values(left).flat()));
              if (service === parted) {
                const names = Object.keys(left).filter((name) => name.endsWith('_kept'));
                replaced = indexesOf(
                  indexes,
                  names.flatMap((name) => left[name] ?? []),
                );
                for (const [name, ids] of Object.entries(left)) partitions[name] = (partitions[name] ?? 0) + ids.length;
              }
              await expectSound(service);
            }
            const [model = [], actual = []] = kept;
            expect(actual, 'all that the model keeps').to.include.members(model);
            expect(model, 'all that is kept in replaced partitions').to.include.members(replaced);
            // 30 days, up to three more until the week is replaced, the rest of the week, and a day for the replacement.
            const tooLong = actual.filter(
              (index) => !model.includes(index) && (all[index]?.part ?? 0) * (all[index]?.ageMs ?? 0) > 41 * DAY_MS,
            );
            expect(tooLong, 'kept for more than 41 days after delivery').to.deep.equal([]);
            expect(
              actual.filter((index) => !model.includes(index) && all[index]?.status !== 'delivered'),
            ).to.deep.equal([]);
          } finally {
            await Promise.all([whole.close(), parted.close()]);
          }
        },
      ),
      { numRuns: 4 },
    );
  }
});
