import type { Command } from 'commander';
import type { Finding, Invariant } from '../base/invariant.ts';
import type { Scope } from '../base/scope.ts';
import { practicesOf } from '../cells/invariant.ts';
import { KEPT_COUNTS } from '../database/query/kept-counts.ts';
import { LINK_INVARIANTS } from '../payment-links/invariants.ts';
import { getPractice } from '../practices/find.ts';
import { DELIVERY_INVARIANTS } from '../webhooks/invariants.ts';
import { command, processorAction } from './command.ts';

/** The invariants that `paylinks check` verifies, in this order. */
const INVARIANTS: readonly Invariant[] = [KEPT_COUNTS, ...DELIVERY_INVARIANTS, ...LINK_INVARIANTS];

/** Exit code if the check found a violation, repaired or not. */
const FINDINGS = 1;

/** Adds the command `check`, which verifies all invariants. */
export function addCheckCommand(program: Command): void {
  command(program, 'check', 'checks that what is stored agrees with itself; exit code 1 when it does not')
    .option('--practice <id>', 'this practice alone')
    .option('--repair', 'puts right what can be put right', false)
    .action(
      processorAction(async ({ scope, cells }, { practice, repair }: { practice?: string; repair: boolean }) => {
        if (practice !== undefined) await getPractice(scope, practice);
        const invariants = cells === null ? INVARIANTS : [...INVARIANTS, practicesOf(cells.own)];
        const data = await check(scope, invariants, { practiceId: practice ?? null, repair });
        if (data.length > 0) process.exitCode = FINDINGS;
        return { data };
      }),
    );
}

async function check(
  scope: Scope,
  invariants: readonly Invariant[],
  options: { practiceId: string | null; repair: boolean },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, find } of invariants) {
    for await (const violation of find(() => scope, options)) findings.push({ invariant: name, ...violation });
  }
  return findings;
}
