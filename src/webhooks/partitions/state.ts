import { timeOfId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';

/** A pair of partitions, of deliveries and of their attempts. */
export interface Partition {
  name: string;
  /** First id; null for the beginning of time. */
  fromId: string | null;
  /** First id after the partition. */
  toId: string;
  /** Time at which it was replaced by its survivors; null before. */
  replacedAt: string | null;
}

/** Returns the partitions in order of their ids; none if the tables are whole. The default partition is not among them. */
export function findPartitions({ em }: Scope): Promise<Partition[]> {
  return sql(
    em,
    `select name, from_id as "fromId", to_id as "toId", replaced_at as "replacedAt" from delivery_partitions order by to_id`,
  );
}

/** A pair of partitions for operators. */
export interface DescribedPartition {
  name: string;
  /** Time of its first events; null for the beginning of time. */
  from: string | null;
  /** Time of the first events after it. */
  to: string;
  replacedAt: string | null;
  /** Estimate of the server. */
  deliveries: number;
  /** Space of both partitions with their indexes. */
  megabytes: number;
}

/** Returns the partitions as operators see them, with the times of their ids and their sizes. */
export async function describePartitions(scope: Scope): Promise<DescribedPartition[]> {
  const sizes = await sql<{ name: string; deliveries: number; megabytes: number }>(
    scope.em,
    `select name, greatest(0, c.reltuples)::float8 as deliveries, round((pg_total_relation_size(c.oid)
       + pg_total_relation_size(to_regclass('webhook_attempts_' || name))) / 1048576.0, 1)::float8 as megabytes
     from delivery_partitions join pg_class c on c.oid = to_regclass('webhook_deliveries_' || name)`,
  );
  const byName = new Map(sizes.map((size) => [size.name, size]));
  const timeOf = (id: string) => new Date(timeOfId(id)).toISOString();
  return (await findPartitions(scope)).map(({ name, fromId, toId, replacedAt }) => ({
    ...{ name, from: fromId === null ? null : timeOf(fromId), to: timeOf(toId) },
    replacedAt: replacedAt === null ? null : new Date(replacedAt).toISOString(),
    deliveries: byName.get(name)?.deliveries ?? 0,
    megabytes: byName.get(name)?.megabytes ?? 0,
  }));
}

/** Returns true if deliveries and their attempts are partitioned. */
export async function isPartitioned({ em }: Scope): Promise<boolean> {
  const [row] = await sql<{ partitioned: boolean }>(
    em,
    `select relkind = 'p' as partitioned from pg_class where oid = 'webhook_deliveries'::regclass`,
  );
  return row?.partitioned === true;
}

/**
 * Returns the number of deliveries in tables that are not partitioned, as the server estimates it. It is 0 before the first
 * `analyze`.
 */
export async function deliveriesInWholeTable({ em }: Scope): Promise<number> {
  const [row] = await sql<{ deliveries: number }>(
    em,
    `select greatest(0, reltuples)::float8 as deliveries from pg_class
     where oid = 'webhook_deliveries'::regclass and relkind = 'r'`,
  );
  return row?.deliveries ?? 0;
}
