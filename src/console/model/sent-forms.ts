import { randomText } from '../../platform/base/random-text.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';

/*
 * Forms that create a key, an endpoint or a location carry an id. The transaction that creates the object stores it, so a form that is
 * sent twice creates one. Forms for links and refunds carry the id of the object itself.
 */

/** Form of an id. Those of 2.0.0 have hyphens and underscores, too. */
const FORM_ID = /^[\w-]{22}$/;

export function newFormId(): string {
  return randomText(22);
}

/** Stores that a form is carried out; false if it was before, or is none of our pages. A second one waits for the first. */
export async function claimForm(
  { em, clock }: Scope,
  { member, fields }: { member: { practiceId: string }; fields: ReadonlyMap<string, string> },
): Promise<boolean> {
  const formId = fields.get('form') ?? '';
  if (!FORM_ID.test(formId)) return false;
  const stored = await sql(
    em,
    'insert into sent_forms (practice_id, form_id, created_at) values ($1, $2, $3) on conflict do nothing returning 1',
    [member.practiceId, formId, clock.now()],
  );
  return stored.length === 1;
}
