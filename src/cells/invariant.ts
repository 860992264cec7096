import type { Invariant } from '../base/invariant.ts';
import { Practice } from '../practices/practice.entity.ts';
import { type Cell, slotsOf } from './map.ts';

/** Returns the rule that a cell has practices of its own slots only. The edge would not find others. */
export function practicesOf(cell: Cell): Invariant {
  return {
    name: 'practices_live_in_their_cell',
    async *find(newScope, { practiceId }) {
      const where = { slot: { $nin: slotsOf(cell) }, ...(practiceId === null ? {} : { id: practiceId }) };
      for (const { id, slot } of await newScope().em.find(Practice, where, { orderBy: { id: 'asc' } })) {
        const problem = `slot ${slot} belongs to another cell than ${cell.name}, so no key and no page of the practice is found`;
        yield { practiceId: id, problem, remedy: 'move the practice to the cell of its slot, or correct the map' };
      }
    },
  };
}
