import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. This module imports nothing of the service: what it imported would be loaded without the fault. */
export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A fault in one file of the service: a few words, replaced while the file is loaded. The checkout stays as it is. */
export interface Mutation {
  /** Path from the root of the checkout. A module, or anything that the service reads by `readFileSync`. */
  file: string;
  text: string;
  instead: string;
}

/** Environment variable that carries a process's mutation, as JSON. */
const VARIABLE = 'MUTATION';

/** Arguments of Node and environment that put the fault into a process. @throws Error when the file lacks the text */
export function mutation({ file, text, instead }: Mutation): { nodeArguments: string[]; env: NodeJS.ProcessEnv } {
  if (occurrences({ file, text }) === 0) throw new Error(`${file} no longer contains: ${text}`);
  return {
    nodeArguments: ['--import', new URL('mutation-hook.ts', import.meta.url).href],
    env: { [VARIABLE]: JSON.stringify({ file, text, instead }) },
  };
}

/** Number of times that the text stands in the file; 0 as well when there is no such file. */
export function occurrences({ file, text }: Pick<Mutation, 'file' | 'text'>): number {
  try {
    return readFileSync(join(checkout, file), 'utf8').split(text).length - 1;
  } catch {
    return 0;
  }
}

/** The mutation of this process. @throws Error when it has none */
export function ownMutation(): Mutation {
  const json = process.env[VARIABLE];
  if (json === undefined) throw new Error(`${VARIABLE} carries no mutation`);
  return JSON.parse(json);
}
