import type pg from 'pg';

/* Helpers that fill tables with millions of rows. */

/** Shows a line of progress. */
export type Say = (text: string) => void;

/** Settings of connections that fill: no triggers, no wait for the disk, memory for indexes. */
export const FILLING_SETTINGS =
  `-c session_replication_role=replica -c synchronous_commit=off -c maintenance_work_mem=1GB
  -c max_parallel_maintenance_workers=0 -c work_mem=256MB -c jit=off`.replaceAll('\n', '');

/** An index that is created again after the rows. */
interface Index {
  name: string;
  statement: string;
}

/** Drops the indexes without a constraint, those of partitions with them, and returns how to create them. */
export async function dropIndexes(pool: pg.Pool, tables: readonly string[]): Promise<Index[]> {
  const { rows } = await pool.query<Index>(
    `select name, replace(statement, ' ON ONLY ', ' ON ') as statement
     from unnest($1::text[]) as t, definitions_of_table(t) where kind = 'index' order by name`,
    [tables],
  );
  for (const { name } of rows) await pool.query(`drop index ${name}`);
  return rows;
}

/** Creates the indexes. */
export async function createIndexes(pool: pg.Pool, indexes: readonly Index[], say: Say): Promise<void> {
  await eachOf(pool, indexes, async (client, { name, statement }) => {
    await client.query(statement);
    say(`index ${name}`);
  });
}

/** Runs the work for each item, on two connections. */
export async function eachOf<Item>(
  pool: pg.Pool,
  items: readonly Item[],
  work: (client: pg.PoolClient, item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items];
  const take = async () => {
    const client = await pool.connect();
    try {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(client, item);
    } finally {
      client.release();
    }
  };
  await Promise.all([take(), take()]);
}
