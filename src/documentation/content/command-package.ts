import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { gzipSync } from 'node:zlib';

/* The consumers' command as a package for npm, so that the address of the service is all that its installation needs. */

const folder = new URL('../../../packages/paylinks-dev/', import.meta.url);

/** Size of a block of a tar archive. */
const BLOCK_BYTES = 512;

/** Permissions of all files: the command must be executable. */
const MODE = '000755 ';

/** Returns the package as npm reads it: a gzipped tar archive with all files below `package/`. Same files, same archive. */
export function commandPackage(): Buffer {
  const files = ['package.json', 'README.md', 'events.json'].map((path): [string, Buffer] => [
    path,
    readFileSync(new URL(path, folder)),
  ]);
  const sources = globSync('source/**/*.ts', { cwd: folder }).toSorted();
  const modules = sources.map((path): [string, Buffer] => [
    path.replace(/^source/, 'dist').replace(/\.ts$/, '.js'),
    Buffer.from(asJavaScript(readFileSync(new URL(path, folder), 'utf8'))),
  ]);
  const entries = [...files, ...modules].flatMap(([path, content]) => tarEntry(`package/${path}`, content));
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]));
}

/** Returns a module without types, which imports modules as they are named in the package. Node strips no types below `node_modules`. */
function asJavaScript(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/( from |\bimport\()'(\.[^']*)\.ts'/g, `$1'$2.js'`);
}

/** Returns header, content and padding of a file in the format ustar. @throws Error for a path of more than 100 bytes */
function tarEntry(path: string, content: Buffer): Buffer[] {
  if (Buffer.byteLength(path) > 100) throw new Error(`the path ${path} is too long for a tar header`);
  const header = Buffer.alloc(BLOCK_BYTES);
  const write = (text: string, offset: number) => header.write(text, offset, 'latin1');
  write(path, 0);
  write(MODE, 100);
  // Owner and group 0, the size, and the time 0.
  write('000000 \x000000 \0', 108);
  write(`${content.length.toString(8).padStart(11, '0')} `, 124);
  write(`${'0'.repeat(11)} `, 136);
  write('0', 156);
  write('ustar\x0000', 257);
  // The header has blanks in place of its checksum while that is computed.
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, content, Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES)];
}
