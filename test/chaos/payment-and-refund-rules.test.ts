import { expect } from 'chai';
import pg from 'pg';
import type { Query, RefundEvidence, ShownPayment } from '../../proofs/trial/evidence.ts';
import { PAYMENT_RULES, SHOWN_RULE } from '../../proofs/trial/payments/rules.ts';
import { ASKED_RULES, REFUND_RULES } from '../../proofs/trial/refunds/rules.ts';
import { useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { createLink, type TestPractice } from '../harness/service.ts';

const PAYMENT_RECORDED = 'Q11 a payment at the processor is recorded once';
const MADE = 'Q11 a recorded payment was made at the processor, with its outcome';
const TWICE = 'Q11 no link is paid twice';
const ATTEMPT_ENDED = 'Q11 every payment attempt has ended';
const SHOWN = 'Q1 what a patient saw as paid is recorded as paid';
const RECORDED = 'Q10 a refund at the processor is recorded once, with its outcome';
const ENDED = 'Q10 a recorded refund has ended, as it did at the processor';
const PAID = 'Q10 the processor gives back no more than was paid';
const DISPUTED = 'Q10 a dispute or reversal at the processor is recorded once, with its outcome';
const EVENTS = 'Q1 every refund and dispute has its events';
const CONFIRMED = 'Q1 what was confirmed as refunded is there';
const ASKED = 'Q10 the processor makes the refunds that were asked for, and no others';

/** A card payment without refunds. */
const CARD = `select id from payment_attempts a where method_type = 'card' and status = 'accepted' and not exists (
  select from refunds r where r.payment_link_id = a.payment_link_id) limit 1`;

/** Violations that the test inserts, each with the rules that must find it. */
const PLANTED: [rules: string[], statement: string][] = [
  [[PAYMENT_RECORDED, SHOWN], `delete from transactions where attempt_id in (${CARD})`],
  [[PAYMENT_RECORDED], `update payment_attempts set status = 'cancelled' where id in (${CARD})`],
  [[PAYMENT_RECORDED, MADE], `update transactions set amount_cents = amount_cents - 1 where attempt_id in (${CARD})`],
  [
    [PAYMENT_RECORDED, SHOWN],
    `update payment_links set status = 'active', paid_at = null, closed_at = null, closed_by = null where status = 'paid'`,
  ],
  [
    [PAYMENT_RECORDED],
    `insert into sandbox.payments (reference, account, attempt, amount_cents, method_token, method_type, state)
     values ('sbx_pay_unknown', 'sandbox_prac_1', 'pa_unknown', 100, 'card_success', 'card', 'succeeded')`,
  ],
  [[MADE], `delete from sandbox.payments where attempt in (${CARD})`],
  [[MADE], `update sandbox.payments set state = 'failed' where attempt in (${CARD})`],
  [[MADE, SHOWN], `update transactions set status = 'succeeded', failure_reason = null where status = 'failed'`],
  [
    [TWICE],
    `update sandbox.payments set state = 'succeeded' where attempt in (select id from payment_attempts where status = 'failed')`,
  ],
  [
    [ATTEMPT_ENDED],
    `update payment_attempts set status = 'open', closed_at = null, failure_reason = null, reconcile_at = created_at where id in (
       select id from payment_attempts where status = 'failed' limit 1)`,
  ],
  [[ATTEMPT_ENDED], `update payment_attempts set reconcile_at = closed_at where id in (${CARD})`],
  [
    [RECORDED, ASKED],
    `insert into sandbox.refunds (reference, payment, refund, amount_cents, state)
     select 'sbx_ref_again', payment, refund || '_2', amount_cents, state from sandbox.refunds where refund is not null`,
  ],
  [
    [RECORDED, ENDED],
    `update refunds set status = 'pending' where processor_reference = (
       select reference from sandbox.refunds where refund is null)`,
  ],
  [
    [RECORDED, ENDED, EVENTS],
    `update refunds set status = 'failed' where bank_reversal_id is null and reason is not null`,
  ],
  [[ENDED, ASKED], `delete from sandbox.refunds where refund is null`],
  [[PAID], `update sandbox.payments set amount_cents = 4999 where method_type = 'card'`],
  [[DISPUTED], `update sandbox.disputes set state = 'lost' where not is_bank_reversal`],
  [[DISPUTED], `update sandbox.disputes set amount_cents = amount_cents - 1 where is_bank_reversal`],
  [[EVENTS], `delete from webhook_deliveries where type = 'payment_link.refunded'`],
  [[EVENTS], `delete from webhook_deliveries where type = 'payment_link.dispute_closed'`],
  [
    [EVENTS],
    `insert into webhook_deliveries select (json_populate_record(d, json_build_object('id', d.id || 'x'))).*
     from webhook_deliveries d where d.type = 'payment_link.disputed'`,
  ],
  [[EVENTS], `update webhook_deliveries set payload = replace(payload, '"refundAmount":30', '"refundAmount":31')`],
  [
    [CONFIRMED],
    `update refunds set amount_cents = amount_cents + 1 where transaction_id in (
     select id from transactions where attempt_id is null)`,
  ],
];

describe('the rules of the rigs about payments and refunds', function () {
  this.timeout(60_000);
  const service = useService();
  const payments = new Payments(service);
  let client: pg.Client;
  let evidence: RefundEvidence;
  const shown = new Map<string, ShownPayment>();
  const query: Query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await client.query<Row & pg.QueryResultRow>(text, values)).rows;

  before(async () => {
    client = new pg.Client({ connectionString: service.config.databaseUrl });
    await client.connect();
    const practice = await service.practice();
    for (const client of [practice.live, practice.test]) {
      await client.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
    }
    evidence = await refundAndDispute(practice);
    await payInAllWays(practice);
  });

  beforeEach(() => client.query('begin'));
  afterEach(() => client.query('rollback'));

  after(() => client.end());

  /** Pays in all ways that the failover rig knows, and records what each page shows. */
  async function payInAllWays(practice: TestPractice): Promise<void> {
    for (const method of ['card_success', 'crash_after_charge', 'bank_settles', 'bank_returns']) {
      const link = await payments.link(practice, { amount: 100 });
      if (method === 'card_success') await payments.pay(link, 'card_declined');
      await payments.pay(link, method).catch(() => 'the answer is lost');
      shown.set(link.id, method === 'bank_returns' ? 'returned' : 'paid');
    }
    await payments.settle();
    // The rules compare with the clock of the database, and the debits with that of the test.
    await query('update sandbox.payments set final_at = clock_timestamp() where final_at is not null');
  }

  /** Refunds payments in all ways that a run knows, and returns what is known of them. */
  async function refundAndDispute(practice: TestPractice): Promise<RefundEvidence> {
    const card = await payments.link(practice, { amount: 100 });
    await payments.pay(card, 'card_success');
    const debit = await payments.link(practice, { amount: 100 });
    await payments.pay(debit, 'bank_settles');
    await payments.settle();
    const { id } = await payments.refund(card, 3_000, 'goodwill');
    const [reference = ''] = await atProcessor(card, debit);
    const { id: testId } = await createLink(practice.test, { amount: 100 });
    await practice.test.post(`/api/v1/payment-links/${testId}/simulate`, { outcome: 'paid' });
    await practice.test.post(`/api/v1/test-helpers/payment-links/${testId}/refund`, { amount: 60 });
    return {
      asked: new Map([[id, { linkId: card.id, cents: 3_000, isConfirmed: true }]]),
      madeOutside: new Map([[reference, 2_000]]),
      simulated: new Map([[testId, 6_000]]),
    };
  }

  /** Refunds and disputes a card payment at the processor, and takes a debit back. Returns the references of refunds. */
  async function atProcessor(card: PayableLink, debit: PayableLink): Promise<string[]> {
    const { bank } = payments.sandbox;
    const { reference, account } = await payments.payment(card);
    const dispute = { amountCents: 10_000, evidenceDueBy: null };
    await payments.refundAtSandbox(reference, 2_000);
    await payments.notify(account, { kind: 'payment', reference });
    const debitReference = (await payments.payment(debit)).reference;
    const disputes = [
      await bank.openDispute(reference, { ...dispute, reason: 'fraudulent' }),
      ...(await bank.closeDispute(reference, 'won')),
      await bank.openDispute(debitReference, { ...dispute, reason: 'insufficient_funds' }),
    ];
    for (const dispute of disputes) await payments.notify(account, { kind: 'dispute', reference: dispute });
    const made = await service.query<{ reference: string }>(
      'select reference from sandbox.refunds where refund is null',
    );
    return made.map((refund) => refund.reference);
  }

  async function broken(known = evidence, seen: ReadonlyMap<string, ShownPayment> = shown): Promise<string[]> {
    const rules: string[] = [];
    for (const { name, find } of [...PAYMENT_RULES, ...REFUND_RULES]) {
      if ((await find(query)).length > 0) rules.push(name);
    }
    for (const { name, find } of ASKED_RULES) if ((await find(query, known)).length > 0) rules.push(name);
    if ((await SHOWN_RULE.find(query, { shown: seen })).length > 0) rules.push(SHOWN_RULE.name);
    return rules;
  }

  it('the rules about payments and refunds find nothing after cards, debits, declines, a lost answer, refunds, disputes and a bank reversal', async () => {
    const [counted] = await query(`select (select count(*)::integer from refunds) as refunds,
      (select count(*)::integer from disputes) as disputes, (select count(*)::integer from bank_reversals) as reversals`);
    expect(counted).to.deep.equal({ refunds: 4, disputes: 1, reversals: 1 });
    expect(await broken()).to.deep.equal([]);
  });

  for (const [rules, statement] of PLANTED) {
    it(`the rules about payments and refunds find: ${statement.replaceAll(/\s+/g, ' ').slice(0, 100)}`, async () => {
      await query(statement);
      expect(await broken()).to.include.members(rules);
    });
  }

  it('the rules about payments find a receipt of a link that is gone', async () => {
    expect(await broken(evidence, new Map([...shown, ['plink_lost', 'paid']]))).to.deep.equal([SHOWN]);
  });

  it('the rules about refunds find a confirmed refund that is not recorded, and a refund at the processor that is gone', async () => {
    const asked = new Map([...evidence.asked, ['re_lost', { linkId: 'plink_1', cents: 100, isConfirmed: true }]]);
    expect(await broken({ ...evidence, asked })).to.deep.equal([CONFIRMED]);
    const madeOutside = new Map([...evidence.madeOutside, ['sbx_ref_lost', 100]]);
    expect(await broken({ ...evidence, madeOutside })).to.deep.equal([ASKED]);
  });

  it('the rules about refunds find a refund at the processor that nobody asked for', async () => {
    expect(await broken({ ...evidence, asked: new Map() })).to.deep.equal([ASKED]);
    expect(await broken({ ...evidence, madeOutside: new Map() })).to.deep.equal([ASKED]);
  });
});
