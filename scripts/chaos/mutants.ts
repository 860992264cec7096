import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkout } from '../service.ts';

/** One way to break the service: a few words of one of its files, replaced as they are loaded. */
export interface Mutant {
  name: string;
  file: string;
  /** As it stands in the file, as often as it does. */
  text: string;
  instead: string;
  /** How the violations begin that must come of it. */
  caughtBy: string;
}

/**
 * Needs an answer that arrives within the deadline, after a worker was frozen, taken over and thawed. Runs meet that too
 * rarely, so a test brings it about.
 */
export const FENCELESS: Mutant = {
  name: 'an attempt that was declared interrupted can still be written',
  file: 'src/webhooks/attempts.ts',
  text: "IS_OPEN = 'coalesce(a.duration_ms, -1) = -1'",
  instead: "IS_OPEN = 'true'",
  caughtBy: 'Q4 nothing is attempted after a 2xx',
};

/** What a run must be able to notice, or its silence would prove nothing. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the lease is shorter than the deadline',
    file: 'src/webhooks/round.ts',
    text: 'const LEASE_MARGIN_MS = 5_000;',
    instead: 'const LEASE_MARGIN_MS = -900;',
    caughtBy: 'Q3',
  },
  {
    name: 'jobs alone tell what is to be delivered, without a sweep',
    file: 'src/tasks.ts',
    text: 'of endpointsWithDueDeliveries(newScope)',
    instead: 'of []',
    caughtBy: 'Q6',
  },
  {
    name: 'events are published outside of the transaction',
    file: 'src/payment-links/lifecycle.ts',
    text: 'await publish(scope, ',
    instead: 'await publish({ ...scope, em: scope.em.fork({ keepTransactionContext: false }) }, ',
    caughtBy: 'Q5 every event has its committed change',
  },
  {
    name: 'payloads go through jsonb',
    file: 'src/webhooks/publish.ts',
    text: 'status, payload, ladder, rank,',
    instead: 'status, payload::jsonb::text, ladder, rank,',
    caughtBy: 'Q5 bodies are the bytes that were written once',
  },
];

/** The variable by which a process is told which mutant it is. */
const MUTANT_VARIABLE = 'CHAOS_MUTANT';

/** What makes a process of the service the mutant. @throws Error when the mutant doesn't fit the file any more */
export function mutation(mutant: Mutant): { nodeArguments: string[]; env: NodeJS.ProcessEnv } {
  mutate(mutant, readFileSync(join(checkout, mutant.file), 'utf8'));
  return {
    nodeArguments: ['--import', fileURLToPath(new URL('mutation-hook.ts', import.meta.url))],
    env: { [MUTANT_VARIABLE]: mutant.name },
  };
}

/** The mutant that this process is to be. */
export function presentMutant(): Mutant {
  const mutant = [...MUTANTS, FENCELESS].find(({ name }) => name === process.env[MUTANT_VARIABLE]);
  if (mutant === undefined) throw new Error(`${MUTANT_VARIABLE} names no mutant`);
  return mutant;
}

/** The file with the mutation in it. */
export function mutate(mutant: Mutant, source: string): string {
  if (!source.includes(mutant.text)) throw new Error(`${mutant.file} no longer has what "${mutant.name}" replaces`);
  return source.replaceAll(mutant.text, mutant.instead);
}
