import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';

/*
 * Patient records of links. The SQL function `match_patient` finds the record: by external id, else by telephone. A test
 * link has no record. `create_link` states this rule in SQL, because it matches in the statement that inserts the link.
 * `test/payment-links/rules-in-sql.property.test.ts` compares both.
 */

/** Fields of a link that decide about its patient record. */
type PatientFields = Pick<
  PaymentLink,
  | ('practiceId' | 'test' | 'patientId' | 'patientExternalId' | 'patientFirstName' | 'patientLastName')
  | ('patientPhone' | 'patientEmail')
>;

/** Returns the id of the patient record that matches the link, or null. A test link matches no record. */
export async function matchPatient(
  scope: Scope,
  { test, practiceId, patientExternalId, patientPhone }: Omit<PatientFields, 'patientId'>,
): Promise<string | null> {
  if (test) return null;
  const match = 'select match_patient($1, $2, $3) as id';
  const [row] = await sql<{ id: string | null }>(scope.em, match, [practiceId, patientExternalId, patientPhone]);
  return row?.id ?? null;
}
