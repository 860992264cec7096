import type { Scope } from '../../platform/base/scope.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { type Act, audit } from '../../practices/audit/audit.ts';
import { createAction } from './command.ts';

/** Returns the scope with which services record what they do as an act of the operator. */
export function asOperator(scope: Scope): Scope {
  return { ...scope, actor: { kind: 'operator' } };
}

/**
 * Runs an act of the operator, and records it in the practice's audit log. Both are one transaction.
 *
 * @param act describes the act by its result, without keys and data of patients
 */
export function runRecorded<T>(scope: Scope, work: (scope: Scope) => Promise<T>, act: (result: T) => Act): Promise<T> {
  return inTransaction(scope, async (scope) => {
    const result = await work(scope);
    audit(scope, { kind: 'operator' }, act(result));
    return result;
  });
}

/** Returns the action of a command that shows the view of a recorded act's result. */
export function createRecordedAction<Args extends unknown[], T>(
  work: (scope: Scope, ...args: Args) => Promise<T>,
  act: (result: T) => Act,
  view: (result: T) => object,
) {
  return createAction<Args>(async (scope, ...args) =>
    view(await runRecorded(scope, (scope) => work(scope, ...args), act)),
  );
}
