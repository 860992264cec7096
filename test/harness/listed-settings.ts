import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './processes.ts';

/** Returns the names of the settings that the guide for operators lists. */
export function listedSettings(): string[] {
  const guide = readFileSync(join(checkout, 'docs/operations/install.md'), 'utf8');
  const [, table = ''] = guide.split('| variable | meaning | default |');
  return [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name);
}
