import type pg from 'pg';
import { newId } from '../../../src/base/ids.ts';
import { sandboxFeeCents } from '../../../src/processors/sandbox-methods.ts';
import type { SeededPractice } from './seed.ts';

/* Links that are to be changed, and the way back to what they were, so that each repetition finds the same. */

/** An active link. */
export interface SeededLink {
  id: string;
  token: string;
  practice: SeededPractice;
  amountCents: number;
}

const DESCRIPTION = 'Cleaning and two fillings, March 3';

/** Makes active links, in turns over the practices. */
export async function seedActiveLinks(
  admin: pg.Pool,
  practices: readonly SeededPractice[],
  count: number,
  { test = false, expiresAt = new Date(Date.now() + 30 * 86_400_000) }: { test?: boolean; expiresAt?: Date } = {},
): Promise<SeededLink[]> {
  const now = new Date();
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
       $7, 'visit-2026-03-03-0815', '{"visit":"815","clerk":"front desk"}', 'Ada',
       'Byron', 'ada.byron@example.org', $5, $6
     from unnest($1::text[], $2::text[], $3::text[]) as l (id, practice_id, location_id)`,
    [
      links.map(({ id }) => id),
      links.map(({ practice }) => practice.id),
      links.map(({ practice }) => practice.locationIds[0] ?? ''),
      ...[test, expiresAt, now, DESCRIPTION],
    ],
  );
  await admin.query('vacuum analyze payment_links');
  return links;
}

/** Makes all links active again, and deletes what their changes left behind. */
export async function resetLinks(admin: pg.Pool): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query(
      `update payment_links set status = 'active', paid_at = null, closed_at = null, closed_by = null,
         open_attempt_id = null, patient_id = null, description = $1
       where status <> 'active' or open_attempt_id is not null or description <> $1`,
      [DESCRIPTION],
    );
    for (const table of LEFT_BEHIND) await client.query(`delete from ${table}`);
    await client.query('truncate webhook_attempts, webhook_deliveries, graphile_worker._private_jobs');
    await client.query('commit');
    await client.query(`vacuum analyze payment_links, webhook_deliveries, ${LEFT_BEHIND.join(', ')}`);
  } finally {
    client.release();
  }
}

const LEFT_BEHIND = ['payment_attempts', 'refunds', 'transactions', 'patients', 'sandbox.refunds', 'sandbox.payments'];

/** Pays the links by card, as the sandbox would have; triggers and checks rest. */
export async function payLinks(admin: pg.Pool, links: readonly SeededLink[]): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    const values = [links.map(({ id }) => id), sandboxFeeCents('card', 12_550)];
    for (const text of [PAID_LINKS, ATTEMPTS]) await client.query(text, values.slice(0, 1));
    await client.query(TRANSACTIONS, values);
    await client.query(SANDBOX_PAYMENTS, values.slice(0, 1));
    await client.query('commit');
    await client.query('vacuum analyze payment_links, transactions, payment_attempts, sandbox.payments');
  } finally {
    client.release();
  }
}

const PAID_LINKS = `
  update payment_links set status = 'paid', paid_at = now(), closed_at = now() where id = any ($1)`;

const ATTEMPTS = `
  insert into payment_attempts (id, practice_id, payment_link_id, status, processor, processor_account_id,
    processor_reference, method_type, amount_cents, currency, locale, address, created_at, closed_at)
  select 'att_' || substr(id, 7), practice_id, id, 'accepted', 'sandbox', 'sandbox_' || practice_id, 'sbx_pay_' || id,
    'card', amount_cents, 'usd', 'en', '10.0.0.1', now(), now()
  from payment_links where id = any ($1)`;

const TRANSACTIONS = `
  insert into transactions (id, practice_id, payment_link_id, status, amount_cents, fee_cents, net_cents,
    payment_method_type, payment_method_brand, payment_method_last4, processed_at, attempt_id, reconcile_at, created_at)
  select 'txn_' || substr(id, 7), practice_id, id, 'succeeded', amount_cents, $2::integer, amount_cents - $2::integer,
    'card', 'visa', '4242', now(), 'att_' || substr(id, 7), now() + interval '1 day', now()
  from payment_links where id = any ($1)`;

const SANDBOX_PAYMENTS = `
  insert into sandbox.payments (reference, account, attempt, amount_cents, method_token, method_type, state)
  select 'sbx_pay_' || id, 'sandbox_' || practice_id, 'att_' || substr(id, 7), amount_cents, 'card_success', 'card',
    'succeeded'
  from payment_links where id = any ($1)`;
