import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Faults that a run of `make chaos` must detect. A few words of one file are replaced while it is loaded, so the checkout stays as
 * it is. This module imports nothing of the service: what it imported would be loaded without the fault.
 */

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A fault in one module of the service. */
export interface Mutation {
  /** Path from the root of the checkout. */
  file: string;
  text: string;
  instead: string;
}

/** A fault that a plausible mistake would make, as a sentence. */
export interface Mutant extends Mutation {
  name: string;
  /** Beginning of the violations that it must cause. */
  violation: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the lease is shorter than the deadline',
    file: 'src/webhooks/delivery/start.ts',
    text: 'export const LEASE_MARGIN_MS = 5_000;',
    instead: 'export const LEASE_MARGIN_MS = -900;',
    violation: 'Q3',
  },
  {
    name: 'only notifications that are heard start deliveries, and no job does',
    file: 'src/webhooks/delivery/sweep.ts',
    text: 'max_attempts := 1) from jobs`',
    instead: 'max_attempts := 1) from jobs where false`',
    violation: 'Q6',
  },
  {
    name: 'jobs of a dead worker stay locked',
    file: 'src/platform/jobs/heartbeat.ts',
    text: 'const DEAD_AFTER_SECONDS = 6;',
    instead: 'const DEAD_AFTER_SECONDS = 6_000;',
    violation: 'Q7',
  },
  {
    name: 'an interrupted attempt waits for the retry schedule',
    file: 'src/webhooks/delivery/record.ts',
    text: 'scheduledMs === null || attempt.isRepeated ? scheduledMs : 0',
    instead: 'scheduledMs',
    violation: 'Q8',
  },
  {
    name: 'the event of a cancel is written, and the cancel is not',
    file: 'src/payment-links/store/writes.ts',
    text: 'fields: isState ? fields : null,',
    instead: `fields: isState && link.status !== 'cancelled' ? fields : null,`,
    violation: 'Q5 every event has its committed change',
  },
  {
    name: 'payloads are written anew before each send',
    file: 'src/webhooks/delivery/round.ts',
    text: 'url, payload: body } = attempt;',
    instead: 'url, payload } = attempt; const body = JSON.stringify(JSON.parse(payload), null, 1);',
    violation: 'Q5 what arrives is committed, byte for byte',
  },
  {
    name: 'a refund is asked for again with another idempotency key',
    file: 'src/payment-links/payments/sync.ts',
    text: 'snapshots.find((one) => one.refundId === refundId) ??',
    instead: `(await scope.processor.refund({ account, paymentReference, refundId: refundId + '_2', amountCents })) ??`,
    violation: 'Q10 the processor makes the refunds that were asked for, and no others',
  },
  {
    name: 'refunds that were made at the processor are not asked for',
    file: 'src/payment-links/payments/sync.ts',
    text: 'await scope.processor.retrieveRefunds(account, reference)',
    instead: '[]',
    violation: 'Q10 a refund at the processor is recorded once, with its outcome',
  },
  {
    name: 'nobody asks again about a refund whose API was killed',
    file: 'src/payment-links/decide/refund-decision.ts',
    text: 'reconcileAt: new Date(now.getTime() + FIRST_RECONCILE_MS)',
    instead: 'reconcileAt: null',
    violation: 'Q10 a recorded refund has ended, as it did at the processor',
  },
  {
    name: 'a refund of which the service hears later has no event',
    file: 'src/payment-links/decide/refund-decision.ts',
    text: `    draft.addEvent({ type: 'payment_link.refunded', context });`,
    instead: '',
    violation: 'Q1 every refund and dispute has its events',
  },
];

/** Environment variable that carries a process's mutation, as JSON. */
const VARIABLE = 'MUTATION';

/** Returns arguments of Node and environment that put the fault into a process. @throws Error when the file lacks the text */
export function mutation({ file, text, instead }: Mutation): { nodeArguments: string[]; env: NodeJS.ProcessEnv } {
  if (!readFileSync(join(checkout, file), 'utf8').includes(text))
    throw new Error(`${file} no longer contains: ${text}`);
  return {
    nodeArguments: ['--import', new URL('mutation-hook.ts', import.meta.url).href],
    env: { [VARIABLE]: JSON.stringify({ file, text, instead }) },
  };
}

/** Returns the mutation of this process. @throws Error when it has none */
export function ownMutation(): Mutation {
  const json = process.env[VARIABLE];
  if (json === undefined) throw new Error(`${VARIABLE} carries no mutation`);
  return JSON.parse(json);
}

/**
 * Returns the mutants that `ONLY` names: those whose name or file contains one of its words, separated by commas. All without it.
 *
 * @throws Error if there is none
 */
export function chooseMutants(only = ''): Mutant[] {
  const words = only.toLowerCase().split(',');
  const chosen = MUTANTS.filter(({ name, file }) =>
    words.some((word) => `${name} ${file}`.toLowerCase().includes(word)),
  );
  if (chosen.length === 0) throw new Error(`ONLY=${only}: the name or file of no mutant contains this`);
  return chosen;
}
