import type { Pool } from 'pg';
import { onConnection } from './connection/pool.ts';

/** Links per transaction, with all rows that belong to them. */
const BATCH = 500;

/**
 * Brings the archived links of a version 1.x back to the other links, by an SQL function of that version. Migration 0065 then drops
 * the empty archive. It can be ended at any time and repeated.
 */
export async function restoreArchivedLinks(pool: Pool): Promise<void> {
  await onConnection(pool, async (client) => {
    const { rows } = await client.query<{ has_archive: boolean }>(
      `select to_regprocedure('restore_links(text[])') is not null as has_archive`,
    );
    if (rows[0]?.has_archive !== true) return;
    for (let last: string | null = ''; last !== null; ) {
      const batch: { rows: { last: string | null }[] } = await client.query(
        `select restore_links(array_agg(id)), max(id) as last
         from (select id from archive.payment_links where id > $1 order by id limit ${BATCH}) as next
         having count(*) > 0`,
        [last],
      );
      last = batch.rows[0]?.last ?? null;
    }
  });
}
