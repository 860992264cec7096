import { type PayableLink, Payments } from '../harness/payments.ts';
import type { TestPractice, TestService } from '../harness/service.ts';

/** A practice whose payments tests look at. */
export interface BillingPractice {
  practice: TestPractice;
  payments: Payments;
  /** A second location. Its zone is another one, which must not matter. */
  northId: string;
  /** Pages of live payments. */
  path: string;
}

/** Creates a practice with two locations. */
export async function billingPractice(service: TestService): Promise<BillingPractice> {
  const practice = await service.practice();
  const northId = await service.location(practice.practiceId, 'North');
  return { practice, payments: new Payments(service), northId, path: `/console/${practice.practiceId}/live` };
}

/** Creates and pays a live link. */
export async function paid(
  { practice, payments }: BillingPractice,
  lastName: string,
  { method = 'card_success', ...overrides }: { method?: string; [field: string]: unknown } = {},
): Promise<PayableLink> {
  const link = await payments.link(practice, {
    patient: { firstName: 'Ada', lastName },
    locationId: practice.locationId,
    ...overrides,
  });
  const result = await payments.pay(link, method);
  if (result !== 'accepted') throw new Error(`the payment was not accepted: ${JSON.stringify(result)}`);
  return link;
}

/** Copies the payment of a link so often, each a second before the one before. */
export function copyPayment({ payments }: BillingPractice, { id }: PayableLink, copies: number): Promise<unknown[]> {
  const copyId = (id: string) => `left(${id}, -5) || lpad(n::text, 5, '0')`;
  return payments.service.query(
    `with numbers as (select generate_series(1, $2::integer) as n),
     links as (
       insert into payment_links select (jsonb_populate_record(l, jsonb_build_object('id', ${copyId('l.id')},
         'token', l.token || n, 'paid_at', l.paid_at - n * interval '1 second', 'patient_last_name', 'Copy ' || n))).*
       from payment_links l, numbers where l.id = $1 returning id
     )
     insert into transactions select (jsonb_populate_record(t, jsonb_build_object('id', ${copyId('t.id')},
       'payment_link_id', ${copyId('t.payment_link_id')}, 'attempt_id', null,
       'created_at', t.created_at - n * interval '1 second'))).*
     from transactions t, numbers where t.payment_link_id = $1`,
    [id, copies],
  );
}

/** Returns the patients' last names of a list, in its order. */
export function names(text: string): string[] {
  return [...text.matchAll(/aria-label="Open the payment of Ada ([^,]+),/g)].map(([, name = '']) => name);
}
