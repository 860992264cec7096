import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { VERSION } from '../base/log/version.ts';

/*
 * The schema as SQL files. `schema.sql` makes an empty database. A file of `upgrades/` is a migration: it runs once on a database of an
 * earlier release, and never changes after a release. `triggers.sql` and the SQL functions have statements that can be repeated, and
 * run again when they have changed. A function stands beside its caller, in any room.
 */

const DIRECTORY = new URL('./', import.meta.url);

const ROOMS = new URL('../../', import.meta.url);

const read = (path: string, directory = DIRECTORY) => readFileSync(new URL(path, directory), 'utf8');

const listFiles = (pattern: string, directory = DIRECTORY) => globSync(pattern, { cwd: directory }).toSorted();

export const hashText = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Longest wait of a migration for one lock. It is half of PostgreSQL's `deadlock_timeout`, so that a deadlock ends the migration
 * and no request. All writers of the table wait as long. A migration keeps its locks until its end. So writers of the first of
 * several tables wait as long again for each further table that is locked just then.
 */
export const LOCK_TIMEOUT_MS = 500;

/** The whole schema, as an empty database gets it. */
export const SCHEMA = { name: 'database/schema', text: read('schema.sql') };

/** The last migration of 2.0.0. A database of an earlier release lacks it. */
export const LAST_OF_2_0_0 = '0100-fewer-indexes';

/** The migrations since 2.0.0 in order of their file names. */
export const MIGRATIONS = listFiles('upgrades/*.sql').map((path) => ({
  name: path.replace(/^upgrades\/|\.sql$/g, ''),
  text: read(path),
}));

/** A file of statements that may run again. */
export interface ReplaceableFile {
  /** Path below `src/` without extension, such as `access/admit-requests`. Databases recorded the names of this folder without its room. */
  name: string;
  text: string;
  /** SHA-256 of the text, in hexadecimal. */
  hash: string;
}

function fileAt(path: string): ReplaceableFile {
  const text = read(path, ROOMS);
  return { name: path.replace(/^platform\/|\.sql$/g, ''), text, hash: hashText(text) };
}

/** The SQL functions of all rooms. */
export const FUNCTION_FILES: readonly ReplaceableFile[] = listFiles('*/**/*.sql', ROOMS)
  .filter((path) => !path.startsWith('platform/database/'))
  .map(fileAt);

/** The SQL functions, in any order, then the triggers that call them. */
export const REPLACEABLE_FILES: readonly ReplaceableFile[] = [
  ...FUNCTION_FILES,
  ...['platform/database/release-2.0.0.sql', 'platform/database/triggers.sql'].map(fileAt),
];

/** Returns the names of all tables and functions of the schema, without their schemas. */
export function schemaNames(): ReadonlySet<string> {
  const texts = [SCHEMA, ...REPLACEABLE_FILES].map(({ text }) => text);
  const created = /^create (?:or replace function|(?:unlogged )?table)\s+(?:if not exists\s+)?(?:\w+\.)?(\w+)/gm;
  return new Set(texts.flatMap((text) => [...text.matchAll(created)].map(([, name = '']) => name)));
}

/**
 * The oldest major version whose processes may run on the schema of this release. It changes with a release that drops what they use.
 */
const OLDEST_MAJOR = 2;

/** Numbers of this release's version, such as `[1, 0, 0]`. A pre-release counts as its release. */
export const RELEASE: readonly number[] = parseRelease(VERSION);

/** `RELEASE` as the database records it, behind the oldest major version. A process refuses a number there that is above its own. */
export const RECORDED_RELEASE: readonly number[] = [OLDEST_MAJOR, ...RELEASE];

function parseRelease(version: string): number[] {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  if (numbers.length === 0) throw new Error(`package.json has the version "${version}" instead of three numbers`);
  return numbers.map(Number);
}
