import type { Scope } from '../../base/scope.ts';
import { decryptSecret, encryptSecret } from '../../base/secrets.ts';
import { isLockTimeout } from './errors.ts';
import { sql } from './sql.ts';

/** A column of secrets that are encrypted under SECRETS_KEY. */
export interface SecretColumn {
  table: string;
  column: string;
  /** Columns of the primary key, all of type text. */
  key: readonly string[];
  /** Returns the binding of the secret of the row; see `encryptSecret`. */
  bindingOf: (key: readonly string[]) => string;
}

export interface RotatedColumn {
  table: string;
  column: string;
  /** Secrets that were encrypted again, with the first key. */
  rotated: number;
  /** Secrets that stay as they are: no key of SECRETS_KEY decrypts them, or their rows stayed locked. */
  left: number;
}

/**
 * Encrypts the secrets of a column again, with the first key. Processes may read and write the table at the same time: a secret
 * that changes at the same time stays as it became.
 */
export async function rotateColumn(scope: Scope, secrets: SecretColumn): Promise<RotatedColumn> {
  const { table, column, key } = secrets;
  const [first] = scope.keyring.keys;
  if (first === undefined) throw new Error('SECRETS_KEY is not set: put the new key first and the old one after it.');
  // A ciphertext begins with the id of its key.
  const ofOtherKeys = `from ${table} where ${column} <> '' and split_part(${column}, '.', 1) <> $1`;
  const select = `select array[${key.join(', ')}] as key, ${column} as ciphertext ${ofOtherKeys}`;
  let rotated = 0;
  for (const row of await sql<SecretRow>(scope.em, select, [first.id])) {
    if (await rotateRow(scope, secrets, row)) rotated++;
  }
  const [remainder] = await sql<{ count: number }>(scope.em, `select count(*)::integer as count ${ofOtherKeys}`, [
    first.id,
  ]);
  return { table, column, rotated, left: remainder?.count ?? 0 };
}

interface SecretRow {
  key: string[];
  ciphertext: string;
}

/** Returns false for a secret that no key decrypts, that has changed since it was read, or whose row stays locked. */
async function rotateRow(
  { em, keyring }: Scope,
  { table, column, key, bindingOf: placeOf }: SecretColumn,
  { key: values, ciphertext }: SecretRow,
): Promise<boolean> {
  const secret = decryptSecret(keyring, placeOf(values), ciphertext);
  if (secret === null) return false;
  const isRow = key.map((name, index) => `${name} = $${index + 3}`).join(' and ');
  try {
    const updated = await sql(em, `update ${table} set ${column} = $1 where ${column} = $2 and ${isRow} returning 1`, [
      encryptSecret(keyring, placeOf(values), secret),
      ciphertext,
      ...values,
    ]);
    return updated.length === 1;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}
