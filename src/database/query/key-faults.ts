import type { Scope } from '../../base/scope.ts';
import { decryptSecret, type Keyring, keyIdsOf } from '../../base/secrets.ts';
import type { SecretColumn } from './rotate-secrets.ts';
import { sql } from './sql.ts';

/** Keys of stored secrets that a keyring lacks, or has with another value. Both empty if it fits. */
export interface KeyFaults {
  /** Ids of keys that the keyring lacks. A keyring may lack one for a short time, while processes restart one by one. */
  missing: string[];
  /** Ids whose key in the keyring decrypts none of the secrets that were tried. */
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
  const decryptable = new Map<string, boolean>();
  for (const { table, column, key, placeOf } of columns) {
    const row = `array[${[...key, column].join(', ')}]`;
    const used = await sql<{ id: string; samples: Sample[] }>(
      em,
      `select split_part(${column}, '.', 1) as id, array[min(${row}), max(${row})] as samples
       from ${table} where ${column} <> '' group by 1`,
    );
    for (const { id, samples } of used) {
      const isDecryptable = samples.some((sample) => {
        const [ciphertext = '', ...values] = sample.toReversed();
        return decryptSecret(keyring, placeOf(values.toReversed()), ciphertext) !== null;
      });
      decryptable.set(id, isDecryptable || decryptable.get(id) === true);
    }
  }
  const known = keyIdsOf(keyring);
  const undecryptable = [...decryptable].flatMap(([id, isDecryptable]) => (isDecryptable ? [] : [id])).toSorted();
  return {
    missing: undecryptable.filter((id) => !known.includes(id)),
    wrong: undecryptable.filter((id) => known.includes(id)),
  };
}
