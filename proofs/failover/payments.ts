import type { Random } from '../../test/harness/random.ts';
import { Caller } from '../trial/caller.ts';
import type { Query } from '../trial/evidence.ts';
import { startPaymentLoad } from '../trial/payments/load.ts';
import { PAYMENT_RULES } from '../trial/payments/rules.ts';
import { slowDownPayments, slowDownRefunds, untilDone } from '../trial/refunds/at-sandbox.ts';
import { openRefunds } from '../trial/refunds/load.ts';
import { untilReconciled } from '../trial/refunds/reconcile.ts';
import { AGREEMENT_RULES } from '../trial/refunds/rules.ts';
import { createLiveLinks, createPaidLinks, type PayableLink, type RefundingPractice } from '../trial/refunds/setup.ts';
import { spread } from '../trial/spread.ts';

/** Live links per second that a patient pays on the hosted page. Half of the receipts are followed by a refund. */
const PAYMENTS_PER_SECOND = 2;

/** Paid live links per second that are refunded or disputed, so that refunds also begin while nobody can pay. */
const REFUNDS_PER_SECOND = 0.5;

/** Share of the receipts after which the practice refunds. */
const REFUNDED = 0.5;

/** Time in which workers must have asked about everything. Here are more payments than in `make chaos`. */
const RECONCILED_MS = 180_000;

export interface PaymentOptions {
  databaseUrl: string;
  query: Query;
  practice: RefundingPractice;
  ports: number[];
  random: Random;
  retry: { everyMs: number; forMs: number };
  seconds: number;
  /** Time for which charges and their records are slow, from the start of the load on. */
  slowSeconds: number;
}

/**
 * Creates live links, pays some of them at once, and opens the console. Then patients pay the rest on the hosted pages, and people of the
 * practice refund.
 */
export async function startPayments(options: PaymentOptions) {
  const { databaseUrl, query, practice, ports, random, seconds, retry } = options;
  const { liveKey } = practice;
  const caller = { ports, random, retry };
  const links = await createLiveLinks(new Caller(caller), liveKey, Math.round(seconds * PAYMENTS_PER_SECOND));
  const count = Math.round(seconds * REFUNDS_PER_SECOND);
  const paid = await createPaidLinks(databaseUrl, query, { liveKey, port: ports[0] ?? 0, count, random });
  await slowDownRefunds(query);
  await slowDownPayments(query, options.slowSeconds);
  const refunds = await openRefunds({ ...caller, practice, query });
  const spreadMs = seconds * 1_000;
  const load = startPaymentLoad({
    ...caller,
    links,
    spreadMs,
    async onPaid(link, method) {
      if (random.next() < REFUNDED) await refunds.refund({ ...link, method, payment: await referenceOf(query, link) });
    },
  });
  return {
    payments: load.evidence,
    refunds: refunds.evidence,
    wrongAnswers: () => [...load.wrongAnswers, ...refunds.wrongAnswers],
    done: Promise.all([load.done, spread(paid, spreadMs / paid.length, refunds.refund)]),
  };
}

/** Lets the workers ask the processor about all payments, and about their refunds and disputes. */
export function untilPaymentsAgree(query: Query): Promise<void> {
  return untilReconciled(query, [...PAYMENT_RULES, ...AGREEMENT_RULES], RECONCILED_MS);
}

export async function countUnderWay(query: Query, at: Date): Promise<number> {
  const [row] = await query<{ n: number }>(
    'select count(*)::integer as n from payment_attempts where created_at <= $1 and (closed_at is null or closed_at > $1)',
    [at],
  );
  return row?.n ?? 0;
}

async function referenceOf(query: Query, { linkId }: PayableLink): Promise<string> {
  const text = `select processor_reference as reference from payment_attempts where payment_link_id = $1 and status = 'accepted'`;
  const [row] = await untilDone<{ reference: string }>(query, text, [linkId]);
  // A receipt without a recorded payment breaks a rule. The refund is then refused.
  return row?.reference ?? 'none';
}
