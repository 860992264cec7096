import { firstIdAt, isId } from '../../platform/base/ids.ts';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import { withPlace } from '../../platform/database/query/transaction.ts';
import { LISTED, VIEWED } from './audit.ts';
import { AuditEntry } from './audit-entry.entity.ts';

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

/** Reads all wanted entries in pages, newest first. A client that does not read on keeps one page in memory. */
export async function* exportAudit(
  scope: Scope,
  practiceId: string,
  filter: AuditFilter,
): AsyncGenerator<AuditEntry[]> {
  let before = filter.before;
  do {
    const pageFilter = { ...filter, before };
    // In the places of their practice, many exports leave connections to others.
    const page = await withPlace(fresh(scope), (scope) => listAudit(scope, practiceId, pageFilter, 200));
    yield page.entries;
    before = page.older;
  } while (before !== null);
}

/**
 * Returns a page of the audit log of a practice, newest first. Its cost does not depend on the length of the log, but acts alone are
 * found by passing over the views between them. `older` is the value of `before` for the next page; null on the last one.
 */
export async function listAudit({ em }: Scope, practiceId: string, filter: AuditFilter, size = 50) {
  const { actor, action, day, before } = filter;
  const [start, end] = (day ?? []).map((at) => firstIdAt('auditEntry', at));
  const dayRange = start === undefined || end === undefined ? [] : [{ id: { $gte: start, $lt: end } }];
  const cursor = before === null || !isId('auditEntry', before) ? [] : [{ id: { $lt: before } }];
  const actions = action === null ? { $nin: VIEWS } : action === 'views' ? { $in: VIEWS } : action;
  const rows = await em.find(
    AuditEntry,
    {
      practiceId,
      ...(actor === null ? {} : { actorId: actor === 'operator' ? null : actor }),
      ...(action === 'all' ? {} : { action: actions }),
      $and: [...dayRange, ...cursor],
    },
    { orderBy: { id: 'desc' }, limit: size + 1 },
  );
  const entries = rows.slice(0, size);
  return { entries, older: rows.length > size ? (entries.at(-1)?.id ?? null) : null };
}

/** Returns the acts on one object without views, oldest first; the latest ones, if there are more than a hundred. */
export async function listActsOn({ em }: Scope, practiceId: string, targetId: string): Promise<AuditEntry[]> {
  const acts = await em.find(
    AuditEntry,
    // Views would push acts out of the limit.
    { practiceId, targetId, action: { $nin: Object.values(VIEWED) } },
    { orderBy: { id: 'desc' }, limit: 100 },
  );
  return acts.toReversed();
}

export interface FieldChange {
  field: string;
  before: string;
  after: string;
}

export const NO_VALUE = '–';

/** Lists the fields that differ. Without a state before or after, all fields of the other one. */
export function listChanges(before: object | null, after: object | null): FieldChange[] {
  const [old, present] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after ?? {}))];
  return [...new Set([...old.keys(), ...present.keys()])]
    .map((field) => ({ field, before: formatValue(old.get(field)), after: formatValue(present.get(field)) }))
    .filter((change) => change.before !== change.after);
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return NO_VALUE;
  if (Array.isArray(value)) return value.map(formatValue).join(', ') || NO_VALUE;
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`;
}
