import type { EntityManager } from '@mikro-orm/postgresql';
import { OperatorError } from '../base/errors.ts';
import { sql } from '../database/query/sql.ts';
import type { Cell } from './map.ts';

/** Practices that the error names. */
const MAX_NAMED_PRACTICES = 3;

/** Thrown if the database has practices of slots that the map gives to another cell. The edge leads their keys and pages there. */
export class ForeignPractices extends OperatorError {
  constructor(cell: string, practices: readonly { id: string; slot: number }[]) {
    const named = practices.slice(0, MAX_NAMED_PRACTICES).map(({ id, slot }) => `${id} (slot ${slot})`);
    const more = practices.length > MAX_NAMED_PRACTICES ? ' and more' : '';
    super(
      `The map gives the slots of these practices to another cell than ${cell}: ${named.join(', ')}${more}.`,
      'Correct the map (PAYLINKS_CELLS), CELL or DATABASE_URL. After the split of a cell, delete the practices that it gave ' +
        'away (docs/decisions/0051-a-full-cell.md).',
    );
  }
}

/**
 * Refuses a database with practices of other cells. A worker would go on delivering, reconciling and mailing for them, although another
 * cell has taken them over.
 */
export async function requireOwnPractices(em: EntityManager, cell: Cell): Promise<void> {
  const found = await sql<{ id: string; slot: number }>(
    em,
    `select id, slot from practices where not exists (
       select from unnest($1::integer[], $2::integer[]) as own (first, last) where slot between own.first and own.last)
     order by id limit $3`,
    [cell.slots.map(([first]) => first), cell.slots.map(([, last]) => last), MAX_NAMED_PRACTICES + 1],
  );
  if (found.length > 0) throw new ForeignPractices(cell.name, found);
}
