import { randomText } from '../../platform/base/random-text.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';

/* Forms that create a key, an endpoint or a location carry an id, which is stored with the object. So a form sent twice creates one. */

/** Form of an id. Ids of 2.0.0 have hyphens and underscores, too. */
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
  const text =
    'insert into sent_forms (practice_id, form_id, created_at) values ($1, $2, $3) on conflict do nothing returning 1';
  const stored = await sql(em, text, [member.practiceId, formId, clock.now()]);
  return stored.length === 1;
}
