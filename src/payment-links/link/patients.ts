import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { Patient } from '../model/patient.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';

/**
 * Gives a live link that is being paid its patient: the record that matches by now, by external id first and then by
 * telephone, or a new one. Payments of one practice take turns here until they commit, so that two links of one new
 * patient that are paid at once make one record.
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
  // The link's foreign key wants it there.
  await scope.em.flush();
  return patient;
}

/** The record of a link's patient, or null when there is none yet (section 2.2). Test links match nobody. */
export async function matchPatient(scope: Scope, link: PaymentLink): Promise<string | null> {
  if (link.test) return null;
  const { practiceId, patientExternalId, patientPhone } = link;
  const match = 'select match_patient($1, $2, $3) as id';
  const [row] = await sql<{ id: string | null }>(scope.em, match, [practiceId, patientExternalId, patientPhone]);
  return row?.id ?? null;
}
