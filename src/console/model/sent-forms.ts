import { randomBytes } from 'node:crypto';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';

/*
 * Forms that create something carry an id, which the server makes for each page. The transaction that creates the object
 * stores the id. So a form that is sent twice creates one object.
 *
 * Keys and endpoints need this, because their services make the id, and show a secret once. Forms for links and refunds
 * carry the id of the object itself, and its primary key refuses the second one.
 */

/** Time for which ids are stored. A session lasts twelve hours, so no older page can send its form. */
const KEPT_MS = 24 * 60 * 60_000;

/** Rows per statement. */
const BATCH = 1_000;

const FORM_ID = /^[\w-]{22}$/;

/** Returns the id of a new form. */
export function newFormId(): string {
  return randomBytes(16).toString('base64url');
}

/** Returns true if the text can be the id of a form. */
export function isFormId(text: string | undefined): text is string {
  return text !== undefined && FORM_ID.test(text);
}

/**
 * Stores that a form is carried out, in the caller's transaction. A second transaction with the same form waits for the
 * first one.
 *
 * @returns false if the form was carried out before
 */
export async function claimForm({ em, clock }: Scope, practiceId: string, formId: string): Promise<boolean> {
  const stored = await sql(
    em,
    'insert into sent_forms (practice_id, form_id, created_at) values ($1, $2, $3) on conflict do nothing returning 1',
    [practiceId, formId, clock.now()],
  );
  return stored.length === 1;
}

/**
 * Deletes ids of forms that are older than a day.
 *
 * @returns true if there may be more to delete
 */
export async function purgeSentForms({ em, clock }: Scope): Promise<boolean> {
  const deleted = await sql(
    em,
    `delete from sent_forms where (practice_id, form_id) in (
       select practice_id, form_id from sent_forms where created_at < $1
       order by created_at limit $2 for update skip locked
     ) returning 1`,
    [new Date(clock.now().getTime() - KEPT_MS), BATCH],
  );
  return deleted.length === BATCH;
}
