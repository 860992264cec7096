import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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

/** Returns the secret of this machine's listeners, which is made at the first call and stays. */
export function listeningSecret(folder: string): string {
  const stored = readText(join(folder, 'secret'))?.trim();
  if (stored !== undefined && stored !== '') return stored;
  const secret = newSecret();
  writeText(folder, 'secret', `${secret}\n`);
  return secret;
}

/** Returns the name of the file with a listener's position: one per service, key and receiver, none of which it shows. */
export function positionFile({ baseUrl, apiKey }: ApiSettings, url: URL): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([baseUrl, apiKey, url.href]))
    .digest('hex');
  return `listen-${hash.slice(0, 32)}.json`;
}

/** Returns the stored position; null without one, and for a file that is no position. */
export function readPosition(folder: string, file: string): Position | null {
  try {
    const value = JSON.parse(readText(join(folder, file)) ?? 'null');
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
  writeText(folder, file, `${JSON.stringify(position)}\n`);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw unusable(error);
  }
}

function writeText(folder: string, name: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `${name}.${process.pid}.tmp`);
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, join(folder, name));
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : 'unknown reason';
  return new Failure(`The folder of the command's files cannot be used: ${reason}`, 'Set PAYLINKS_CONFIG_DIR.');
}
