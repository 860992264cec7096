import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { VERSION } from '../base/log/version.ts';

const DIRECTORY = new URL('./', import.meta.url);
const ROOMS = new URL('../../', import.meta.url);

const read = (path: string, directory = DIRECTORY) => readFileSync(new URL(path, directory), 'utf8');

const listFiles = (pattern: string, directory = DIRECTORY) => globSync(pattern, { cwd: directory }).toSorted();

export const hashText = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Half of PostgreSQL's `deadlock_timeout`, so that a deadlock ends the migration and no request. All writers of the
 * table wait as long, and once more for each further table of the migration.
 */
export const LOCK_TIMEOUT_MS = 500;

export const SCHEMA = { name: 'database/schema', text: read('schema.sql') };

/** A database of an earlier release lacks it. */
export const LAST_OF_2_0_0 = '0100-fewer-indexes';

export const MIGRATIONS = listFiles('upgrades/*.sql').map((path) => ({
  name: path.replace(/^upgrades\/|\.sql$/g, ''),
  text: read(path),
}));

export interface ReplaceableFile {
  /** Path below `src/` without extension and `platform/`, such as `access/admit-requests`. */
  name: string;
  text: string;
  hash: string;
}

function fileAt(path: string): ReplaceableFile {
  const text = read(path, ROOMS);
  return { name: path.replace(/^platform\/|\.sql$/g, ''), text, hash: hashText(text) };
}

export const FUNCTION_FILES: readonly ReplaceableFile[] = listFiles('*/**/*.sql', ROOMS)
  .filter((path) => !path.startsWith('platform/database/'))
  .map(fileAt);

/** The SQL functions, in any order, then the triggers that call them. */
export const REPLACEABLE_FILES: readonly ReplaceableFile[] = [
  ...FUNCTION_FILES,
  ...['platform/database/release-2.0.0.sql', 'platform/database/triggers.sql'].map(fileAt),
];

export function schemaNames(): ReadonlySet<string> {
  const texts = [SCHEMA, ...REPLACEABLE_FILES].map(({ text }) => text);
  const created = /^create (?:or replace function|(?:unlogged )?table)\s+(?:if not exists\s+)?(?:\w+\.)?(\w+)/gm;
  return new Set(texts.flatMap((text) => [...text.matchAll(created)].map(([, name = '']) => name)));
}

/** It changes with a release that drops what older processes use. */
const OLDEST_MAJOR = 2;

/** A pre-release counts as its release. */
export const RELEASE: readonly number[] = parseRelease(VERSION);

/** The database records it behind the oldest major version. A process refuses a number there that is above its own. */
export const RECORDED_RELEASE: readonly number[] = [OLDEST_MAJOR, ...RELEASE];

function parseRelease(version: string): number[] {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  if (numbers.length === 0) throw new Error(`package.json has the version "${version}" instead of three numbers`);
  return numbers.map(Number);
}
