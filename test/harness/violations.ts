import { LINK_INVARIANTS } from '../../src/payment-links/upkeep/invariants.ts';
import {
  findViolations as find,
  type Invariant,
  type Violation,
} from '../../src/platform/database/query/rule-invariant.ts';
import type { TestService } from './service.ts';

export interface FoundViolation extends Violation {
  invariant: string;
}

/** Returns what `paylinks check` finds of links, or of other invariants: all of it, or violations of one practice or invariant. */
export async function findViolations(
  service: Pick<TestService, 'scope'>,
  {
    of = LINK_INVARIANTS,
    practiceId,
    invariant,
  }: { of?: readonly Invariant[]; practiceId?: string | undefined; invariant?: string } = {},
): Promise<FoundViolation[]> {
  const found: FoundViolation[] = [];
  for (const rule of of.filter(({ name }) => invariant === undefined || name === invariant)) {
    for await (const violation of find(rule, () => service.scope())) found.push({ invariant: rule.name, ...violation });
  }
  return found.filter((violation) => practiceId === undefined || violation.practiceId === practiceId);
}
