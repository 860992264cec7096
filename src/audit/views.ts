import { firstIdAt } from '../base/ids.ts';
import type { Actor, Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';
import { type Act, auditRows } from './audit.ts';

/** Names of views of patient data. They stand in the audit log only, and not among the acts on an object. */
export const VIEWED = { link: 'link.viewed', payment: 'payment.viewed' } as const;

/** Names of views of lists that show patients. Each page is an entry of the practice. */
export const LISTED = { links: 'links.listed', payments: 'payments.listed' } as const;

/** Time in which repeated views of one object by one person are one entry. */
const REPEATED_MS = 15 * 60_000;

/** Adds an entry of a view of patient data, unless the same person has viewed the same object a short time ago. */
export async function auditView(scope: Scope, actor: Actor & { kind: 'person' }, act: Act): Promise<void> {
  const since = firstIdAt('auditEntry', new Date(scope.clock.now().getTime() - REPEATED_MS));
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
