import type { Scope } from '../../../platform/base/scope.ts';
import { deleteFirst } from '../../../platform/database/query/delete-first.ts';
import { KEPT_FORM_MS } from './kept-forms.ts';
import { DEVICE_LIFETIME_MS } from './limits.ts';

/** Time for which ended sessions, tokens, requests and sent forms stay, among others for the counts of mails. */
const KEPT_MS = 24 * 60 * 60_000;

/** Time for which an expired invitation can still be sent again. */
const EXPIRED_INVITATION_MS = 30 * 24 * 60 * 60_000;

/** Tables whose rows go, the column with their time, and how long after it they stay. */
const TABLES = [
  ['sign_in_requests', 'created_at', KEPT_MS],
  ['sign_in_tokens', 'expires_at', KEPT_MS],
  ['passkey_challenges', 'expires_at', KEPT_MS],
  ['console_sessions', 'last_used_at', KEPT_MS],
  ['console_devices', 'used_at', DEVICE_LIFETIME_MS],
  ['invitations', 'expires_at', EXPIRED_INVITATION_MS],
  ['invitation_mails', 'created_at', KEPT_MS],
  // A session lasts twelve hours, so no older page can send its form.
  ['sent_forms', 'created_at', KEPT_MS],
  ['kept_forms', 'created_at', KEPT_FORM_MS],
] as const;

/** Deletes a batch of old rows of each table. Returns true if there may be more to delete. */
export async function purgeSignIns(scope: Scope): Promise<boolean> {
  let isFull = false;
  for (const [table, column, keptMs] of TABLES) {
    const before = new Date(scope.clock.now().getTime() - keptMs);
    isFull = (await deleteFirst(scope, table, `${column} < $1 order by ${column}`, [before])) || isFull;
  }
  return isFull;
}
