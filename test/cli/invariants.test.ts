import { expect } from 'chai';
import { INVARIANTS } from '../../src/main/cli/upkeep.ts';
import { madeOnce, useReceiver, useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { createLink } from '../harness/service.ts';
import { findViolations } from '../harness/violations.ts';
import { createEndpoint, deliver } from '../harness/webhooks.ts';

/** Statements that damage the practice `$1`, by the invariant that must find each, and how often. */
const DAMAGES: readonly (readonly [invariant: string, damage: string])[] = [
  [
    'deliveries_are_attempted_when_due',
    `update webhook_deliveries set status = 'pending', due_at = $2::timestamptz - interval '11 minutes', delivered_at = null,
       attempt_count = 0, run_attempts = 0
     where practice_id = $1 and id = (select min(id) from webhook_deliveries where practice_id = $1)`,
  ],
  [
    'leases_end_in_time',
    `update webhook_endpoints set lease_until = $2::timestamptz + interval '1 day' where practice_id = $1`,
  ],
  [
    'links_expire_in_time',
    `update payment_links set expires_at = $2::timestamptz - interval '11 minutes'
     where practice_id = $1 and status = 'active' and open_attempt_id is null`,
  ],
  [
    'attempts_end_in_a_day',
    `update payment_attempts set created_at = $2::timestamptz - interval '26 hours'
     where practice_id = $1 and status = 'requires_action'`,
  ],
  [
    'notifications_are_processed',
    `insert into processor_notifications (processor, id, account_id, subject, received_at, tries, due_at)
     values ('sandbox', 'msg_of_a_lost_payment', 'sandbox_' || $1, '{"kind": "payment", "reference": "pi_lost"}',
       $2::timestamptz - interval '11 minutes', 3, $2)`,
  ],
  [
    'links_agree_with_attempts',
    `update payment_links set open_attempt_id = null
     where practice_id = $1 and open_attempt_id is not null and $2::timestamptz is not null`,
  ],
  [
    'links_agree_with_payments',
    `update payment_links set amount_cents = amount_cents + 1
     where practice_id = $1 and id = (select min(payment_link_id) from transactions where practice_id = $1)
       and $2::timestamptz is not null`,
  ],
  [
    'payments_agree_with_attempts',
    `update payment_attempts a set amount_cents = a.amount_cents + 1
     where a.practice_id = $1 and a.id = (select min(attempt_id) from transactions where practice_id = $1)
       and $2::timestamptz is not null`,
  ],
  [
    'refunds_agree_with_payments',
    `update transactions set status = 'succeeded'
     where practice_id = $1 and status = 'refunded' and $2::timestamptz is not null`,
  ],
  [
    'pending_refunds_are_asked_about',
    `with pending as (
       update refunds set status = 'pending' where practice_id = $1 and amount_cents = 1 and $2::timestamptz is not null
       returning transaction_id
     )
     update transactions set reconcile_at = null where id in (select transaction_id from pending)`,
  ],
];

describe('invariants of stored data', () => {
  const service = useService();
  const receiver = useReceiver();
  const practice = madeOnce(() => service.practice());

  /** A practice with every kind of link, payment and delivery. Damages add up from test to test. */
  before(async () => {
    const payments = new Payments(service);
    const endpoint = await createEndpoint(practice.live, receiver.url);
    const link = () => payments.link(practice);
    const [paid, refunded, partly] = [await link(), await link(), await link()];
    const [debit, declined, challenged, cancelled] = [await link(), await link(), await link(), await link()];
    for (const link of [paid, refunded, partly]) await payments.pay(link, 'card_success');
    await payments.pay(debit, 'bank_settles');
    await payments.pay(declined, 'card_declined');
    await payments.pay(challenged, 'card_challenge');
    await payments.refund(refunded);
    await payments.refund(partly, 1);
    await practice.live.post(`/api/v1/payment-links/${cancelled.id}/cancel`, {});
    await createLink(practice.live);
    await deliver(service.deliverer(), endpoint.id);
  });

  it('invariants hold after payments, refunds, declines, cancels and deliveries', async () => {
    const rows = await service.query<{ status: string }>('select status from transactions');
    expect(rows.map(({ status }) => status)).to.include.members(['succeeded', 'refunded', 'pending']);
    expect(await findViolations(service, { of: INVARIANTS })).to.deep.equal([]);
  });

  for (const [invariant, damage] of DAMAGES) {
    it(`${invariant} is violated by damaged rows of one practice, and not of another`, async () => {
      const { practiceId } = practice;
      await createLink((await service.practice()).live);
      await service.query(damage, [practiceId, service.clock.now()]);
      const found = await findViolations(service, { of: INVARIANTS });
      expect(found.map((violation) => violation.invariant)).to.include(invariant);
      expect(new Set(found.map((violation) => violation.practiceId))).to.deep.equal(new Set([practiceId]));
    });
  }

  it('every invariant has damaged rows in this test', () => {
    expect(DAMAGES.map(([name]) => name)).to.deep.equal(INVARIANTS.map(({ name }) => name));
  });
});
