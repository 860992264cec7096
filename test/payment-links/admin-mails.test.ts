import { expect } from 'chai';
import { removeMember, setLock } from '../../src/console/identity/people/members.ts';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { queueExpiredLinksMails } from '../../src/payment-links/office/admin-mail.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { type Recipients, setRecipients } from '../../src/practices/notifications.ts';
import { addMember } from '../console/console.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { noAnswer, type PayableLink, type Payments, usePayments } from '../harness/payments.ts';

const DISPUTE = { reason: 'fraudulent', amountCents: 10_000, evidenceDueBy: new Date('2030-08-01T00:00:00.000Z') };

const NOBODY = { disputes: [], refunds: [], payments: [], webhooks: [], each_payment: [], expired_links: [] };

/** Data about a patient or a treatment, in every field that may contain some. */
const CANARIES = {
  description: 'canary crown',
  externalReference: 'canary-invoice',
  patient: {
    firstName: 'Canarina',
    lastName: 'Canaryson',
    phone: '+12025550147',
    email: 'canary@aviary.example',
    externalId: 'CANARY-1',
  },
};

describe('admin mails about payments', () => {
  const { service, practice, payments } = usePayments();
  let mailer: KeptMails;

  beforeEach(async () => {
    mailer = new KeptMails();
    await setAddresses({});
  });

  async function paid(method = 'card_success'): Promise<PayableLink> {
    const link = await payments.link(practice, { amount: 100, locationId: practice.locationId, ...CANARIES });
    await payments.pay(link, method);
    return link;
  }

  async function notifyThrice(account: string, subject: Parameters<Payments['notify']>[1]): Promise<void> {
    for (let time = 0; time < 3; time++) await payments.notify(account, subject);
  }

  async function mailed(): Promise<string[]> {
    await runJobs(service, mailer);
    return mailer.mails.map(({ subject }) => subject);
  }

  const setAddresses = (named: Partial<Recipients>) =>
    inTransaction(service.scope(), (scope) => setRecipients(scope, practice.practiceId, { ...NOBODY, ...named }));

  const about = (link: PayableLink, ...what: string[]) => what.map((end) => `Payment link ${link.id}: ${end}`);

  it('the opening and the closing of a dispute are mailed once each, with amount, reason, date and next step', async () => {
    const link = await paid();
    await simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, DISPUTE);
    await simulateDisputeClosing({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, 'lost');
    const { account } = await payments.payment(link);
    const [row] = await service.query<{ reference: string }>(
      'select processor_reference as reference from disputes where payment_link_id = $1',
      [link.id],
    );
    await notifyThrice(account, { kind: 'dispute', reference: row?.reference ?? '' });
    expect(await mailed()).to.deep.equal(about(link, 'a dispute was opened', 'a dispute was closed'));
    expect(mailer.mails.map(({ to }) => to)).to.deep.equal(['admin@elm.example', 'admin@elm.example']);
    const [opened, closed] = mailer.mails.map(({ text }) => text);
    for (const fact of [link.id, '$100.00', 'fraudulent', 'July 31, 2030 at 7:00 PM CDT', row?.reference]) {
      expect(opened).to.include(fact);
    }
    expect(opened).to.include('What to do: send evidence');
    expect(closed).to.include('Outcome: lost');
  });

  it('each mail leads to the page of the payment in the console', async () => {
    const link = await paid();
    await simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, DISPUTE);
    await mailed();
    const [mail] = mailer.mails;
    expect(mail?.text).to.include(`/console/${practice.practiceId}/live/payments/${link.id}\n`);
  });

  it('a debit that its bank returns, before or after it settled, is mailed once, with its amount and the next step', async () => {
    const unsettled = await paid('bank_returns');
    await payments.settle();
    const settled = await paid('bank_settles');
    await payments.settle();
    const { reference, account } = await payments.payment(settled);
    const returned = { ...DISPUTE, reason: 'insufficient_funds' };
    const dispute = await payments.sandbox.bank.openDispute(reference, returned);
    await notifyThrice(account, { kind: 'dispute', reference: dispute });
    expect(await mailed()).to.deep.equal(
      [unsettled, settled].flatMap((link) => about(link, 'a bank debit was returned')),
    );
    for (const { text } of mailer.mails) expect(text).to.include('$100.00').and.include('owes the amount again');
  });

  it('each payment is mailed once to the addresses that the practice named for it, and to nobody without them', async () => {
    await paid();
    expect(await mailed()).to.deep.equal([]);
    await setAddresses({ each_payment: ['desk@elm.example'] });
    const card = await paid();
    const debit = await paid('bank_settles');
    expect(await mailed()).to.deep.equal(about(card, 'paid'));
    await payments.settle();
    await payments.sweep();
    expect(await mailed()).to.deep.equal([card, debit].flatMap((link) => about(link, 'paid')));
    expect(mailer.mails.map(({ to }) => to)).to.deep.equal(['desk@elm.example', 'desk@elm.example']);
  });

  it('people who are limited to locations get the mails of these alone, and the administrator those that nobody else may see', async () => {
    const north = await service.location(practice.practiceId, 'North');
    const limited = (locationId: string) =>
      addMember(service, practice.practiceId, 'billing', { locationIds: [locationId] });
    const [here, there] = [await limited(practice.locationId), await limited(north)];
    await setAddresses({ disputes: [here.email, there.email], each_payment: [there.email] });
    const link = await paid();
    await simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, DISPUTE);
    await mailed();
    expect(mailer.mails.map(({ to }) => to)).to.deep.equal([here.email]);
    await setAddresses({ disputes: [there.email] });
    await simulateDisputeClosing({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, 'won');
    await mailed();
    expect(mailer.mails.map(({ to }) => to)).to.deep.equal([here.email, 'admin@elm.example']);
  });

  it('a locked person gets no mails, and the address of a removed one is no recipient any more, which the audit log says', async () => {
    const { practiceId, locationId } = practice;
    const add = (locationIds: string[] | null) => addMember(service, practiceId, 'billing', { locationIds });
    const [locked, removed, stays] = [await add(null), await add([locationId]), await add(null)];
    await setAddresses({ each_payment: [locked.email, removed.email, stays.email], disputes: [removed.email] });
    const operator = { kind: 'operator' } as const;
    await setLock(service.scope(), operator, { practiceId, id: locked.id }, true);
    await removeMember(service.scope(), operator, { practiceId, id: removed.id });
    const link = await paid();
    await simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, DISPUTE);
    await mailed();
    expect(mailer.mails.map(({ to }) => to)).to.have.members([stays.email, 'admin@elm.example']);
    const [entry] = await service.query<{ before: Recipients; after: Recipients }>(
      `select before, after from audit_log where practice_id = $1 and action = 'notifications.changed'`,
      [practiceId],
    );
    expect([entry?.before.disputes, entry?.after.disputes]).to.deep.equal([[removed.email], []]);
  });

  describe('of the day', () => {
    /** Queues what is due, and returns subjects and recipients of the mails. */
    const daily = async () => {
      await queueExpiredLinksMails(service.scope());
      await runJobs(service, mailer);
      return mailer.mails.splice(0).map(({ to, subject, text }) => ({ to, subject, text }));
    };

    /** Creates a link that expires tomorrow, and lets it expire. */
    const expired = async (locationId = practice.locationId) => {
      const expiresAt = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
      const link = await payments.link(practice, { amount: 40, expiresAt, locationId, ...CANARIES });
      service.clock.advance({ hours: 25 });
      await payments.sweep();
      return link;
    };

    it('the links that expired on a day come in one mail, the morning after, and once', async () => {
      await setAddresses({ expired_links: ['desk@elm.example'] });
      await daily();
      service.clock.set('2031-03-10T12:00:00.000Z');
      const { locationId } = practice;
      const settled = await payments.link(practice, { amount: 9, locationId, expiresAt: '2031-03-11T12:00:00.000Z' });
      const links = [await expired(), await payments.link(practice, { amount: 7, locationId })];
      await service.query(
        `insert into link_resolutions (practice_id, payment_link_id, reason, actor_id, resolved_at)
         values ($1, $2, 'paid_at_desk', 'per_1', now())`,
        [practice.practiceId, settled.id],
      );
      // 01:30 in Chicago, and half past six.
      service.clock.set('2031-03-12T06:30:00.000Z');
      expect(await daily()).to.deep.equal([]);
      service.clock.set('2031-03-12T11:30:00.000Z');
      expect(await daily()).to.deep.equal([]);
      service.clock.set('2031-03-12T12:00:00.000Z');
      const [mail, second] = await daily();
      expect([mail?.to, second]).to.deep.equal(['desk@elm.example', undefined]);
      expect(mail?.subject).to.equal('Payment links that expired on 2031-03-11: 1');
      expect(mail?.text).to.include('Amount: $40.00').and.include(`/live/links/${links[0]?.id}\n`);
      expect(await daily(), 'a second time').to.deep.equal([]);
      service.clock.advance({ hours: 24 });
      expect(await daily(), 'a day without an expired link').to.deep.equal([]);
    });

    it('a person who is limited to locations gets the expired links of these, and without any no mail', async () => {
      const south = await service.location(practice.practiceId, 'South');
      const person = await addMember(service, practice.practiceId, 'billing', { locationIds: [south] });
      const east = await service.location(practice.practiceId, 'East');
      const other = await addMember(service, practice.practiceId, 'billing', { locationIds: [east] });
      await setAddresses({ expired_links: ['all@elm.example', person.email, other.email] });
      await daily();
      service.clock.set('2032-03-10T12:00:00.000Z');
      const [own, others] = [await expired(south), await expired()];
      service.clock.set('2032-03-12T13:00:00.000Z');
      const first = await daily();
      service.clock.set('2032-03-13T13:00:00.000Z');
      const mails = [...first, ...(await daily())];
      const named = mails.map(({ to, text }) => [to, [own, others].filter(({ id }) => text.includes(id)).length]);
      expect(named).to.deep.equal([
        ['all@elm.example', 1],
        [person.email, 1],
        ['all@elm.example', 1],
      ]);
    });
  });

  it('a refund that fails is mailed once', async () => {
    const link = await paid();
    await payments.refund(link, 2_500, 'canary reason');
    const { reference, account } = await payments.payment(link);
    await payments.failRefunds(reference);
    await notifyThrice(account, { kind: 'payment', reference });
    expect(await mailed()).to.deep.equal(about(link, 'a refund failed'));
    expect(mailer.mails[0]?.text).to.include('Amount: $25.00').and.include('sbx_ref_');
  });

  it('a refund at the processor that exceeds the payment is mailed once', async () => {
    const link = await paid();
    const { reference, account } = await payments.payment(link);
    await payments.refundAtSandbox(reference, 10_001);
    await notifyThrice(account, { kind: 'payment', reference });
    expect(await mailed()).to.deep.equal(about(link, 'more was refunded than was paid'));
    expect(mailer.mails[0]?.text).to.include('$100.01');
  });

  it('a refund at the processor that leaves too little for one of ours without an answer is recorded; only ours is mailed', async () => {
    const link = await paid();
    const { reference, account } = await payments.payment(link);
    const silent = { ...payments.sandbox, refund: noAnswer };
    await createRefund({ ...service.scope(), processor: silent, ...separately }, { linkId: link.id });
    await payments.refundAtSandbox(reference, 3_000);
    await notifyThrice(account, { kind: 'payment', reference });
    expect(await mailed()).to.deep.equal([]);
    service.clock.advance({ minutes: 2 });
    await payments.sweep();
    expect(await mailed()).to.deep.equal(about(link, 'a refund failed'));
    expect(
      await service.query(
        `select r.status, r.amount_cents::int as cents from refunds r join transactions t on t.id = r.transaction_id
         where t.payment_link_id = $1 order by cents`,
        [link.id],
      ),
    ).to.deep.equal([
      { status: 'succeeded', cents: 3_000 },
      { status: 'failed', cents: 10_000 },
    ]);
  });

  it('a bank reversal of refunded money is mailed once, with the amount that was returned twice', async () => {
    const link = await paid('bank_settles');
    await payments.settle();
    await payments.refund(link, 4_000);
    const { reference, account } = await payments.payment(link);
    const returned = { ...DISPUTE, reason: 'insufficient_funds' };
    const dispute = await payments.sandbox.bank.openDispute(reference, returned);
    await notifyThrice(account, { kind: 'dispute', reference: dispute });
    expect(await mailed()).to.deep.equal(about(link, 'a bank took refunded money back'));
    expect(mailer.mails[0]?.text).to.include('$40.00');
  });

  it('a dispute is not opened unless its mail is queued', async () => {
    const link = await paid();
    await service.query(
      `alter table payment_admin_mails add constraint trouble check (kind <> 'dispute_opened') not valid`,
    );
    try {
      const { reference, account } = await payments.payment(link);
      const dispute = await payments.sandbox.bank.openDispute(reference, DISPUTE);
      await payments.notify(account, { kind: 'dispute', reference: dispute });
      expect(await payments.events(link)).to.deep.equal(['paid']);
      expect(await service.query('select 1 from disputes where payment_link_id = $1', [link.id])).to.deep.equal([]);
    } finally {
      await service.query('alter table payment_admin_mails drop constraint trouble');
    }
    service.clock.advance({ minutes: 1 });
    await payments.sweep();
    expect(await payments.events(link)).to.deep.equal(['paid', 'disputed']);
    expect(await mailed()).to.deep.equal(about(link, 'a dispute was opened'));
  });

  it('a mail that the mail server does not accept is tried again with the same id', async () => {
    const link = await paid();
    await simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, DISPUTE);
    mailer.failures = 1;
    expect(await mailed()).to.deep.equal([]);
    const waiting = await service.query<{ max_attempts: number; payload: object }>(
      'update graphile_worker._private_jobs set run_at = now() where last_error is not null returning *',
    );
    expect(waiting.map(({ max_attempts }) => max_attempts)).to.deep.equal([20]);
    expect(Object.keys(waiting[0]?.payload ?? {}).sort()).to.deep.equal([
      'amountCents',
      'kind',
      'paymentLinkId',
      'subjectId',
    ]);
    expect(await mailed()).to.have.length(1);
    expect(mailer.mails[0]?.id).to.match(/^plink_\w+\.dispute_opened\.dp_\w+$/);
  });

  afterEach('no mail contains data about the patient or the treatment', () => {
    for (const { subject, text } of mailer.mails) {
      expect(`${subject}${text}`).to.not.match(/canar|aviary|5550147/i);
    }
  });
});
