import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkout } from '../harness/processes.ts';

const OPERATIONS = ['install', 'run', 'recover'].map((name) => `docs/operations/${name}.md`);

/** Returns the shell blocks of a kind in the guides for operators, or in other pages, in their order, without the indentation of a list. */
export function shellBlocks(kind: string, pages = [...OPERATIONS, 'docs/failover.md']): string[] {
  const guide = pages.map((page) => readFileSync(join(checkout, page), 'utf8')).join('\n');
  return [...guide.matchAll(new RegExp(`^( *)\`\`\`sh ${kind}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Runs commands, which stop at the first failure and must succeed, and returns their output. */
export function runShell(commands: string, options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): string {
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
    ...{ ...options, encoding: 'utf8' },
    // A server that stays inherits no pipe, for which the test would wait.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(status, `${commands}\n${stdout}${stderr}`).to.equal(0);
  return stdout;
}

/** Writes a shell program that stands in for another one. */
export function writeProgram(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}
