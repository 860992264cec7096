import type { Scope } from '../../base/scope.ts';
import { decryptSecret, type Keyring, listKeyIds } from '../../base/secrets.ts';
import type { SecretColumn } from './rotate-secrets.ts';
import { sql } from './sql.ts';

/**
 * Ids of keys of stored secrets. Both lists are empty if the keyring fits. A key may be missing for a short time, while
 * processes restart one by one.
 */
export interface KeyFaults {
  missing: string[];
  /** Keys that decrypt none of the secrets that were tried. */
  wrong: string[];
  /** True if no secret that was tried could be decrypted. */
  readsNothing: boolean;
}

/**
 * Compares a keyring with what is stored. It tries the first and the last secret of each key in each column. A key is
 * wrong if it decrypts none of at least two, so one damaged secret makes no key wrong. It reads each table once.
 */
export async function findKeyFaults(
  { em }: Pick<Scope, 'em'>,
  keyring: Keyring,
  columns: readonly SecretColumn[],
): Promise<KeyFaults> {
  const secretCounts = new Map<string, number>();
  const decryptableIds = new Set<string>();
  for (const { table, column, key, bindingOf } of columns) {
    const row = `array[${[...key, column].join(', ')}]`;
    const keyUses = await sql<{ id: string; samples: string[][]; secrets: number }>(
      em,
      `select split_part(${column}, '.', 1) as id, array[min(${row}), max(${row})] as samples,
         least(2, count(*))::integer as secrets
       from ${table} where ${column} <> '' group by 1`,
    );
    for (const { id, samples, secrets } of keyUses) {
      secretCounts.set(id, (secretCounts.get(id) ?? 0) + secrets);
      for (const sample of samples) {
        const secret = decryptSecret(keyring, bindingOf(sample.slice(0, -1)), sample.at(-1) ?? '');
        if (secret !== null) decryptableIds.add(id);
      }
    }
  }
  const ownIds = listKeyIds(keyring);
  const undecryptableIds = [...secretCounts.keys()].filter((id) => !decryptableIds.has(id)).toSorted();
  const missing = undecryptableIds.filter((id) => !ownIds.includes(id));
  const wrong = undecryptableIds.filter((id) => ownIds.includes(id) && (secretCounts.get(id) ?? 0) > 1);
  return { missing, wrong, readsNothing: missing.length + wrong.length > 0 && decryptableIds.size === 0 };
}
