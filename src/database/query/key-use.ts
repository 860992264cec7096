import type { Scope } from '../../base/scope.ts';
import { decryptSecret, type Keyring, keyIdsOf } from '../../base/secrets.ts';
import type { SecretColumn } from './rotate-secrets.ts';
import { sql } from './sql.ts';

/** Keys of the stored secrets that a keyring does not have. All empty if it fits. */
export interface KeyFaults {
  /** Ids of keys that the keyring lacks. A keyring may lack one for a short time, while processes restart one by one. */
  missing: string[];
  /** Ids of keys that are others in the keyring: none of the secrets looked at was encrypted with them. */
  wrong: string[];
}

/** A secret with the values of its row's primary key before it. */
type Sample = readonly [...key: string[], ciphertext: string];

/**
 * Compares a keyring with what is stored. It tries the first and the last secret of each key in each column, in the order of the
 * primary key. So one damaged secret makes no key wrong. It reads each table once.
 */
export async function findKeyFaults(
  { em }: Pick<Scope, 'em'>,
  keyring: Keyring,
  columns: readonly SecretColumn[],
): Promise<KeyFaults> {
  const opened = new Map<string, boolean>();
  for (const { table, column, key, placeOf } of columns) {
    const row = `array[${[...key, column].join(', ')}]`;
    const used = await sql<{ id: string; samples: Sample[] }>(
      em,
      `select split_part(${column}, '.', 1) as id, array[min(${row}), max(${row})] as samples
       from ${table} where ${column} <> '' group by 1`,
    );
    for (const { id, samples } of used) {
      const opens = samples.some((sample) => {
        const [ciphertext = '', ...values] = sample.toReversed();
        return decryptSecret(keyring, placeOf(values.toReversed()), ciphertext) !== null;
      });
      opened.set(id, opens || opened.get(id) === true);
    }
  }
  const known = keyIdsOf(keyring);
  const shut = [...opened].flatMap(([id, opens]) => (opens ? [] : [id])).toSorted();
  return { missing: shut.filter((id) => !known.includes(id)), wrong: shut.filter((id) => known.includes(id)) };
}
