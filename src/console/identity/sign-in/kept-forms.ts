import { createHash, createHmac } from 'node:crypto';
import { containsCardNumber } from '../../../payment-links/api/card-number.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { decryptSecret, encryptSecret, type Keyring } from '../../../platform/base/secrets.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { hashToken } from './tokens.ts';

/* Forms that were not carried out, because they needed a sign-in. A token in a cookie decrypts the form; the database has its hash. */

export const KEPT_FORM_MS = 60 * 60_000;

/** Name of a field by which a page that leaves the screen asks to keep its form only. */
export const KEEP_ONLY = 'keep_only';

/** Fields that are never kept: the token of the session, the tick that confirms, the answer of a passkey. */
const LEFT_OUT = ['csrf', 'confirmed', 'response', KEEP_ONLY];

interface SentForm {
  /** Of the session that the form was made for. */
  cookie: string;
  personId: string;
  /** Path of the page that shows the form; null if there is none. */
  page: string | null;
  fields: ReadonlyMap<string, string>;
  /** Parameters of the form's address: the filter of the list on which it stands. */
  query: ReadonlyMap<string, string>;
}

/** Keeps a form instead of the former one of its session. Returns the token for the cookie, unless the form has nothing to keep. */
export async function keepForm(
  { em, clock }: Scope,
  { cookie, personId, page, fields, query }: SentForm,
): Promise<string | undefined> {
  const entries = [...fields].filter(([name]) => !LEFT_OUT.includes(name));
  if (page === null || entries.length + query.size === 0 || entries.some(([, text]) => containsCardNumber(text)))
    return undefined;
  const token = createHmac('sha256', cookie).update('kept form').digest('base64url');
  const sealed = encryptSecret(deriveKeyring(token), personId, JSON.stringify([entries, [...query]]));
  await sql(
    em,
    `insert into kept_forms (hash, person_id, page, sealed, created_at) values ($1, $2, $3, $4, $5)
     on conflict (hash) do update set page = excluded.page, sealed = excluded.sealed, created_at = excluded.created_at`,
    [hashToken(token), personId, page, sealed, clock.now()],
  );
  return token;
}

/** Returns the form that is kept for the person and page, once; null without one. */
export async function takeForm(
  { em, clock }: Scope,
  token: string,
  personId: string,
  page: string,
): Promise<Pick<SentForm, 'fields' | 'query'> | null> {
  const [row] = await sql<{ sealed: string }>(
    em,
    'delete from kept_forms where hash = $1 and person_id = $2 and page = $3 and created_at > $4 returning sealed',
    [hashToken(token), personId, page, new Date(clock.now().getTime() - KEPT_FORM_MS)],
  );
  const text = row === undefined ? null : decryptSecret(deriveKeyring(token), personId, row.sealed);
  if (text === null) return null;
  const [fields, query]: [string, string][][] = JSON.parse(text);
  return { fields: new Map(fields), query: new Map(query) };
}

function deriveKeyring(token: string): Keyring {
  return { keys: [{ id: 'form', key: createHash('sha256').update(`key ${token}`).digest() }] };
}
