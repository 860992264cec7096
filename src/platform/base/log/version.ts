import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');

const GIT_TIMEOUT_MS = 5_000;

export const VERSION: string = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string })
  .version;

let commit: string | undefined;

/** Returns the commit of the archive (`COMMIT`) or of the checkout, with `-dirty` if files differed from it; else `unknown`. */
export function readCommit(): string {
  const file = join(ROOT, 'COMMIT');
  commit ??= existsSync(file) ? readFileSync(file, 'utf8').trim() : (readCheckoutCommit() ?? 'unknown');
  return commit;
}

function readCheckoutCommit(): string | null {
  // A copy of the files can lie inside another project's checkout, whose commit says nothing here.
  if (!existsSync(join(ROOT, '.git'))) return null;
  try {
    const status = execFileSync('git', ['--no-optional-locks', 'status', '--porcelain=v2', '--branch'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: GIT_TIMEOUT_MS,
    });
    const [, id] = /^# branch\.oid ([0-9a-f]+)$/m.exec(status) ?? [];
    return id === undefined ? null : `${id}${/^[^#]/m.test(status) ? '-dirty' : ''}`;
  } catch {
    return null;
  }
}
