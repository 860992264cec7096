import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './processes.ts';

/** Returns the names of the settings that the README lists. */
export function readmeSettings(): string[] {
  const readme = readFileSync(join(checkout, 'README.md'), 'utf8');
  const [, table = ''] = readme.split('| variable | meaning | default |');
  return [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name);
}
