import { expect } from 'chai';
import pg from 'pg';
import type { Query, RefundEvidence } from '../../scripts/trial/evidence.ts';
import { loseNotifications } from '../../scripts/trial/refunds/at-sandbox.ts';
import { ASKED_RULES, REFUND_RULES } from '../../scripts/trial/refunds/rules.ts';
import { NOTIFICATION_TASK } from '../../src/payment-links/reconcile/notifications.ts';
import { useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { createLink } from '../harness/service.ts';

const RECORDED = 'Q10 a refund at the processor is recorded once, with its outcome';
const ENDED = 'Q10 a recorded refund has ended, as it did at the processor';
const PAID = 'Q10 the processor gives back no more than was paid';
const DISPUTED = 'Q10 a dispute or reversal at the processor is recorded once, with its outcome';
const EVENTS = 'Q1 every refund and dispute has its events';
const CONFIRMED = 'Q1 what was confirmed as refunded is there';
const ASKED = 'Q10 the processor makes the refunds that were asked for, and no others';

/** Violations that the test inserts, each with the rules that must find it. */
const PLANTED: [rules: string[], statement: string][] = [
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

describe('the rules of chaos runs about refunds', function () {
  this.timeout(60_000);
  const service = useService();
  let client: pg.Client;
  let evidence: RefundEvidence;
  const query: Query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await client.query<Row & pg.QueryResultRow>(text, values)).rows;

  before(async () => {
    client = new pg.Client({ connectionString: service.config.databaseUrl });
    await client.connect();
    evidence = await refundAndDispute();
  });

  beforeEach(() => client.query('begin'));
  afterEach(() => client.query('rollback'));

  after(() => client.end());

  /** Refunds payments in all ways that a run knows, and returns what is known of them. */
  async function refundAndDispute(): Promise<RefundEvidence> {
    const practice = await service.practice();
    const payments = new Payments(service);
    for (const client of [practice.live, practice.test]) {
      await client.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
    }
    const card = await payments.link(practice, { amount: 100 });
    await payments.pay(card, 'card_success');
    const debit = await payments.link(practice, { amount: 100 });
    await payments.pay(debit, 'bank_settles');
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    const { id } = await payments.refund(card, 3_000, 'goodwill');
    const [reference = ''] = await atProcessor(payments, card, debit);
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
  async function atProcessor(payments: Payments, card: PayableLink, debit: PayableLink): Promise<string[]> {
    const { bank } = payments.sandbox;
    const { reference, account } = await payments.payment(card);
    const dispute = { amountCents: 10_000, evidenceDueBy: null };
    await bank.refund(reference, 2_000);
    await payments.notify(account, { kind: 'payment', reference });
    const debitReference = (await payments.payment(debit)).reference;
    const disputes = [
      await bank.openDispute(reference, { ...dispute, reason: 'fraudulent' }),
      await bank.closeDispute(reference, 'won'),
      await bank.openDispute(debitReference, { ...dispute, reason: 'insufficient_funds' }),
    ];
    for (const dispute of disputes) await payments.notify(account, { kind: 'dispute', reference: dispute });
    const made = await service.query<{ reference: string }>(
      'select reference from sandbox.refunds where refund is null',
    );
    return made.map((refund) => refund.reference);
  }

  async function broken(known = evidence): Promise<string[]> {
    const rules: string[] = [];
    for (const { name, find } of REFUND_RULES) if ((await find(query)).length > 0) rules.push(name);
    for (const { name, find } of ASKED_RULES) if ((await find(query, known)).length > 0) rules.push(name);
    return rules;
  }

  it('the rules about refunds find nothing after refunds, disputes and a bank reversal of all kinds', async () => {
    const [counted] = await query(`select (select count(*)::integer from refunds) as refunds,
      (select count(*)::integer from disputes) as disputes, (select count(*)::integer from bank_reversals) as reversals`);
    expect(counted).to.deep.equal({ refunds: 4, disputes: 1, reversals: 1 });
    expect(await broken()).to.deep.equal([]);
  });

  for (const [rules, statement] of PLANTED) {
    it(`the rules about refunds find: ${statement.replaceAll(/\s+/g, ' ').slice(0, 100)}`, async () => {
      await query(statement);
      expect(await broken()).to.include.members(rules);
    });
  }

  it('the rules about refunds find a confirmed refund that is not recorded, and a refund at the processor that is gone', async () => {
    const asked = new Map([...evidence.asked, ['re_lost', { linkId: 'plink_1', cents: 100, isConfirmed: true }]]);
    expect(await broken({ ...evidence, asked })).to.deep.equal([CONFIRMED]);
    const madeOutside = new Map([...evidence.madeOutside, ['sbx_ref_lost', 100]]);
    expect(await broken({ ...evidence, madeOutside })).to.deep.equal([ASKED]);
  });

  it('lost notifications leave neither a job nor a row that is due, and processed ones stay', async () => {
    await query('delete from processor_notifications');
    await query(
      `insert into processor_notifications (processor, id, account_id, subject, received_at, due_at)
       select 'sandbox', id, 'sandbox_account', '{"kind":"account"}', now(), due_at
       from (values ('sbx_msg_due', now()), ('sbx_msg_processed', null)) as n (id, due_at)`,
    );
    await query('select graphile_worker.add_job($1)', [NOTIFICATION_TASK]);
    await loseNotifications(query);
    expect(await query('select id from processor_notifications')).to.deep.equal([{ id: 'sbx_msg_processed' }]);
    const jobs = 'select id from graphile_worker.jobs where task_identifier = $1';
    expect(await query(jobs, [NOTIFICATION_TASK])).to.deep.equal([]);
  });

  it('the rules about refunds find a refund at the processor that nobody asked for', async () => {
    expect(await broken({ ...evidence, asked: new Map() })).to.deep.equal([ASKED]);
    expect(await broken({ ...evidence, madeOutside: new Map() })).to.deep.equal([ASKED]);
  });
});
