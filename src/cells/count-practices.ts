import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from '../database/query/sql.ts';

/** Returns the number of practices of a cell. */
export async function countPractices(em: EntityManager): Promise<number> {
  const [row] = await sql<{ count: number }>(em, 'select count(*)::integer as count from practices');
  return row?.count ?? 0;
}
