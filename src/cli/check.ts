import type { Command } from 'commander';
import type { Invariant, ReportedViolation, Violation } from '../base/invariant.ts';
import { safeMessage } from '../base/log/describe-error.ts';
import { fresh, type Scope } from '../base/scope.ts';
import { LINK_INVARIANTS } from '../payment-links/invariants.ts';
import { getPractice } from '../practices/find.ts';
import { logMissingKeys } from '../processes/open-database.ts';
import { DELIVERY_INVARIANTS } from '../webhooks/invariants.ts';
import { command, processorAction } from './command.ts';
import { asOperator } from './recorded.ts';

/** The invariants that `paylinks check` verifies, in this order. */
const INVARIANTS: readonly Invariant[] = [...DELIVERY_INVARIANTS, ...LINK_INVARIANTS];

/** Exit code if the check found a violation, repaired or not. A check that cannot run has the same exit code. */
const VIOLATED = 1;

interface CheckOptions {
  practice?: string;
  repair: boolean;
}

export function addCheckCommand(program: Command): void {
  command(program, 'check', 'checks that what is stored agrees with itself; exit code 1 when it does not')
    .option('--practice <id>', 'this practice alone')
    .option('--repair', 'puts right what can be put right, while the service runs', false)
    .action(
      processorAction(async ({ scope, keyFaults, exitWith }, { practice, repair }: CheckOptions) => {
        if (practice !== undefined) await getPractice(scope, practice);
        logMissingKeys(scope.log, keyFaults);
        const data = await check(scope, practice ?? null, repair);
        if (data.length > 0) exitWith(VIOLATED);
        return { data, empty: `no faults: ${INVARIANTS.length} invariants hold` };
      }),
    );
}

async function check(scope: Scope, practiceId: string | null, repair: boolean): Promise<ReportedViolation[]> {
  const reported: ReportedViolation[] = [];
  for (const { name: invariant, find } of INVARIANTS) {
    for await (const violation of find(() => scope, { practiceId })) {
      const { practiceId, problem } = violation;
      reported.push({ invariant, practiceId, problem, ...(await repairOrDescribe(scope, violation, repair)) });
    }
  }
  return reported;
}

/** Repairs the violation, if that is wanted and possible. A repair that fails does not keep the others from being made. */
async function repairOrDescribe(
  scope: Scope,
  { remedy }: Violation,
  repair: boolean,
): Promise<Pick<ReportedViolation, 'repaired' | 'next'>> {
  if (typeof remedy === 'string') return { repaired: false, next: `A person has to decide: ${remedy}.` };
  const { does, run } = remedy;
  if (!repair) return { repaired: false, next: `--repair would ${does}.` };
  try {
    if (await run(asOperator(fresh(scope)))) return { repaired: true, next: `Done: ${does}.` };
    return { repaired: false, next: 'Nothing to change: it is right by now, or waits for a running worker.' };
  } catch (error) {
    return {
      repaired: false,
      next: `Not repaired, run it again: ${error instanceof Error ? safeMessage(error) : 'unknown error'}`,
    };
  }
}
