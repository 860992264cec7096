import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * The Node of a release comes from a package of npm, whose hash is in package-lock.json. That says nothing about its maker. So the
 * release compares the program with the archive of the Node project, and that archive with the checksums beside it.
 */

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
 * @returns a sentence: that it is the same, or why it was not compared
 * @throws Error if it is another program
 */
export async function originOf(
  program: string,
  { version, platform }: { version: string; platform: string },
  mirror: string,
): Promise<string> {
  const name = `node-${version}-${platform}`;
  const file = `${name}.tar.gz`;
  const unknown = (reason: string) =>
    `Node ${version} was not compared with what the Node project publishes: ${mirror} ${reason}`;
  let [expected, archive]: [string | undefined, Buffer] = [undefined, Buffer.alloc(0)];
  try {
    const checksums = (await download(`${mirror}/${version}/SHASUMS256.txt`, CHECKSUMS_MS)).toString().split('\n');
    expected = checksums.find((line) => line.endsWith(`  ${file}`))?.split(' ')[0];
    if (expected === undefined) return unknown(`has no checksum of ${file}`);
    archive = await download(`${mirror}/${version}/${file}`, DOWNLOAD_MS);
  } catch (error) {
    return unknown(`did not answer: ${error instanceof Error ? reasonOf(error) : error}`);
  }
  if (hash('sha256', archive) !== expected) {
    throw new Error(`${file} of ${mirror} does not have the checksum that is published for it`);
  }
  if (!programOf(archive, name).equals(readFileSync(program))) {
    throw new Error(`${program} is not the program in ${file} of the Node project`);
  }
  return `Node ${version} is the program that the Node project publishes`;
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

/** Returns the innermost message: `fetch` only says that it failed. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
