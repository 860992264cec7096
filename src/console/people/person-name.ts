import type { Scope } from '../../base/scope.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { Person } from '../model/person.entity.ts';
import { auditForAllPractices, type PersonActor } from '../sign-in/sessions.ts';

/** Longest name of a person, in characters. */
export const MAX_PERSON_NAME = 100;

/** Changes the name of the person who acts. All practices of the person see the act in their logs. */
export function renamePerson(scope: Scope, actor: PersonActor, name: string): Promise<void> {
  return inTransaction(scope, async (scope) => {
    const person = await scope.em.findOneOrFail(Person, { id: actor.id });
    if (person.name === name) return;
    const states = { before: { name: person.name }, after: { name } };
    person.name = name;
    await auditForAllPractices(scope, actor, 'person.renamed', states);
  });
}
