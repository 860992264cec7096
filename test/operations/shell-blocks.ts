import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../harness/processes.ts';

/** Returns the shell blocks of a kind in the guides for operators, or in other pages, in their order, without the indentation of a list. */
export function shellBlocks(kind: string, pages = ['docs/operations.md', 'docs/failover.md']): string[] {
  const guide = pages.map((page) => readFileSync(join(checkout, page), 'utf8')).join('\n');
  return [...guide.matchAll(new RegExp(`^( *)\`\`\`sh ${kind}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}
