import { newId } from '../base/ids.ts';
import type { Scope } from '../base/scope.ts';
import { AuditEntry } from './audit-entry.entity.ts';

/** The one who acts. */
export type Actor =
  | { kind: 'person'; id: string; address: string | null }
  | { kind: 'api_key'; id: string; address: string | null }
  | { kind: 'operator' };

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
export function recordAct(scope: Scope, actor: Actor, { practiceId, action, target, before, after }: Act): void {
  const now = scope.clock.now();
  const entry = scope.em.create(AuditEntry, {
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
  });
  scope.em.persist(entry);
}
