import type pg from 'pg';
import { newId } from '../../../src/platform/base/ids.ts';
import type { SeededPractice } from './seed.ts';

/* Links that are to be changed: new ones for each repetition, so that each finds the same. */

export interface SeededLink {
  id: string;
  token: string;
  practice: SeededPractice;
  amountCents: number;
}

/** Makes active links, in turns over the practices. */
export async function seedActiveLinks(
  admin: pg.Pool,
  practices: readonly SeededPractice[],
  count: number,
  isTest = false,
): Promise<SeededLink[]> {
  const now = new Date();
  const expiresAt = new Date(now.getTime() + 30 * 86_400_000);
  const links = Array.from({ length: count }, (_, index): SeededLink => {
    const practice = practices[index % practices.length];
    if (practice === undefined) throw new Error('no practices');
    const id = newId('paymentLink', now);
    return { id, token: `token-${id}`, practice, amountCents: 12_550 };
  });
  await admin.query(
    `insert into payment_links (id, practice_id, location_id, test, token, status, source, amount_cents, currency,
       description, external_reference, metadata, patient_first_name, patient_last_name, patient_email, expires_at,
       created_at)
     select l.id, l.practice_id, location_id, $4, 'token-' || l.id, 'active', 'api', 12550, 'usd',
       'Cleaning and two fillings, March 3', 'visit-2026-03-03-0815', '{"visit":"815","clerk":"front desk"}', 'Ada',
       'Byron', 'ada.byron@example.org', $5, $6
     from unnest($1::text[], $2::text[], $3::text[]) as l (id, practice_id, location_id)`,
    [
      links.map(({ id }) => id),
      links.map(({ practice }) => practice.id),
      links.map(({ practice }) => practice.locationIds[0] ?? ''),
      ...[isTest, expiresAt, now],
    ],
  );
  await admin.query('vacuum analyze payment_links');
  return links;
}

export async function clearLinks(admin: pg.Pool): Promise<void> {
  await admin.query(
    `truncate payment_links, patients, webhook_attempts, webhook_deliveries, sandbox.refunds, sandbox.payments,
       graphile_worker._private_jobs cascade`,
  );
  await admin.query('analyze');
}
