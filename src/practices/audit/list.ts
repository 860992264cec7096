import { firstIdAt, isId } from '../../platform/base/ids.ts';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { LISTED, VIEWED } from './audit.ts';
import { AuditEntry } from './audit-entry.entity.ts';

const PAGE_SIZE = 50;

/** Entries of a page of an export. A client that does not read on keeps one in memory. */
const EXPORT_SIZE = 200;

export interface AuditFilter {
  /** Id of a person or key, or `operator`. */
  actor: string | null;
  /** Name of an action, `views`, or `all` for acts and views; null for acts alone. */
  action: string | null;
  /** Start of a day, and of the next one. */
  day: readonly [Date, Date] | null;
  /** Only entries older than the one with this id. */
  before: string | null;
}

const VIEWS = [...Object.values(VIEWED), ...Object.values(LISTED)];

/** Reads all wanted entries in pages, newest first. Only one page is in memory at a time. */
export async function* exportAudit(
  scope: Scope,
  practiceId: string,
  filter: AuditFilter,
): AsyncGenerator<AuditEntry[]> {
  let before = filter.before;
  do {
    const pageFilter = { ...filter, before };
    // In the places of their practice, many exports leave connections to others.
    const page = await withPlace(fresh(scope), (scope) => listAudit(scope, practiceId, pageFilter, EXPORT_SIZE));
    yield page.entries;
    before = page.older;
  } while (before !== null);
}

/**
 * Returns a page of the audit log of a practice, newest first. Its cost does not depend on the length of the log, but acts alone are
 * found by passing over the views between them. `older` is the value of `before` for the next page; null on the last one.
 */
export async function listAudit({ em }: Scope, practiceId: string, filter: AuditFilter, size = PAGE_SIZE) {
  const { actor, action, day, before } = filter;
  const [start, end] = (day ?? []).map((at) => firstIdAt('auditEntry', at));
  const within = start === undefined || end === undefined ? [] : [{ id: { $gte: start, $lt: end } }];
  const older = before === null || !isId('auditEntry', before) ? [] : [{ id: { $lt: before } }];
  const actions = action === null ? { $nin: VIEWS } : action === 'views' ? { $in: VIEWS } : action;
  const rows = await em.find(
    AuditEntry,
    {
      practiceId,
      ...(actor === null ? {} : { actorId: actor === 'operator' ? null : actor }),
      ...(action === 'all' ? {} : { action: actions }),
      $and: [...within, ...older],
    },
    { orderBy: { id: 'desc' }, limit: size + 1 },
  );
  const entries = rows.slice(0, size);
  return { entries, older: rows.length > size ? (entries.at(-1)?.id ?? null) : null };
}

/** Most acts on one object that its page shows. */
const MAX_ACTS = 100;

/** Returns the acts on one object without views, oldest first; the latest ones, if there are more than a hundred. */
export async function listActsOn({ em }: Scope, practiceId: string, targetId: string): Promise<AuditEntry[]> {
  const acts = await em.find(
    AuditEntry,
    // Views would push acts out of the limit.
    { practiceId, targetId, action: { $nin: Object.values(VIEWED) } },
    { orderBy: { id: 'desc' }, limit: MAX_ACTS },
  );
  return acts.toReversed();
}
