import type { EntityManager, EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/postgresql';

/** Which page of a list is wanted. */
export interface Page {
  /** 1-based. */
  page: number;
  /** 1 to 100. */
  pageSize: number;
}

/** A page of a list. */
export interface ListPage<T> {
  data: T[];
  /** How many there are on all pages. */
  totalCount: number;
  hasMore: boolean;
}

/** Resources on a page when the caller doesn't say. */
const DEFAULT_PAGE_SIZE = 50;

/** The page a validated query asks for, defaults filled in. */
export function pageOf(query: { page?: number; pageSize?: number }): Page {
  return { page: query.page ?? 1, pageSize: query.pageSize ?? DEFAULT_PAGE_SIZE };
}

/** How many rows lie before the page. */
export function offsetOf({ page, pageSize }: Page): number {
  return (page - 1) * pageSize;
}

/**
 * The page of which one row more than its size was asked for. What was read wins over the total: a total that is wrong,
 * or older than the rows, hides none of them.
 */
export function listPage<T>(rows: readonly T[], total: number, page: Page): ListPage<T> {
  const offset = offsetOf(page);
  const data = rows.slice(0, page.pageSize);
  if (rows.length > page.pageSize) return { data, totalCount: Math.max(total, offset + rows.length), hasMore: true };
  const totalCount = rows.length > 0 ? offset + rows.length : Math.min(total, offset);
  return { data, totalCount, hasMore: false };
}

/** One page of the rows that match, for lists that are never long. */
export async function findPage<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<NoInfer<Entity>>,
  orderBy: QueryOrderMap<NoInfer<Entity>>,
  page: Page,
): Promise<ListPage<Entity>> {
  const totalCount = await em.count(entity, where);
  const offset = offsetOf(page);
  if (offset >= totalCount) return { data: [], totalCount, hasMore: false };
  return listPage(await em.find(entity, where, { orderBy, limit: page.pageSize + 1, offset }), totalCount, page);
}

/** The paged list envelope of the contract. */
export function listEnvelope<T, Shown>(
  { data, totalCount, hasMore }: ListPage<T>,
  view: (row: T) => Shown,
  { page, pageSize }: Page,
) {
  return { object: 'list' as const, data: data.map((row) => view(row)), page, pageSize, totalCount, hasMore };
}
