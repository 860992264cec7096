import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { Patient } from '../model/patient.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';

/**
 * Assigns a patient record to a live link that is being paid. The record matches by external id, else by telephone,
 * else it is new. Payments of one practice are serialised by a lock until they commit. So two links of one new patient
 * that are paid at the same time create one record.
 */
export async function recordPatient(scope: Scope, link: PaymentLink): Promise<void> {
  if (link.test || link.patientId !== null) return;
  await sql(scope.em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`patients:${link.practiceId}`]);
  link.patientId = (await matchPatient(scope, link)) ?? (await newPatient(scope, link)).id;
}

async function newPatient(scope: Scope, link: PaymentLink): Promise<Patient> {
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
export async function matchPatient(scope: Scope, link: PaymentLink): Promise<string | null> {
  if (link.test) return null;
  const { practiceId, patientExternalId, patientPhone } = link;
  const match = 'select match_patient($1, $2, $3) as id';
  const [row] = await sql<{ id: string | null }>(scope.em, match, [practiceId, patientExternalId, patientPhone]);
  return row?.id ?? null;
}
