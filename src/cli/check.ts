import type { Command } from 'commander';
import { auditOwnAct } from '../audit/audit.ts';
import type { Invariant, ReportedViolation, Violation } from '../base/invariant.ts';
import { safeMessage } from '../base/log/describe-error.ts';
import { fresh, type Scope } from '../base/scope.ts';
import { inTransaction } from '../database/query/transaction.ts';
import { LINK_INVARIANTS } from '../payment-links/invariants.ts';
import { logMissingKeys } from '../processes/open-database.ts';
import { DELIVERY_INVARIANTS } from '../webhooks/invariants.ts';
import { addCommand, createProcessorAction } from './command.ts';
import { asOperator } from './recorded.ts';

/** The invariants that `paylinks check` verifies, in this order. */
export const INVARIANTS: readonly Invariant[] = [...DELIVERY_INVARIANTS, ...LINK_INVARIANTS];

/** Exit code if the check found a violation, repaired or not. A check that cannot run has the same exit code. */
const VIOLATED = 1;

export function addCheckCommand(program: Command): void {
  addCommand(program, 'check', 'checks that what is stored agrees with itself; exit code 1 when it does not')
    .option('--repair', 'puts right what can be put right, while the service runs', false)
    .action(
      createProcessorAction(async ({ scope, keyFaults, exitWith }, { repair }: { repair: boolean }) => {
        logMissingKeys(scope.log, keyFaults);
        const data = await check(scope, repair);
        if (data.length > 0) exitWith(VIOLATED);
        return { data, empty: `no faults: ${INVARIANTS.length} invariants hold` };
      }),
    );
}

async function check(scope: Scope, repair: boolean): Promise<ReportedViolation[]> {
  const reported: ReportedViolation[] = [];
  for (const { name: invariant, find } of INVARIANTS) {
    for await (const violation of find(() => scope)) {
      const { practiceId, problem } = violation;
      reported.push({
        invariant,
        practiceId,
        problem,
        ...(await repairOrDescribe(scope, invariant, violation, repair)),
      });
    }
  }
  return reported;
}

/** Repairs the violation, if that is wanted and possible. A repair that fails does not keep the others from being made. */
async function repairOrDescribe(
  scope: Scope,
  invariant: string,
  violation: Violation,
  repair: boolean,
): Promise<Pick<ReportedViolation, 'repaired' | 'next'>> {
  const { remedy } = violation;
  if (typeof remedy === 'string') return { repaired: false, next: `A person has to decide: ${remedy}.` };
  if (!repair) return { repaired: false, next: `--repair would ${remedy.description}.` };
  try {
    if (await repairAndAudit(scope, invariant, violation))
      return { repaired: true, next: `Done: ${remedy.description}.` };
    return { repaired: false, next: 'Nothing to change: it is right by now, or waits for a running worker.' };
  } catch (error) {
    return {
      repaired: false,
      next: `Not repaired, run it again: ${error instanceof Error ? safeMessage(error) : 'unknown error'}`,
    };
  }
}

/** Repairs a violation, and records the repair as an act of the operator. Returns false if nothing was changed. */
export function repairAndAudit(scope: Scope, invariant: string, { practiceId, remedy }: Violation): Promise<boolean> {
  return inTransaction(asOperator(fresh(scope)), async (scope) => {
    const repaired = typeof remedy === 'string' ? null : await remedy.run(scope);
    if (repaired === null) return false;
    const { target, details } = repaired;
    auditOwnAct(scope, { practiceId, action: 'data.repaired', target, after: { invariant, ...details } });
    return true;
  });
}
