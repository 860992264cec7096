import { newId } from '../base/ids.ts';
import type { Actor, Scope } from '../base/scope.ts';
import { AuditEntry } from './audit-entry.entity.ts';

export type { Actor } from '../base/scope.ts';

/** An act, as the audit log records it. */
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
  scope.em.persist(scope.em.create(AuditEntry, entryOf(scope, actor, act)));
}

/** Adds an entry if the scope names the one who acts. Call it inside the transaction of the act. */
export function auditOwnAct(scope: Scope, act: Act): void {
  if (scope.actor !== undefined) audit(scope, scope.actor, act);
}

/**
 * Returns the rows of entries for statements that write an act together with its change, by the names of their columns.
 * There are none if the scope does not name the one who acts.
 */
export function auditRows(scope: Scope, acts: readonly Act[]): object[] {
  const { actor } = scope;
  if (actor === undefined) return [];
  return acts.map((act) => {
    const { id, practiceId, actorKind, actorId, action, targetKind, targetId, address, before, after, createdAt } =
      entryOf(scope, actor, act);
    return {
      ...{ id, practice_id: practiceId, actor_kind: actorKind, actor_id: actorId, action, target_kind: targetKind },
      ...{ target_id: targetId, address, before, after, created_at: createdAt },
    };
  });
}

function entryOf({ clock }: Scope, actor: Actor, { practiceId, action, target, before, after }: Act) {
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
