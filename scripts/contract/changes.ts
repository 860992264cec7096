import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { isObject, type Json, resolve } from '../../src/contract/json-pointer.ts';
import { extensionChanges } from './extension-changes.ts';

/** One change of the contract since the last release. */
export interface Change {
  isBreaking: boolean;
  /** JSON pointer of the changed part. */
  pointer: string;
  /** The fact, as part of a sentence. */
  fact: string;
  /** Name of the changed part, as the changelog must mention it; null for texts and examples. */
  name: string | null;
}

interface RedoclyChange {
  path: string;
  kind: 'added' | 'removed' | 'modified';
  impact: 'major' | 'minor' | 'patch';
  property?: string;
  verdicts: { ruleId: string; message?: string }[];
}

/** Settings of Redocly, so that it makes no requests. */
const OFFLINE = Object.fromEntries([
  ['REDOCLY_TELEMETRY', 'off'],
  ['REDOCLY_SUPPRESS_UPDATE_NOTICE', 'true'],
]);

const run = promisify(execFile);
const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
const config = fileURLToPath(new URL('diff.redocly.yaml', import.meta.url));

/** Members that are texts for readers. Their changes need no line in the changelog. */
const TEXT =
  /^(description|summary|title|example|examples|info|contact|license|servers|externalDocs|x-revision|x-code\w+|x-multiline|x-personal)$/;

/** Pattern of single-line text. The service refused control characters in such text before the contract said so. */
const SINGLE_LINE = String.raw`^[^\x00-\x1f\x7f]*$`;

/**
 * Compares two contracts, given as YAML. `redocly diff` knows the directions of requests, responses and webhooks. It does not
 * know this contract's extensions, nor the names that SDKs derive; `extensionChanges` adds those.
 */
export async function changesOf(released: string, present: string): Promise<Change[]> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  try {
    const [base, revision, report] = ['base.yaml', 'revision.yaml', 'report.json'].map((file) => join(folder, file));
    await writeFile(base ?? '', released);
    await writeFile(revision ?? '', present);
    const args = ['diff', base, revision, '--config', config, '--format', 'json', '--fail-on', 'none', '-o', report];
    await run(process.execPath, [redocly, ...args.map(String)], {
      env: { ...process.env, ...OFFLINE },
      timeout: 120_000,
    });
    const { changes }: { changes: RedoclyChange[] } = JSON.parse(await readFile(report ?? '', 'utf8'));
    const [before, after]: Json[] = [parse(released), parse(present)];
    return [...changes.map((change) => asChange(change, before, after)), ...extensionChanges(before, after)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function asChange(change: RedoclyChange, before: Json, after: Json): Change {
  const { path, kind, property, verdicts } = change;
  const segments = path.split('/').slice(1).map(unescaped);
  const isText = [...segments, property ?? ''].some((segment) => TEXT.test(segment) && !isProperty(segments, segment));
  const judged = verdicts.map(({ ruleId, message }) => `${message ?? 'it changed'} (${ruleId})`.replace('. (', ' ('));
  const own = ownVerdict(change, segments, placeAt(before, segments).value, placeAt(after, segments).value);
  return {
    // Clients rely on a default without sending it.
    isBreaking: own?.isBreaking ?? (change.impact === 'major' || property === 'default'),
    pointer: path,
    fact: own?.fact ?? (judged.length > 0 ? judged.join(', ') : `${property ?? 'it'} was ${kind}`),
    name: isText ? null : placeAt(kind === 'removed' ? before : after, segments).name,
  };
}

/** Returns the verdict on a change that Redocly misjudges; null for any other. */
function ownVerdict(
  { kind, property, impact }: RedoclyChange,
  segments: readonly string[],
  old: Json,
  now: Json,
): Pick<Change, 'isBreaking' | 'fact'> | null {
  const [before, after] = [isObject(old) ? old : {}, isObject(now) ? now : {}];
  if (kind === 'added' && segments.at(-1) === 'requestBody' && after.required === true) {
    return { isBreaking: true, fact: 'a required body was added' };
  }
  if (property === 'required' && segments.at(-2) === 'headers' && after.required !== true) {
    return { isBreaking: true, fact: `the header ${segments.at(-1)} is no longer sent always` };
  }
  const { 'x-extensible-enum': open } = before;
  if (property === 'enum' && Array.isArray(open) && Array.isArray(after.enum)) {
    // Redocly calls it major in requests, which could name the values of the list only. Responses could bring others.
    const values: Json[] = after.enum;
    if (impact !== 'major') return { isBreaking: true, fact: 'the open list of values was closed' };
    return open.every((value) => values.includes(value)) ? { isBreaking: false, fact: 'the list was closed' } : null;
  }
  if (property === 'pattern' && before.pattern === undefined && after.pattern === SINGLE_LINE) {
    return { isBreaking: false, fact: 'the contract says what was always required' };
  }
  return null;
}

/** Returns true if the segment is the name of a field, such as a link's `description`. */
function isProperty(segments: readonly string[], segment: string): boolean {
  const index = segments.indexOf(segment);
  return index > 0 && segments[index - 1] === 'properties';
}

/** Kinds of parts whose members have names that readers know. */
const NAMED = ['properties', 'headers', 'responses', 'schemas', 'securitySchemes', 'webhooks', 'paths'];

const SCHEMAS = '#/components/schemas/';

/**
 * Follows a path through the references of a document. Returns the value at its end, and the most specific name on the way: a
 * schema, field, parameter, header, status, operation, event or path.
 */
function placeAt(document: Json, segments: readonly string[]): { value: Json; name: string } {
  let value = document;
  let name = segments[0] ?? '';
  for (const [index, segment] of segments.entries()) {
    const parent = segments[index - 1] ?? '';
    const member: Json = isObject(value) || Array.isArray(value) ? Object(value)[segment] : undefined;
    value = resolve(document, member);
    if (NAMED.includes(parent)) name = segment;
    else if (isObject(value) && parent === 'parameters') name = String(value.name);
    else if (isObject(value) && typeof value.operationId === 'string') name = value.operationId;
    if (isObject(member) && String(member.$ref).startsWith(SCHEMAS)) name = String(member.$ref).slice(SCHEMAS.length);
  }
  return { value, name };
}

function unescaped(segment: string): string {
  return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
}
