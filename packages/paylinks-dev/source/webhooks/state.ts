import { createHash, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiSettings } from '../api.ts';
import { Failure } from '../failure.ts';
import { newSecret } from './signature.ts';

/** Position of a listener. */
export interface Position {
  /** Cursor before the page that is being forwarded. */
  cursor: string;
  /** Ids of that page which the receiver has accepted. */
  forwarded: string[];
  /** Time of the last answer of the service, in milliseconds since 1970. */
  atMs: number;
}

/**
 * Returns the secret of this machine's listeners, which is made at the first call and stays. Listeners that start at the
 * same time get the same one.
 */
export function listeningSecret(folder: string): string {
  const stored = storedSecret(folder);
  if (stored !== null) return stored;
  // A link fails if another process was first. A rename would replace the secret that its receiver has.
  writeText(folder, 'secret', `${newSecret()}\n`, linkSync);
  const secret = storedSecret(folder);
  if (secret === null)
    throw new Failure('The file of the secret has nothing to read.', `Delete ${join(folder, 'secret')}.`);
  return secret;
}

/** Returns the secret of this machine's listeners; null before the first one. */
export function storedSecret(folder: string): string | null {
  return readText(folder, 'secret')?.trim() || null;
}

/** Returns the name of the file with a listener's position: one per service, key and receiver, none of which it shows. */
export function positionFile({ baseUrl, apiKey }: ApiSettings, receiver: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([baseUrl, apiKey, receiver]))
    .digest('hex');
  return `listen-${hash.slice(0, 32)}.json`;
}

/** Returns the stored position; null without one, and for a file that is no position. */
export function readPosition(folder: string, file: string): Position | null {
  try {
    const value = JSON.parse(readText(folder, file) ?? 'null');
    const isPosition =
      typeof value?.cursor === 'string' && Array.isArray(value.forwarded) && typeof value.atMs === 'number';
    return isPosition ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Stores the position. A process that ends at any moment leaves the old or the new one. */
export function writePosition(folder: string, file: string, position: Position): void {
  writeText(folder, file, `${JSON.stringify(position)}\n`, renameSync);
}

function readText(folder: string, name: string): string | null {
  try {
    requireOwnFolder(folder);
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw unusable(error);
  }
}

/** Writes a draft, and gives it its name by `publish`. A name that exists already stays as it is with `linkSync`. */
function writeText(folder: string, name: string, text: string, publish: typeof renameSync): void {
  const draft = join(folder, `${name}.${randomUUID()}.tmp`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    requireOwnFolder(folder);
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    publish(draft, join(folder, name));
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw unusable(error);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Refuses a folder in which other accounts could replace the secret. @throws Failure, or ENOENT if it does not exist */
function requireOwnFolder(folder: string): void {
  const own = process.getuid?.();
  // Windows has no owners and modes of this kind.
  if (own === undefined) return;
  const { uid, mode } = statSync(folder);
  const isForeign = own !== 0 && uid !== own;
  if (!isForeign && (mode & 0o002) === 0) return;
  throw new Failure(
    `Other accounts can write to the folder ${folder}.`,
    'Set PAYLINKS_CONFIG_DIR to a folder that only you can write to.',
  );
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function unusable(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const reason = error instanceof Error ? error.message : 'unknown reason';
  return new Failure(`The folder of the command's files cannot be used: ${reason}`, 'Set PAYLINKS_CONFIG_DIR.');
}
