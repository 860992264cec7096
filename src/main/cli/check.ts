import type { Command } from 'commander';
import { LINK_INVARIANTS } from '../../payment-links/upkeep/invariants.ts';
import type { Invariant, ReportedViolation } from '../../platform/base/invariant.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { DELIVERY_INVARIANTS } from '../../webhooks/invariants.ts';
import { logMissingKeys } from '../processes/open-database.ts';
import { addCommand, createProcessorAction } from './command.ts';

/** The invariants that `paylinks check` verifies, in this order. */
export const INVARIANTS: readonly Invariant[] = [...DELIVERY_INVARIANTS, ...LINK_INVARIANTS];

/** Exit code if the check found a violation. A check that cannot run has the same exit code. */
const VIOLATED = 1;

export function addCheckCommand(program: Command): void {
  addCommand(program, 'check', 'checks that what is stored agrees with itself; exit code 1 when it does not').action(
    createProcessorAction(async ({ scope, keyFaults, exitWith }) => {
      logMissingKeys(scope.log, keyFaults);
      const data = await check(scope);
      if (data.length > 0) exitWith(VIOLATED);
      return { data, empty: `no faults: ${INVARIANTS.length} invariants hold` };
    }),
  );
}

async function check(scope: Scope): Promise<ReportedViolation[]> {
  const reported: ReportedViolation[] = [];
  for (const { name: invariant, next, find } of INVARIANTS) {
    for await (const violation of find(() => scope)) reported.push({ invariant, ...violation, next });
  }
  return reported;
}
