import { setTimeout as pause } from 'node:timers/promises';
import { fresh, type Scope } from '../../base/scope.ts';
import { decryptSecret, encryptSecret } from '../../base/secrets.ts';
import { sql } from './sql.ts';
import { inTransaction } from './transaction.ts';

/** A column of secrets that are encrypted under SECRETS_KEY. */
export interface SecretColumn {
  table: string;
  column: string;
  /** Columns of the primary key, all of type text. */
  key: readonly string[];
  /** Returns the place that the secret of the row is encrypted for; see `encryptSecret`. */
  placeOf: (key: readonly string[]) => string;
}

/** Result of a rotation. */
export interface RotatedColumn {
  table: string;
  column: string;
  /** Secrets that were encrypted again, with the first key. */
  rotated: number;
  /** Secrets that stay as they are: no key of SECRETS_KEY decrypts them, or their rows stayed locked. */
  left: number;
}

/** Rows per transaction. It locks them for a few milliseconds. */
const BATCH = 100;

/** Passes over the table. A row that another transaction has locked waits for the next pass. */
const MAX_PASSES = 20;
const PAUSE_MS = 250;

/** Encrypts the secrets of a column again, with the first key. Processes may read and write the table at the same time. */
export async function rotateColumn(scope: Scope, secrets: SecretColumn): Promise<RotatedColumn> {
  const { table, column } = secrets;
  let rotated = 0;
  let left = 0;
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const seen = await passOver(scope, secrets);
    rotated += seen.rotated;
    left = await countLeft(scope, secrets);
    // Secrets that no key decrypts stay. The others that are left had locked rows.
    if (left <= seen.unreadable) break;
    await pause(PAUSE_MS);
  }
  return { table, column, rotated, left };
}

/** Goes over the table once, in the order of its primary key, without waiting for locked rows. */
async function passOver(scope: Scope, secrets: SecretColumn): Promise<{ rotated: number; unreadable: number }> {
  const seen = { rotated: 0, unreadable: 0 };
  let after: readonly string[] | null = secrets.key.map(() => '');
  while (after !== null) {
    const from: readonly string[] = after;
    const batch = await inTransaction(fresh(scope), (scope) => rotateBatch(scope, secrets, from));
    seen.rotated += batch.rotated;
    seen.unreadable += batch.unreadable;
    after = batch.last;
  }
  return seen;
}

async function rotateBatch(scope: Scope, { table, column, key, placeOf }: SecretColumn, after: readonly string[]) {
  const rows = await sql<{ key: string[]; ciphertext: string }>(
    scope.em,
    `select array[${key.join(', ')}] as key, ${column} as ciphertext from ${table}
     where ${isLeft(column)} and (${key.join(', ')}) > (${key.map((_, index) => `$${index + 2}`).join(', ')})
     order by ${key.join(', ')} limit ${BATCH} for no key update skip locked`,
    [firstKeyId(scope), ...after],
  );
  let rotated = 0;
  for (const { key: values, ciphertext } of rows) {
    const secret = decryptSecret(scope.keyring, placeOf(values), ciphertext);
    if (secret === null) continue;
    await sql(
      scope.em,
      `update ${table} set ${column} = $1 where ${key.map((name, index) => `${name} = $${index + 2}`).join(' and ')}`,
      [encryptSecret(scope.keyring, placeOf(values), secret), ...values],
    );
    rotated++;
  }
  return { rotated, unreadable: rows.length - rotated, last: rows.at(-1)?.key ?? null };
}

async function countLeft(scope: Scope, { table, column }: SecretColumn): Promise<number> {
  const [row] = await sql<{ count: number }>(
    fresh(scope).em,
    `select count(*)::integer as count from ${table} where ${isLeft(column)}`,
    [firstKeyId(scope)],
  );
  return row?.count ?? 0;
}

/** Condition for a secret that another key than the first has encrypted. A ciphertext begins with the id of its key. */
function isLeft(column: string): string {
  return `${column} <> '' and split_part(${column}, '.', 1) <> $1`;
}

function firstKeyId({ keyring }: Scope): string {
  const [first] = keyring.keys;
  if (first === undefined) throw new Error('SECRETS_KEY is not set: put the new key first and the old one after it.');
  return first.id;
}
