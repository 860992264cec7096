import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { isObject, type Json, valueAt } from '../../src/contract/json-pointer.ts';
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
const TEXT = /^(description|summary|title|example|examples|info|contact|license|servers|externalDocs|x-revision)$/;

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

function asChange({ path, kind, impact, property, verdicts }: RedoclyChange, before: Json, after: Json): Change {
  // Clients rely on a default without sending it.
  const isBreaking = impact === 'major' || property === 'default';
  const segments = path.split('/').slice(1).map(unescaped);
  const isText = [...segments, property ?? ''].some((segment) => TEXT.test(segment) && !isProperty(segments, segment));
  const judged = verdicts.map(({ ruleId, message }) => `${message ?? 'it changed'} (${ruleId})`.replace('. (', ' ('));
  const fact = judged.length > 0 ? judged.join(', ') : `${property ?? 'it'} was ${kind}`;
  return {
    isBreaking,
    pointer: path,
    fact,
    name: isText ? null : nameOf(segments, kind === 'removed' ? before : after),
  };
}

/** Returns true if the segment is the name of a field, such as a link's `description`. */
function isProperty(segments: readonly string[], segment: string): boolean {
  const index = segments.indexOf(segment);
  return index > 0 && segments[index - 1] === 'properties';
}

/** Returns the most specific name on the way to a change: a field, parameter, header, status, operation, event or schema. */
function nameOf(segments: readonly string[], document: Json): string {
  for (let index = segments.length - 1; index > 0; index--) {
    const [parent, segment = ''] = [segments[index - 1] ?? '', segments[index]];
    if (['properties', 'headers', 'responses', 'schemas', 'securitySchemes', 'webhooks', 'paths'].includes(parent)) {
      return segment;
    }
    const value = valueAt(
      document,
      `#/${segments
        .slice(0, index + 1)
        .map(escaped)
        .join('/')}`,
    );
    if (parent === 'parameters') return parameterName(document, segments, index) ?? segment;
    if (isObject(value) && typeof value.operationId === 'string') return value.operationId;
  }
  return segments[0] ?? '';
}

function parameterName(document: Json, segments: readonly string[], index: number): string | undefined {
  const list = valueAt(document, `#/${segments.slice(0, index).map(escaped).join('/')}`);
  const item: Json = Array.isArray(list) ? list[Number(segments[index])] : undefined;
  const parameter = isObject(item) && typeof item.$ref === 'string' ? valueAt(document, item.$ref) : item;
  return isObject(parameter) && typeof parameter.name === 'string' ? parameter.name : undefined;
}

function unescaped(segment: string): string {
  return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
}

function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}
