import { expect } from 'chai';
import fc from 'fast-check';
import {
  ALL_OWED,
  listOwed,
  OWED_FILTERS,
  OWED_ORDERS,
  type OwedQuery,
  type OwedRow,
  readOwedSums,
} from '../../src/payment-links/billing/list-owed.ts';
import type { OwedPart } from '../../src/payment-links/model/owed.ts';
import type { Viewer } from '../../src/payment-links/model/staff-status.ts';
import type { Cursor, Page } from '../../src/payment-links/office/page.ts';
import { insertHistories, LINK_HISTORY, type LinkHistory } from '../console/link-histories.ts';
import { useService } from '../harness/fixtures.ts';

const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);

const HOUR_MS = 3_600_000;

/** An owed amount, as the history of its link says. */
interface Owed {
  id: string;
  part: OwedPart;
  cents: number;
  /** Hours since it is owed. */
  hours: number;
}

/** Returns what is owed on a link; null for nothing. */
function owedOf({ state, age, cents, isResolved }: LinkHistory, id: string): Owed | null {
  const unpaid = (part: OwedPart) => ({ id, part, cents, hours: 24 * age });
  if (state.is === 'active') {
    if (state.isOpen) return null;
    if (state.expiresInHours > 0) return unpaid('waiting');
    return isResolved ? null : unpaid('expired');
  }
  if (isResolved) return null;
  if (state.is !== 'paid') return state.is === 'expired' ? unpaid('expired') : null;
  const { payment, isReversed, hoursAgo } = state;
  if (payment === 'failed') return { id, part: 'returned', cents, hours: hoursAgo };
  if (payment === 'pending' || !isReversed) return null;
  return { id, part: 'returned', cents, hours: Math.round(hoursAgo / 2) };
}

describe(`owed amounts (FC_SEED=${seed})`, function () {
  this.timeout(120_000);
  const service = useService();

  /** Reads the list in pages of four. */
  const read = async (viewer: Viewer, query: OwedQuery) => {
    const rows: OwedRow[] = [];
    let cursor: Cursor | null = null;
    do {
      const page: Page<OwedRow> = await listOwed(service.scope(), viewer, query, cursor, 4);
      expect(page.rows).to.have.length.at.most(4);
      rows.push(...page.rows);
      cursor = page.next;
    } while (cursor !== null);
    return rows;
  };

  it('the sums and the list have the same amounts to the cent, and exactly those that the histories say, by part, location, age and filter', async () => {
    const world = fc.record({
      links: fc.array(LINK_HISTORY, { minLength: 20, maxLength: 60 }),
      ages: fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 401, max: 1_500 })),
    });
    await fc.assert(
      fc.asyncProperty(world, async ({ links, ages }) => {
        const now = service.clock.now().getTime();
        const cuts = ages.map((hours) => new Date(now - hours * HOUR_MS));
        const practices: { id: string; locationIds: string[] }[] = [];
        for (const _ of [0, 1]) {
          const { practiceId, locationId } = await service.practice();
          practices.push({ id: practiceId, locationIds: [locationId, await service.location(practiceId, 'North')] });
        }
        const ids = await insertHistories(service, practices, links);
        for (const [place, { id: practiceId, locationIds }] of practices.entries()) {
          for (const [test, seen] of [[false, null] as const, [false, [1]] as const, [true, null] as const]) {
            const viewer = { practiceId, test, locationIds: seen?.map((index) => locationIds[index] ?? '') ?? null };
            const owed = links.flatMap((link, index) => {
              const isSeen = link.practice === place && link.test === test && (seen === null || link.location === 1);
              const one = owedOf(link, ids[index] ?? '');
              return isSeen && one !== null ? [{ ...one, link }] : [];
            });
            for (const filter of [null, ...OWED_FILTERS]) {
              const wanted = owed.filter(({ part, link: { tries, isOpened } }) => {
                if (filter === 'declined') return part !== 'returned' && tries.at(-1) === 'failed';
                if (filter === 'never_opened') return part !== 'returned' && !isOpened;
                return filter === null || filter === part;
              });
              const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
              for (const order of OWED_ORDERS) {
                const rows = await read(viewer, { ...ALL_OWED, filter, order });
                expect(
                  rows.map(({ id, part, amountCents }) => ({ id, part, cents: amountCents })).toSorted(byId),
                ).to.deep.equal(wanted.map(({ id, part, cents }) => ({ id, part, cents })).toSorted(byId));
                const keys = rows.map(({ since, amountCents }) => (order === 'age' ? since.getTime() : -amountCents));
                expect(keys, order).to.deep.equal(keys.toSorted((one, other) => one - other));
              }
              const sums = await readOwedSums(service.scope(), viewer, { ...ALL_OWED, filter }, cuts);
              const sumOf = (part: OwedPart, location: number, age: number) =>
                wanted.filter(
                  ({ part: own, link, hours }) =>
                    own === part && link.location === location && ages.filter((cut) => hours > cut).length === age,
                );
              const expected = (['waiting', 'returned', 'expired'] as const).flatMap((part) =>
                [0, 1].flatMap((location) =>
                  [0, 1, 2].flatMap((age) => {
                    const group = sumOf(part, location, age);
                    const cents = group.reduce((sum, one) => sum + one.cents, 0);
                    const locationId = locationIds[location];
                    return group.length === 0 ? [] : [{ part, locationId, age, count: group.length, cents }];
                  }),
                ),
              );
              expect(sums).to.have.deep.members(expected);
            }
          }
        }
      }),
      // A run takes seconds, so a fault is not made smaller.
      { seed, numRuns: 4, endOnFailure: true },
    );
  });
});
