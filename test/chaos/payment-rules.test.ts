import { expect } from 'chai';
import pg from 'pg';
import { Caller } from '../../scripts/trial/caller.ts';
import type { Query, ShownPayment } from '../../scripts/trial/evidence.ts';
import { HostedPage } from '../../scripts/trial/payments/hosted-page.ts';
import { PAYMENT_RULES, SHOWN_RULE } from '../../scripts/trial/payments/rules.ts';
import { createRandom } from '../../scripts/trial/random.ts';
import { useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments, SETTLE_SECONDS } from '../harness/payments.ts';

const RECORDED = 'Q11 a payment at the processor is recorded once';
const MADE = 'Q11 a recorded payment was made at the processor, with its outcome';
const TWICE = 'Q11 no link is paid twice';
const ENDED = 'Q11 every payment attempt has ended';
const SHOWN = 'Q1 what a patient saw as paid is recorded as paid';

const CARD = `select id from payment_attempts where method_type = 'card' and status = 'accepted' limit 1`;

/** Violations that the test inserts, each with the rules that must find it. */
const PLANTED: [rules: string[], statement: string][] = [
  [[RECORDED, SHOWN], `delete from transactions where attempt_id in (${CARD})`],
  [[RECORDED], `update payment_attempts set status = 'cancelled' where id in (${CARD})`],
  [[RECORDED, MADE], `update transactions set amount_cents = amount_cents - 1 where attempt_id in (${CARD})`],
  [
    [RECORDED, SHOWN],
    `update payment_links set status = 'active', paid_at = null, closed_at = null, closed_by = null where status = 'paid'`,
  ],
  [
    [RECORDED],
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
    [ENDED],
    `update payment_attempts set status = 'open', closed_at = null, failure_reason = null, reconcile_at = created_at where id in (
       select id from payment_attempts where status = 'failed' limit 1)`,
  ],
  [[ENDED], `update payment_attempts set reconcile_at = closed_at where id in (${CARD})`],
];

describe('patients of the failover rig, and the rules about their payments', function () {
  this.timeout(60_000);
  const service = useService();
  const payments = new Payments(service);
  let client: pg.Client;
  let caller: Caller;
  const shown = new Map<string, ShownPayment>();
  const query: Query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await client.query<Row & pg.QueryResultRow>(text, values)).rows;

  before(async () => {
    client = new pg.Client({ connectionString: service.config.databaseUrl });
    await client.connect();
    caller = new Caller({ ports: [Number(new URL(service.baseUrl).port)], random: createRandom(1) });
    await payInAllWays();
  });

  beforeEach(() => client.query('begin'));
  afterEach(() => client.query('rollback'));

  after(() => client.end());

  /** Submits the form of a page with a test method. */
  async function submit(page: HostedPage, method: string): Promise<void> {
    const contents = await page.open();
    if (contents?.kind !== 'form' || contents.form !== 'submit') throw new Error('the page offers no way to pay');
    const type = method.startsWith('bank') ? 'us_bank_account' : 'card';
    await page.sendOnce('submit', { ...contents.fields, method_type: type, [`${type}_method`]: method });
  }

  /** Opens a page, and records the payment that it shows. */
  async function look(page: HostedPage, link: PayableLink): Promise<string> {
    const contents = await page.open();
    if (contents?.kind !== 'payment') return contents?.kind === 'form' ? contents.form : 'other';
    shown.set(link.id, contents.payment);
    return contents.payment;
  }

  async function payInAllWays(): Promise<void> {
    const practice = await service.practice();
    const pages: { page: HostedPage; link: PayableLink }[] = [];
    for (let number = 0; number < 5; number++) {
      const link = await payments.link(practice, { amount: 100 });
      pages.push({ link, page: new HostedPage(caller, link.token, `198.18.0.${number}`) });
    }
    const [card, challenged, interrupted, settled, returned] = pages;
    if (!card || !challenged || !interrupted || !settled || !returned) throw new Error('there are five pages');
    await submit(card.page, 'card_declined');
    await submit(card.page, 'card_success');
    expect(await look(card.page, card.link)).to.equal('paid');
    await submit(challenged.page, 'card_challenge');
    expect(await look(challenged.page, challenged.link)).to.equal('sandbox');
    await challenged.page.send('sandbox', { lang: 'en', decision: 'approve' });
    expect(await look(challenged.page, challenged.link)).to.equal('paid');
    await payments.pay(interrupted.link, 'crash_after_charge').catch(() => 'the answer is lost');
    expect(await look(interrupted.page, interrupted.link)).to.equal('resume');
    await interrupted.page.send('resume', { lang: 'en' });
    expect(await look(interrupted.page, interrupted.link)).to.equal('paid');
    await submit(settled.page, 'bank_settles');
    await submit(returned.page, 'bank_returns');
    expect(await look(settled.page, settled.link)).to.equal('pending');
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    expect(await look(settled.page, settled.link)).to.equal('paid');
    expect(await look(returned.page, returned.link)).to.equal('returned');
    // The rules compare with the clock of the database, and the debits with that of the test.
    await query('update sandbox.payments set final_at = clock_timestamp() where final_at is not null');
    expect(caller.wrongAnswers).to.deep.equal([]);
  }

  async function broken(seen: ReadonlyMap<string, ShownPayment> = shown): Promise<string[]> {
    const rules: string[] = [];
    for (const { name, find } of PAYMENT_RULES) if ((await find(query)).length > 0) rules.push(name);
    if ((await SHOWN_RULE.find(query, { shown: seen })).length > 0) rules.push(SHOWN_RULE.name);
    return rules;
  }

  it('the rules about payments find nothing after cards, debits, declines and a lost answer', async () => {
    expect([...shown.values()]).to.deep.equal(['paid', 'paid', 'paid', 'paid', 'returned']);
    expect(await broken()).to.deep.equal([]);
  });

  for (const [rules, statement] of PLANTED) {
    it(`the rules about payments find: ${statement.replaceAll(/\s+/g, ' ').slice(0, 100)}`, async () => {
      await query(statement);
      expect(await broken()).to.include.members(rules);
    });
  }

  it('the rules about payments find a receipt of a link that is gone', async () => {
    expect(await broken(new Map([...shown, ['plink_lost', 'paid']]))).to.deep.equal([SHOWN]);
  });
});
