import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The first key encrypts; all keys decrypt, so that keys can be rotated. */
export interface Keyring {
  keys: readonly { id: string; key: Buffer }[];
}

export const emptyKeyring: Keyring = { keys: [] };

/** Returns an empty keyring if the first key is wrong: processes without a later key could not read what it encrypts. */
export function withoutKeys(keyring: Keyring, wrong: readonly string[]): Keyring {
  const [first] = keyring.keys;
  if (first === undefined || wrong.includes(first.id)) return emptyKeyring;
  return { keys: keyring.keys.filter(({ id }) => !wrong.includes(id)) };
}

const NONCE_BYTES = 12;

/** Reads `id:base64(32 bytes)[,id:…]`. The faults never repeat key material. */
export function parseKeyring(text: string): { keyring: Keyring } | { faults: string[] } {
  const faults: string[] = [];
  const keys = text.split(',').map((part, index) => {
    const [id = '', encoded = ''] = part.trim().split(':', 2);
    const key = Buffer.from(encoded, 'base64');
    if (!/^[\w-]{1,32}$/.test(id)) faults.push(`entry ${index + 1} has no usable id before its colon`);
    if (key.length !== 32) faults.push(`entry ${index + 1} is not the base64 of exactly 32 bytes`);
    return { id, key };
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) faults.push('an id occurs twice');
  return faults.length > 0 ? { faults } : { keyring: { keys } };
}

/** Returns null if the keyring is empty. A ciphertext that was copied to a row with another binding cannot be decrypted. */
export function encryptSecret(keyring: Keyring, binding: string, secret: string): string | null {
  const currentKey = keyring.keys[0];
  if (currentKey === undefined) return null;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', currentKey.key, nonce);
  cipher.setAAD(Buffer.from(binding));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  const parts = [nonce, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return [currentKey.id, ...parts].join('.');
}

export function listKeyIds({ keys }: Keyring): string[] {
  return keys.map(({ id }) => id);
}

/** Returns null if the key is missing or wrong, or if the ciphertext has another binding. */
export function decryptSecret(keyring: Keyring, binding: string, sealed: string): string | null {
  const [id, nonce = '', ciphertext = '', tag = ''] = sealed.split('.');
  const entry = keyring.keys.find((candidate) => candidate.id === id);
  if (entry === undefined) return null;
  try {
    const decipher = createDecipheriv('aes-256-gcm', entry.key, Buffer.from(nonce, 'base64url'), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(binding));
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    return Buffer.concat([decipher.update(Buffer.from(ciphertext, 'base64url')), decipher.final()]).toString('utf8');
  } catch {
    // Node throws for a failed authentication and for a malformed nonce or tag.
    return null;
  }
}
