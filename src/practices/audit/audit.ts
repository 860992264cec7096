import { firstIdAt, newId } from '../../platform/base/ids.ts';
import type { Actor, Scope } from '../../platform/base/scope.ts';
import { jsonRow } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { AuditEntry } from './audit-entry.entity.ts';

export type { Actor } from '../../platform/base/scope.ts';

export interface Act {
  practiceId: string;
  /** Object and past participle, such as `member.invited`. */
  action: string;
  target: { kind: string; id: string };
  /** State before and after. Never data of patients, keys or secrets. */
  before?: object | null;
  after?: object | null;
}

/** Adds an entry to the audit log. Call it inside the transaction of the act, which writes it. */
export function audit(scope: Scope, actor: Actor, act: Act): void {
  scope.em.persist(scope.em.create(AuditEntry, makeEntry(scope, actor, act)));
}

/** Adds an entry if the scope names an actor. Call it inside the transaction of the act. */
export function auditOwnAct(scope: Scope, act: Act): void {
  if (scope.actor !== undefined) audit(scope, scope.actor, act);
}

/** Returns the rows of entries for a statement that writes acts together with their changes. None if the scope names no actor. */
export function auditRows(scope: Scope, acts: readonly Act[]): object[] {
  const { actor } = scope;
  if (actor === undefined) return [];
  return acts.map((act) => jsonRow(makeEntry(scope, actor, act)));
}

function makeEntry({ clock }: Scope, actor: Actor, { practiceId, action, target, before, after }: Act) {
  const now = clock.now();
  return {
    id: newId('auditEntry', now),
    practiceId,
    actorKind: actor.kind,
    actorId: actor.kind === 'operator' ? null : actor.id,
    action,
    targetKind: target.kind,
    targetId: target.id,
    address: actor.kind === 'operator' ? null : actor.address,
    before: before ?? null,
    after: after ?? null,
    createdAt: now,
  };
}

/** Names of views of patient data. They stand in the audit log only, and not among the acts on an object. */
export const VIEWED = { link: 'link.viewed', payment: 'payment.viewed' } as const;

/** Names of views of lists that show patients. Each page is an entry of the practice. */
export const LISTED = { links: 'links.listed', payments: 'payments.listed', search: 'search.listed' } as const;

/** Adds an entry of a view of patient data, unless the same person has viewed the same object in the last 15 minutes. */
export async function auditView(scope: Scope, actor: Actor & { kind: 'person' }, act: Act): Promise<void> {
  const since = firstIdAt('auditEntry', new Date(scope.clock.now().getTime() - 15 * 60_000));
  await sql(
    scope.em,
    `insert into audit_log select r.* from json_populate_recordset(null::audit_log, $1) as r
     where not exists (
       select from audit_log a where a.practice_id = $2 and a.actor_id = $3 and a.id > $4 and a.action = $5
         and a.target_id = $6
     )`,
    [JSON.stringify(auditRows({ ...scope, actor }, [act])), act.practiceId, actor.id, since, act.action, act.target.id],
  );
}
