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

/** Rows to skip before the page. */
export function offsetOf({ page, pageSize }: Page): number {
  return (page - 1) * pageSize;
}

/** The paged list envelope of the contract. `totalCount` counts all pages. */
export function listEnvelope<T>(data: T[], totalCount: number, { page, pageSize }: Page) {
  return { object: 'list' as const, data, page, pageSize, totalCount, hasMore: page * pageSize < totalCount };
}
