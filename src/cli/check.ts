import type { Command } from 'commander';
import type { Finding, Invariant } from '../base/invariant.ts';
import type { Scope } from '../base/scope.ts';
import { KEPT_COUNTS } from '../database/query/kept-counts.ts';
import { LINK_INVARIANTS } from '../payment-links/invariants.ts';
import { PAYMENT_TOTALS } from '../payment-links/read/payment-totals.ts';
import { getPractice } from '../practices/find.ts';
import { DELIVERY_INVARIANTS } from '../webhooks/invariants.ts';
import { action, command } from './command.ts';

/** The invariants that `paylinks check` verifies, in this order. */
const INVARIANTS: readonly Invariant[] = [KEPT_COUNTS, PAYMENT_TOTALS, ...DELIVERY_INVARIANTS, ...LINK_INVARIANTS];

/** Exit code if the check found a violation, repaired or not. */
const FINDINGS = 1;

/** Adds the command `check`, which verifies all invariants. */
export function addCheckCommand(program: Command): void {
  command(program, 'check', 'checks that what is stored agrees with itself; exit code 1 when it does not')
    .option('--practice <id>', 'this practice alone')
    .option('--repair', 'puts right what can be put right', false)
    .action(
      action(async (scope, { practice, repair }: { practice?: string; repair: boolean }) => {
        if (practice !== undefined) await getPractice(scope, practice);
        const data = await check(scope, { practiceId: practice ?? null, repair });
        if (data.length > 0) process.exitCode = FINDINGS;
        return { data };
      }),
    );
}

async function check(scope: Scope, options: { practiceId: string | null; repair: boolean }): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, find } of INVARIANTS) {
    for await (const violation of find(() => scope, options)) findings.push({ invariant: name, ...violation });
  }
  return findings;
}
