import { type Command, InvalidArgumentError } from 'commander';
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

/** Treatment of violations that can be repaired. */
type Mode = 'report' | 'repair' | 'dry run';

/** Options of the command, as commander returns them. */
interface CheckOptions {
  practice?: string;
  repair: boolean;
  dryRun: boolean;
}

/** Adds the command `check`, which verifies all invariants. */
export function addCheckCommand(program: Command): void {
  command(program, 'check', 'checks that what is stored agrees with itself; exit code 1 when it does not')
    .option('--practice <id>', 'this practice alone')
    .option('--repair', 'puts right what can be put right, while the service runs', false)
    .option('--dry-run', 'with --repair: says what it would do, and changes nothing', false)
    .action(
      processorAction(async ({ scope, keyFaults, exitWith }, { practice, repair, dryRun }: CheckOptions) => {
        if (dryRun && !repair) throw new InvalidArgumentError('--dry-run says what --repair would do: use both.');
        if (practice !== undefined) await getPractice(scope, practice);
        const mode = repair ? (dryRun ? 'dry run' : 'repair') : 'report';
        logMissingKeys(scope.log, keyFaults);
        const data = await check(scope, practice ?? null, mode);
        if (data.length > 0) exitWith(VIOLATED);
        return { data, empty: `no faults: ${INVARIANTS.length} invariants hold` };
      }),
    );
}

async function check(scope: Scope, practiceId: string | null, mode: Mode): Promise<ReportedViolation[]> {
  const reported: ReportedViolation[] = [];
  for (const { name: invariant, find } of INVARIANTS) {
    for await (const violation of find(() => scope, { practiceId })) {
      const { practiceId, problem } = violation;
      reported.push({ invariant, practiceId, problem, ...(await repairOrDescribe(scope, violation, mode)) });
    }
  }
  return reported;
}

/** Repairs the violation, if that is wanted and possible. A repair that fails does not keep the others from being made. */
async function repairOrDescribe(
  scope: Scope,
  { remedy }: Violation,
  mode: Mode,
): Promise<Pick<ReportedViolation, 'repaired' | 'next'>> {
  if (typeof remedy === 'string') return { repaired: false, next: `A person has to decide: ${remedy}.` };
  const { does, run } = remedy;
  if (mode === 'report') return { repaired: false, next: `--repair would ${does}.` };
  if (mode === 'dry run') return { repaired: false, next: `Would ${does}.` };
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
