import type { EntityManager } from '@mikro-orm/postgresql';
import type { Invariant } from '../base/invariant.ts';
import { sql } from '../database/query/sql.ts';
import { type Cell, slotsOf } from './map.ts';

/** Returns the rule that a cell has practices of its own slots only. The edge would not find others. */
export function practicesInTheirCell(cell: Cell): Invariant {
  return {
    name: 'practices_live_in_their_cell',
    async *find(newScope, { practiceId }) {
      // The rows of a practice that has moved wait for their deletion.
      const found = await sql<{ id: string; slot: number }>(
        newScope().em,
        `select id, slot from practices where slot <> all ($1) and ($2::text is null or id = $2)
           and move_state is distinct from 'moved' order by id`,
        [slotsOf(cell), practiceId],
      );
      for (const { id, slot } of found) {
        const problem = `slot ${slot} belongs to another cell than ${cell.name}, so no key and no page of the practice is found`;
        yield { practiceId: id, problem, remedy: 'move the practice to the cell of its slot, or correct the map' };
      }
    },
  };
}

/** Returns those of the practices whose slot the map gives to the cell, moved or not. */
export function practicesWithin(
  em: EntityManager,
  cell: Cell,
  practiceIds: readonly string[],
): Promise<{ id: string; slot: number }[]> {
  return sql(em, 'select id, slot from practices where id = any ($1) and slot = any ($2) order by id', [
    practiceIds,
    slotsOf(cell),
  ]);
}
