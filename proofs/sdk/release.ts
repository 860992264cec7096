import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { releasedVersions } from '../../scripts/contract/editions.ts';
import { asOpenApi30 } from '../../scripts/generate/openapi-3.0.ts';

const CONTRACTS = 'contract/released';

/** The last release, as users of SDKs have it. */
export interface Release {
  version: string;
  /** Folder with its guides, at their paths of that time. */
  root: string;
  /** Folder with its scenarios. */
  scenarios: string;
  /** Folder with its contract, by the names of the published one. */
  contracts: string;
}

/**
 * Unpacks the last released contract, and the scenarios of the commit that added it, into a folder.
 *
 * @returns null without the history of that commit
 */
export function unpackLastRelease(checkout: string, folder: string): Release | null {
  const version = releasedVersions(readdirSync(join(checkout, CONTRACTS))).at(-1) ?? '';
  const file = `${version}.yaml`;
  const git = (...words: string[]) => execFileSync('git', words, { cwd: checkout, maxBuffer: 64 * 1_048_576 });
  const commit = commitThatAdded(`${CONTRACTS}/${file}`, git);
  if (commit === null) return null;
  const root = join(folder, 'checkout');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  // The scenarios of 2.0.0 stand in scripts/sdk.
  const scenarios = `${git('ls-tree', '-d', '--name-only', commit, 'proofs/sdk', 'scripts/sdk')}`.trim();
  const archive = git('archive', commit, scenarios, 'docs');
  execFileSync('tar', ['-x', '-C', root], { input: archive });
  const read = () => parse(readFileSync(join(checkout, CONTRACTS, file), 'utf8'));
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(read()));
  writeFileSync(join(folder, 'openapi-3.0.json'), JSON.stringify(asOpenApi30(read())));
  return { version, root, scenarios: join(root, scenarios), contracts: folder };
}

function commitThatAdded(path: string, git: (...words: string[]) => Buffer): string | null {
  try {
    // The oldest commit of a shallow clone seems to add every file.
    if (git('rev-parse', '--is-shallow-repository').toString().trim() === 'true') return null;
    return git('log', '--diff-filter=A', '--format=%H', '-1', '--', path).toString().trim() || null;
  } catch {
    return null;
  }
}
