import type { Scope } from '../../base/scope.ts';
import { decryptSecret, encryptSecret } from '../../base/secrets.ts';
import { isLockTimeout } from './errors.ts';
import { sql } from './sql.ts';

/** A column of secrets that are encrypted under SECRETS_KEY. */
export interface SecretColumn {
  table: string;
  column: string;
  key: readonly string[];
  /** See `encryptSecret`. */
  bindingOf: (key: readonly string[]) => string;
}

export interface RotatedColumn {
  table: string;
  column: string;
  /** Secrets that the first key encrypts now. */
  rotated: number;
  /** Secrets that no key of SECRETS_KEY decrypts, or whose rows stayed locked. */
  left: number;
}

/** Encrypts the secrets of a column again. A secret that changes at the same time stays as it became. */
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
  const { length: left } = await sql(scope.em, `select 1 ${ofOtherKeys}`, [first.id]);
  return { table, column, rotated, left };
}

interface SecretRow {
  key: string[];
  ciphertext: string;
}

/** Returns false for a secret that no key decrypts, that has changed, or whose row stays locked. */
async function rotateRow(
  { em, keyring }: Scope,
  { table, column, key, bindingOf }: SecretColumn,
  { key: values, ciphertext }: SecretRow,
): Promise<boolean> {
  const secret = decryptSecret(keyring, bindingOf(values), ciphertext);
  if (secret === null) return false;
  const isRow = key.map((name, index) => `${name} = $${index + 3}`).join(' and ');
  try {
    const updated = await sql(em, `update ${table} set ${column} = $1 where ${column} = $2 and ${isRow} returning 1`, [
      encryptSecret(keyring, bindingOf(values), secret),
      ciphertext,
      ...values,
    ]);
    return updated.length === 1;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}
