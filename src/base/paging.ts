import type { EntityManager, EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/postgresql';

/** Which page of a list is wanted. */
export interface Page {
  /** 1-based. */
  page: number;
  /** 1 to 100. */
  pageSize: number;
}

/** Resources on a page when the caller doesn't say. */
const DEFAULT_PAGE_SIZE = 50;

/** The page a validated query asks for, defaults filled in. */
export function pageOf(query: { page?: number; pageSize?: number }): Page {
  return { page: query.page ?? 1, pageSize: query.pageSize ?? DEFAULT_PAGE_SIZE };
}

/**
 * One page of the rows that match, and how many match in all. Counted first: a page behind the last one is empty
 * without reading up to it.
 *
 * @param counted the same rows said in fewer columns, where an index then counts them without looking at the rows
 */
export async function findPage<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<NoInfer<Entity>>,
  orderBy: QueryOrderMap<NoInfer<Entity>>,
  { page, pageSize }: Page,
  counted: FilterQuery<NoInfer<Entity>> = where,
): Promise<[Entity[], number]> {
  const totalCount = await em.count(entity, counted);
  const offset = (page - 1) * pageSize;
  if (offset >= totalCount) return [[], totalCount];
  return [await em.find(entity, where, { orderBy, limit: pageSize, offset }), totalCount];
}

/** The paged list envelope of the contract. `totalCount` counts all pages. */
export function listEnvelope<T>(data: T[], totalCount: number, { page, pageSize }: Page) {
  return { object: 'list' as const, data, page, pageSize, totalCount, hasMore: page * pageSize < totalCount };
}
