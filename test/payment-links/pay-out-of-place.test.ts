import { expect } from 'chai';
import type { StaffStatus } from '../../src/payment-links/model/staff-status.ts';
import { ALL_LINKS, countOpenLinks, listStaffLinks } from '../../src/payment-links/office/list.ts';
import { applyPayment } from '../../src/payment-links/payments/apply.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import type { PaymentSnapshot } from '../../src/processors/processor.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { type PayableLink, usePayments } from '../harness/payments.ts';
import { findViolations } from '../harness/violations.ts';

/** pino's level of what an operator must look at. */
const ERROR = 50;

/** Data about a patient and a treatment. */
const CANARIES = { description: 'canary crown', patient: { firstName: 'Canarina', lastName: 'Canaryson' } };

describe('contradictory reports of a processor', () => {
  const captured = new CapturedLog();
  const { service, practice, payments } = usePayments({ log: captured.log });
  let mailer: KeptMails;

  beforeEach(() => {
    captured.lines.length = 0;
    mailer = new KeptMails();
  });

  afterEach('no report contains data about the patient or the treatment', () => {
    expect(JSON.stringify([captured.lines, mailer.mails])).to.not.match(/canar/i);
  });

  const newLink = () => payments.link(practice, CANARIES);

  /** Returns what the administrator is mailed about the link. */
  async function mailed(link: PayableLink): Promise<string[]> {
    await runJobs(service, mailer);
    const about = `Payment link ${link.id}: `;
    return mailer.mails.flatMap(({ subject }) => (subject.startsWith(about) ? subject.slice(about.length) : []));
  }

  /** The sandbox has it otherwise from now on, and says so, three times over. */
  async function claims(link: PayableLink, attemptId: string, state: string): Promise<void> {
    const { account } = await payments.payment(link);
    const [row] = await service.query<{ reference: string }>(
      `update sandbox.payments set state = $2, final_at = null,
         failure_reason = case when $2 = 'failed' then 'insufficient_funds' end
       where attempt = $1 returning reference`,
      [attemptId, state],
    );
    const reference = row?.reference ?? '';
    for (let time = 0; time < 3; time++) await payments.notify(account, { kind: 'payment', reference });
  }

  async function seen(link: PayableLink) {
    const { status, transaction } = (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
    return [status, transaction?.status ?? null, await payments.events(link)];
  }

  const errors = () => captured.lines.filter(({ level }) => level === ERROR).map(({ msg }) => msg);

  it('a second payment of a link is reported once, and does not count', async () => {
    const link = await newLink();
    await payments.pay(link, 'card_challenge');
    const { attemptId, reference } = await payments.payment(link);
    service.clock.advance({ minutes: 16 });
    await payments.sweep();
    expect(await payments.pay(link, 'card_success')).to.equal('accepted');
    captured.lines.length = 0;
    await claims(link, attemptId, 'succeeded');
    expect(await seen(link)).to.deep.equal(['paid', 'succeeded', ['paid']]);
    expect(errors()).to.deep.equal(['a link was paid twice: refund the second payment at the processor']);
    const [line] = captured.take(/paid twice/);
    expect(line).to.include({ attemptId, paymentLinkId: link.id, linkStatus: 'paid' });
    const rows = await service.query('select 1 from transactions where payment_link_id = $1', [link.id]);
    expect(rows).to.have.length(1);
    expect(await mailed(link)).to.deep.equal(['paid twice']);
    expect(mailer.mails.at(-1)?.text).to.include(reference);
  });

  it('a link that an earlier payment paid while a later one is open is paid for staff, and no longer under way', async () => {
    const viewer = { practiceId: practice.practiceId, test: false, locationIds: null };
    const list = async (status: StaffStatus) =>
      (await listStaffLinks(service.scope(), viewer, { ...ALL_LINKS, status })).rows.map(({ id }) => id);
    const countUnderWay = async () => (await countOpenLinks(service.scope(), viewer)).get('under_way') ?? 0;
    const before = await countUnderWay();
    const link = await newLink();
    await payments.pay(link, 'card_challenge');
    const { attemptId } = await payments.payment(link);
    service.clock.advance({ minutes: 16 });
    await payments.sweep();
    expect(await payments.pay(link, 'card_challenge')).to.equal('requires_action');
    await claims(link, attemptId, 'succeeded');
    expect(await list('paid')).to.include(link.id);
    expect(await list('under_way')).to.not.include(link.id);
    expect(await countUnderWay()).to.equal(before);
  });

  for (const [closed, closing] of [
    ['expired', () => service.clock.advance({ days: 31 })],
    ['cancelled', null],
  ] as const) {
    it(`money that came after the link was ${closed} makes it paid, and is reported once`, async () => {
      const link = await newLink();
      await payments.pay(link, 'card_challenge');
      const { attemptId } = await payments.payment(link);
      if (closing === null) await practice.live.post(`/api/v1/payment-links/${link.id}/cancel`);
      else closing();
      await payments.sweep();
      expect(await seen(link)).to.deep.equal([closed, null, [closed]]);
      captured.lines.length = 0;
      await claims(link, attemptId, 'succeeded');
      expect(await seen(link)).to.deep.equal(['paid', 'succeeded', [closed, 'paid']]);
      expect(errors()).to.deep.equal(['money came after the attempt or link was closed']);
      const [line] = captured.take(/money came/);
      expect(line).to.include({ attemptId, paymentLinkId: link.id, linkStatus: closed });
      expect(await mailed(link)).to.deep.equal(['paid after it was closed']);
    });
  }

  it('a payment that was refused because the amount had changed does not count when the amount changes back', async () => {
    const link = await newLink();
    await payments.pay(link, 'card_challenge');
    const { attemptId } = await payments.payment(link);
    service.clock.advance({ minutes: 16 });
    await payments.sweep();
    const path = `/api/v1/payment-links/${link.id}`;
    const { amount } = (await practice.live.get(path)).body;
    await practice.live.patch(path, { amount: amount + 1 });
    await claims(link, attemptId, 'succeeded');
    await practice.live.patch(path, { amount });
    await claims(link, attemptId, 'succeeded');
    expect(await seen(link)).to.deep.equal(['active', null, []]);
    expect(errors()).to.deep.equal(['payment refused: account, amount, currency or reference differ from the attempt']);
    expect(await mailed(link)).to.deep.equal(['a payment does not match the link']);
    expect(await findViolations(service, practice)).to.deep.equal([]);
  });

  it('a failure of a succeeded card payment changes nothing, and is reported', async () => {
    const link = await newLink();
    await payments.pay(link, 'card_success');
    const { attemptId } = await payments.payment(link);
    await claims(link, attemptId, 'failed');
    expect(await seen(link)).to.deep.equal(['paid', 'succeeded', ['paid']]);
    const [line] = captured.take('the processor contradicts a final state');
    expect(line).to.include({ attemptId, paymentLinkId: link.id, transactionStatus: 'succeeded', state: 'failed' });
    expect(await mailed(link)).to.deep.equal(['the payment processor contradicts itself']);
  });

  it('a payment of another amount is refused, and reported without its description', async () => {
    const link = await newLink();
    await payments.pay(link, 'card_challenge');
    const { attemptId, account, reference } = await payments.payment(link);
    const snapshot = await payments.sandbox.retrieve({ id: account }, reference);
    if (snapshot === null) throw new Error('the sandbox has it');
    const claimed: PaymentSnapshot = { ...snapshot, state: 'succeeded', clientAction: null, amountCents: 1 };
    await applyPayment({ ...service.scope(), processor: payments.sandbox, ...separately }, { id: account }, claimed);
    expect(await seen(link)).to.deep.equal(['active', null, []]);
    expect(errors()).to.deep.equal(['payment refused: account, amount, currency or reference differ from the attempt']);
    expect(JSON.stringify(captured.lines)).to.not.include(link.token);
    const [line] = captured.take(/payment refused/);
    expect(line).to.include({ attemptId, paymentLinkId: link.id, mismatch: 'amount' });
  });
});
