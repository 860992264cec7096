import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../harness/processes.ts';

/** Returns the shell blocks of a kind in the guide for operators, or in another page, in their order, without the indentation of a list. */
export function shellBlocks(kind: string, page = 'docs/operations.md'): string[] {
  const guide = readFileSync(join(checkout, page), 'utf8');
  return [...guide.matchAll(new RegExp(`^( *)\`\`\`sh ${kind}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}
