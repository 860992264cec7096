import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { Patient } from '../model/patient.entity.ts';
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

/**
 * Returns the id of the patient record of a link that is being paid. It is the record that matches, else a new one; null
 * for a test link. Payments of one practice are serialised by a lock until they commit. So two links of one new patient
 * that are paid at the same time create one record.
 */
export async function recordPatient(scope: Scope, link: PatientFields): Promise<string | null> {
  if (link.test || link.patientId !== null) return link.patientId;
  await sql(scope.em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`patients:${link.practiceId}`]);
  return (await matchPatient(scope, link)) ?? (await newPatient(scope, link)).id;
}

async function newPatient(scope: Scope, link: PatientFields): Promise<Patient> {
  const now = scope.clock.now();
  const patient = scope.em.create(Patient, {
    id: newId('patient', now),
    practiceId: link.practiceId,
    externalId: link.patientExternalId,
    firstName: link.patientFirstName,
    lastName: link.patientLastName,
    phone: link.patientPhone,
    email: link.patientEmail,
    createdAt: now,
  });
  // The link's foreign key needs the row.
  await scope.em.flush();
  return patient;
}

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
