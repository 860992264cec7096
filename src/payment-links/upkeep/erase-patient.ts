import { replaceSealedReplies } from '../../access/sealed-replies.ts';
import { personalFields } from '../../contract/fields.ts';
import type { OperationId } from '../../contract/operations-type.ts';
import { ApiError, OperatorError } from '../../platform/base/errors.ts';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import { listColumns } from '../../platform/database/query/columns.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { auditOwnAct } from '../../practices/audit/audit.ts';
import { BANK_REVERSAL } from '../model/after-payment.entity.ts';
import { owedSql } from '../model/owed.ts';
import { PaymentLink, type SettledReason } from '../model/payment-link.entity.ts';

/* Erasing a patient. Amounts, times, states, references, numbers of payments and events stay (docs/decisions/0055-erasing-a-patient.md). */

/** Placeholders of erased fields that the contract requires. Others become null. */
const PLACEHOLDERS = { firstName: 'Erased', lastName: 'Patient', description: 'Erased' };
const findPlaceholder = (field: string): string | null => new Map(Object.entries(PLACEHOLDERS)).get(field) ?? null;

/** Columns of a link whose fields the contract marks as personal, with their placeholders. */
const PERSONAL = listColumns(PaymentLink).flatMap(({ property, name }) => {
  const field = property.replace(/^patient(.)/, (_, first: string) => first.toLowerCase());
  return personalFields.has(field) ? [{ name, placeholder: findPlaceholder(field) }] : [];
});

const TEST_HELPERS: readonly OperationId[] = [
  'simulateRefund',
  'simulateDispute',
  'simulateDisputeClosing',
  'simulateBankReversal',
];

/** The patient to erase, named by practice and chart number, or by a link. */
export type PatientToErase = { practiceId: string; externalId: string } | { linkId: string };

/**
 * Erases a patient in one transaction, and records it with each link. A change that was read before is stale afterwards, so it brings
 * nothing back.
 * @returns counts of what was erased; of `payloads`, the stored events, which stay until their retention is over
 * @throws ApiError `not_found` if nothing is stored about the patient; OperatorError while the patient has active links
 */
export function erasePatient(scope: Scope, patient: PatientToErase) {
  return inTransaction(fresh(scope), async (scope) => {
    const patientKeys = await findPatientKeys(scope, patient);
    const [practiceId] = patientKeys;
    const links = await lockLinks(scope, patientKeys);
    const activeIds = links.filter(({ status }) => status === 'active').map(({ id }) => id);
    if (activeIds.length > 0) {
      throw new OperatorError(
        `The patient can still pay ${activeIds.join(', ')}: nothing was erased.`,
        'Cancel them (paylinks links cancel ID), or let them expire. Then run the command again.',
      );
    }
    const ids = links.map(({ id }) => id);
    // Before the links, which lose the chart number by which records are found.
    const records = await eraseRecords(scope, patientKeys);
    if (links.length + records.length === 0) throw new ApiError('not_found');
    await sql(
      scope.em,
      `update payment_links set ${PERSONAL.map(({ name }, index) => `${name} = $${index + 2}`).join(', ')},
         version = version + 1 where id = any ($1)`,
      [ids, ...PERSONAL.map(({ placeholder }) => placeholder)],
    );
    await settleOwed(scope, practiceId, ids);
    // With the text of a bank debit, the address is evidence, which is kept for two years.
    await sql(
      scope.em,
      'update payment_attempts set address = null where payment_link_id = any ($1) and authorisation_text is null',
      [ids],
    );
    // Staff wrote these, and may have named the patient.
    await sql(scope.em, 'update refunds set reason = null where payment_link_id = any ($1) and reason <> $2', [
      ids,
      BANK_REVERSAL,
    ]);
    const targets = ids.length > 0 ? ids.map((id) => ({ kind: 'payment_link', id })) : records;
    for (const target of targets) auditOwnAct(scope, { practiceId, action: 'patient.erased', target });
    return {
      practiceId,
      links: ids.length,
      records: records.length,
      replies: await eraseReplies(scope, practiceId, ids),
      receipts: await forgetReceipts(scope, ids),
      payloads: await eraseTestEvents(scope, practiceId, ids),
    };
  });
}

/** Values of `$1` to `$3` of `NAMED`. */
type PatientKeys = readonly [practiceId: string, externalId: string | null, linkId: string | null];

/** Settles what is owed on the links, because nobody can call the patient any more. */
async function settleOwed(scope: Scope, practiceId: string, ids: readonly string[]): Promise<void> {
  const reason: SettledReason = 'written_off';
  for (const test of [false, true]) {
    const settledLinks = await sql<{ id: string }>(
      scope.em,
      `insert into link_resolutions (practice_id, payment_link_id, reason, actor_id, resolved_at)
       select $1, id, $6, 'operator', $4 from (${owedSql('$4', 'l.id = any ($5)')}) as owed
       on conflict do nothing returning payment_link_id as id`,
      [practiceId, test, null, scope.clock.now(), ids, reason],
    );
    for (const { id } of settledLinks) {
      const target = { kind: 'payment_link', id };
      auditOwnAct(scope, { practiceId, action: 'link.settled', target, after: { reason } });
    }
  }
}

async function findPatientKeys({ em }: Scope, patient: PatientToErase): Promise<PatientKeys> {
  if (!('linkId' in patient)) return [patient.practiceId, patient.externalId, null];
  const [link] = await sql<{ practiceId: string; externalId: string | null }>(
    em,
    `select l.practice_id as "practiceId", coalesce(l.patient_external_id, p.external_id) as "externalId"
     from payment_links l left join patients p on p.id = l.patient_id where l.id = $1`,
    [patient.linkId],
  );
  if (link === undefined) throw new ApiError('not_found');
  return [link.practiceId, link.externalId, patient.linkId];
}

/**
 * Query for the patient's records and links, by the chart number and the named link. A record without a chart number that such a link matched
 * by telephone is the patient's, with its links. A record or link of another chart number is not: families share telephones.
 */
const NAMED = `
  with seeds as (
    select id, patient_id from payment_links where practice_id = $1 and (id = $3 or patient_external_id = $2)
  ), records as (
    select p.id from patients p where p.practice_id = $1
      and (p.external_id = $2 or p.external_id is null and p.id in (select patient_id from seeds))
  )`;

/** Locks the links of the patient, test links included, in the order in which others lock several links. */
function lockLinks({ em }: Scope, patientKeys: PatientKeys): Promise<{ id: string; status: string }[]> {
  return sql(
    em,
    `${NAMED}
     select l.id, l.status from payment_links l where l.practice_id = $1 and (l.id in (select id from seeds)
       or l.patient_id in (select id from records) and (l.patient_external_id is null or l.patient_external_id = $2))
     order by l.id for update of l`,
    patientKeys,
  );
}

async function eraseRecords({ em }: Scope, patientKeys: PatientKeys): Promise<{ kind: string; id: string }[]> {
  // Payments make records under this lock. Like them, this transaction takes it after the links.
  await sql(em, 'select lock_patients($1)', [patientKeys[0]]);
  return sql(
    em,
    `${NAMED}
     update patients set first_name = $4, last_name = $5, phone = null, email = null, external_id = null
     where id in (select id from records) returning 'patient' as kind, id`,
    [...patientKeys, PLACEHOLDERS.firstName, PLACEHOLDERS.lastName],
  );
}

/** Erases the patient from stored replies, so that a repeated request still finds its link. */
async function eraseReplies(scope: Scope, practiceId: string, linkIds: readonly string[]): Promise<number> {
  const storedReplies = await sql<{ key: string; idempotencyKey: string; reply: string }>(
    scope.em,
    `select r.api_key_id as key, r.idempotency_key as "idempotencyKey", r.reply
     from api_keys k join idempotent_replies r on r.api_key_id = k.id
     where k.practice_id = $1 and r.reply::json ->> 'id' = any ($2) for update of r`,
    [practiceId, linkIds],
  );
  for (const { key, idempotencyKey, reply } of storedReplies) {
    await sql(scope.em, 'update idempotent_replies set reply = $3 where api_key_id = $1 and idempotency_key = $2', [
      key,
      idempotencyKey,
      erasedReply(reply),
    ]);
  }
  const sealedCount = await replaceSealedReplies(scope, practiceId, TEST_HELPERS, (reply) =>
    linkIds.includes(JSON.parse(reply).id) ? erasedReply(reply) : null,
  );
  return storedReplies.length + sealedCount;
}

function erasedReply(reply: string): string {
  const { patient, ...link }: Record<string, object> = JSON.parse(reply);
  return JSON.stringify({ ...withoutPersonal(link), patient: withoutPersonal(patient ?? {}) });
}

function withoutPersonal(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, personalFields.has(name) ? findPlaceholder(name) : value]),
  );
}

/** Forgets the addresses of receipts that wait. Their jobs send nothing then. */
async function forgetReceipts({ em }: Scope, linkIds: readonly string[]): Promise<number> {
  const text = `update receipt_requests set email = null
    where payment_link_id = any ($1) and email is not null returning id`;
  return (await sql(em, text, [linkIds])).length;
}

/** Deletes test events of the links. @returns how many payloads of deliveries stay */
async function eraseTestEvents({ em }: Scope, practiceId: string, linkIds: readonly string[]): Promise<number> {
  await sql(
    em,
    `delete from test_events where practice_id = $1 and payload::json #>> '{data,paymentLink,id}' = any ($2)`,
    [practiceId, linkIds],
  );
  const text = 'select count(*)::integer as payloads from webhook_deliveries where payment_link_id = any ($1)';
  const [row] = await sql<{ payloads: number }>(em, text, [linkIds]);
  return row?.payloads ?? 0;
}
