import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * The Node of a release comes from a package of npm, whose hash is in package-lock.json. That says nothing about its maker. So the
 * release compares the program with the archive of the Node project, and that archive with the checksums beside it.
 */

/** Result of a comparison. `unknown` has the reason. */
export type Origin = { is: 'published' } | { is: 'different'; fact: string } | { is: 'unknown'; reason: string };

/** Time to download 60 MB over a slow line. */
const DOWNLOAD_MS = 300_000;

/** Time for the list of checksums, so that a build without the internet goes on soon. */
const CHECKSUMS_MS = 15_000;

/**
 * Compares a Node program with the one that the Node project publishes.
 *
 * @param program path of the program
 * @param id version and platform as the Node project writes them, such as `v24.21.0` and `linux-x64`
 * @param mirror base of the downloads, such as https://nodejs.org/dist
 */
export async function compareWithPublished(
  program: string,
  { version, platform }: { version: string; platform: string },
  mirror: string,
): Promise<Origin> {
  const name = `node-${version}-${platform}`;
  try {
    const checksums = (await download(`${mirror}/${version}/SHASUMS256.txt`, CHECKSUMS_MS)).toString();
    const [expected] =
      checksums
        .split('\n')
        .find((line) => line.endsWith(`  ${name}.tar.gz`))
        ?.split(' ') ?? [];
    if (expected === undefined) return { is: 'unknown', reason: `${mirror} has no checksum of ${name}.tar.gz` };
    const archive = await download(`${mirror}/${version}/${name}.tar.gz`, DOWNLOAD_MS);
    if (sha256(archive) !== expected) {
      return {
        is: 'different',
        fact: `${name}.tar.gz of ${mirror} does not have the checksum that is published for it`,
      };
    }
    return sha256(programOf(archive, name)) === sha256(readFileSync(program))
      ? { is: 'published' }
      : { is: 'different', fact: `${program} is not the program in ${name}.tar.gz of the Node project` };
  } catch (error) {
    return { is: 'unknown', reason: `${mirror} did not answer: ${error instanceof Error ? reasonOf(error) : error}` };
  }
}

async function download(url: string, timeoutMs: number): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`${response.status} for ${url}`);
  return Buffer.from(await response.arrayBuffer());
}

function programOf(archive: Buffer, name: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'paylinks-node-'));
  try {
    writeFileSync(join(folder, 'node.tar.gz'), archive);
    execFileSync('tar', ['-xzf', 'node.tar.gz', `${name}/bin/node`], { cwd: folder });
    return readFileSync(join(folder, name, 'bin/node'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the innermost message: `fetch` only says that it failed. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
