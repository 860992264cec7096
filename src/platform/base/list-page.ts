import type { EntityManager, EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/postgresql';

export interface ListQuery {
  /** 1-based. */
  page: number;
  /** 1 to 100. */
  pageSize: number;
}

export interface ListPage<T> extends ListQuery {
  data: T[];
  totalCount: number;
  hasMore: boolean;
}

const DEFAULT_PAGE_SIZE = 50;

export function readListPage(query: { page?: number; pageSize?: number }): ListQuery {
  return { page: query.page ?? 1, pageSize: query.pageSize ?? DEFAULT_PAGE_SIZE };
}

export function pageOffset({ page, pageSize }: ListQuery): number {
  return (page - 1) * pageSize;
}

/**
 * @param rows those of the page and, if there is one, the first of the next page. They take precedence over the total,
 *   so that a total that is wrong or older hides no row
 */
export function listPage<T>(rows: readonly T[], total: number, page: ListQuery): ListPage<T> {
  const offset = pageOffset(page);
  const hasMore = rows.length > page.pageSize;
  const lastPageTotal = rows.length > 0 ? offset + rows.length : Math.min(total, offset);
  const totalCount = hasMore ? Math.max(total, offset + rows.length) : lastPageTotal;
  return { data: rows.slice(0, page.pageSize), ...page, totalCount, hasMore };
}

/** Serves lists that are never long, because it counts them. */
export async function findPage<Entity extends object>(
  em: EntityManager,
  entity: EntityName<Entity>,
  where: FilterQuery<NoInfer<Entity>>,
  orderBy: QueryOrderMap<NoInfer<Entity>>,
  page: ListQuery,
): Promise<ListPage<Entity>> {
  const rows = await em.find(entity, where, { orderBy, limit: page.pageSize + 1, offset: pageOffset(page) });
  return listPage(rows, await em.count(entity, where), page);
}

export function listEnvelope<T, Shown>({ data, ...page }: ListPage<T>, view: (row: T) => Shown) {
  return { object: 'list' as const, data: data.map((row) => view(row)), ...page };
}
