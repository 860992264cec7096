import { join } from 'node:path';
import { expect } from 'chai';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { SETTLE_SECONDS } from '../harness/payments.ts';
import { checkout, until } from '../harness/processes.ts';
import { ENDPOINTS } from '../harness/webhooks.ts';
import { Example, payable, UNKNOWN_TYPE } from './example.ts';

const LINKS = '/api/v1/payment-links';

describe('the practice-management example in TypeScript', () => {
  let example: Example;
  let patients = 0;

  before(async () => {
    example = await Example.prepare();
    const args = [join(checkout, 'examples/practice-management/main.ts')];
    await example.start({ command: process.execPath, args });
  });

  after(() => example?.close());

  afterEach(() => {
    example.gateway.fate = () => 'arrive';
  });

  /** Bills 100 dollars to a new patient. */
  async function bill() {
    const patientId = `patient-${++patients}`;
    const { locationId } = example.practice;
    const patient = { patientId, firstName: 'Ada', lastName: 'Moreno' };
    const bill = { locationId, ...patient, description: 'Crown', amountCents: 10_000 };
    const { status, body } = await example.ask('POST', '/invoices', bill);
    expect(status).to.equal(201);
    return { patientId, invoiceId: body.id, ...payable({ id: body.link_id, url: body.link_url, amount: 100 }) };
  }

  async function ledger(patientId: string): Promise<[string, number][]> {
    const { body } = await example.ask('GET', `/patients/${patientId}/ledger`);
    return body.entries.map(({ kind, amount_cents }: { kind: string; amount_cents: number }) => [kind, amount_cents]);
  }

  const statusOf = async (invoiceId: string) => (await example.ask('GET', `/invoices/${invoiceId}`)).body.status;

  const dispute = (id: string, amountCents: number) =>
    simulateDisputeOpening({ ...example.service.scope(), processor: example.payments.sandbox, ...separately }, id, {
      reason: 'fraudulent',
      amountCents,
      evidenceDueBy: null,
    });

  const closeDispute = (id: string, outcome: 'won' | 'lost') =>
    simulateDisputeClosing(
      { ...example.service.scope(), processor: example.payments.sandbox, ...separately },
      id,
      outcome,
    );

  it('the ledger is the same when the webhooks of a bank debit and its dispute come in the opposite order, twice', async () => {
    const link = await bill();
    await example.payments.pay(link, 'bank_settles');
    example.service.clock.advance({ seconds: SETTLE_SECONDS });
    await example.payments.sweep();
    await dispute(link.id, 4_000);
    await closeDispute(link.id, 'won');
    example.arriveInPresent();
    const bodies = await example.bodies(link);
    expect(bodies.map((body) => JSON.parse(body).type.split('.')[1])).to.deep.equal([
      'processing',
      'paid',
      'disputed',
      'dispute_closed',
    ]);
    for (const body of [...bodies.toReversed(), ...bodies]) expect(await example.post(body)).to.equal(204);
    const entries = await ledger(link.patientId);
    expect(entries).to.have.deep.members([
      ['charge', 10_000],
      ['payment', -10_000],
      ['dispute', 4_000],
      ['dispute_won', -4_000],
    ]);
    expect(await statusOf(link.invoiceId)).to.equal('paid');
  });

  it('a payment, a refund and a lost dispute reach the ledger once, however often their webhooks come', async () => {
    const link = await bill();
    await example.payments.pay(link, 'card_success');
    await example.payments.refund(link, 3_000);
    await dispute(link.id, 7_000);
    await closeDispute(link.id, 'lost');
    await example.deliver();
    const expected = [
      ['charge', 10_000],
      ['payment', -10_000],
      ['refund', 3_000],
      ['dispute', 7_000],
    ];
    expect(await ledger(link.patientId)).to.deep.equal(expected);
    await example.redeliver(link);
    expect(await ledger(link.patientId)).to.deep.equal(expected);
  });

  it('a bill makes one link when the answer is lost, because the same key is sent again', async () => {
    let lost = 0;
    example.gateway.fate = ({ method }) => (method === 'POST' && lost++ === 0 ? 'lose' : 'arrive');
    const { invoiceId } = await bill();
    const sent = example.gateway.passed.filter(({ idempotencyKey }) => idempotencyKey === invoiceId);
    expect(sent).to.have.length(2);
    const { body } = await example.practice.live.get(`${LINKS}?externalReference=${invoiceId}`);
    expect(body.totalCount).to.equal(1);
  });

  it('a bill that the API refuses is kept with the reason and not sent again', async () => {
    const bad = { patientId: 'patient-x', firstName: '', lastName: 'Moreno', description: 'Crown', amountCents: 100 };
    const { status, body } = await example.ask('POST', '/invoices', bad);
    expect([status, body.code]).to.deep.equal([502, 'validation_error']);
    const before = example.gateway.passed.length;
    await example.ask('POST', '/end-of-day');
    expect(example.gateway.passed.slice(before).filter(({ method }) => method === 'POST')).to.deep.equal([]);
  });

  it('the end of the day finds a payment, a cancellation and a refund whose webhooks were missed, and a late webhook changes nothing more', async () => {
    // Older than every invoice that waits for its payment.
    example.service.clock.advance({ days: -1 });
    const refunded = await bill();
    await example.payments.pay(refunded, 'card_success');
    example.arriveInPresent();
    await example.deliver();
    await example.payments.refund(refunded, 3_000);
    const link = await bill();
    const cancelled = await bill();
    await example.payments.pay(link, 'card_success');
    await example.practice.live.post(`${LINKS}/${cancelled.id}/cancel`);
    const { body } = await example.ask('POST', '/end-of-day');
    expect(body.missed).to.have.deep.members([
      { linkId: link.id, invoiceId: link.invoiceId, changes: ['paid', 'payment'] },
      { linkId: cancelled.id, invoiceId: cancelled.invoiceId, changes: ['cancelled'] },
      { linkId: refunded.id, invoiceId: refunded.invoiceId, changes: ['refund'] },
    ]);
    await example.deliver();
    expect(await ledger(link.patientId)).to.deep.equal([
      ['charge', 10_000],
      ['payment', -10_000],
    ]);
    expect((await example.ask('POST', '/end-of-day')).body).to.deep.equal({ missed: [] });
  });

  it('a forged, late or oversized webhook is refused, and one of an unknown type is accepted', async () => {
    const link = await bill();
    await example.payments.pay(link, 'card_success');
    const [paid = ''] = await example.bodies(link);
    expect(await example.postForgeries(paid)).to.deep.equal([400, 400, 400, 400]);
    expect(await example.post('x'.repeat(4 * 1024 * 1024 + 1))).to.equal(413);
    expect(await ledger(link.patientId)).to.deep.equal([['charge', 10_000]]);
    expect(await example.post(UNKNOWN_TYPE)).to.equal(204);
    expect(await example.post(paid)).to.equal(204);
    expect(await statusOf(link.invoiceId)).to.equal('paid');
  });

  it('webhooks arrive during a rotation whether the program has the old secret, both, or the new one', async () => {
    const { id = '', secret: old = '' } = example.endpoint ?? {};
    const { body } = await example.practice.live.post(`${ENDPOINTS}/${id}/rotate-secret`);
    for (const secrets of [[old], [body.secret, old], [body.secret]]) {
      example.useSecrets(...secrets);
      const link = await bill();
      await example.payments.pay(link, 'card_success');
      await example.deliver();
      expect(await statusOf(link.invoiceId)).to.equal('paid');
    }
    example.useSecrets(body.secret, old);
    const event = JSON.stringify({ ...JSON.parse(UNKNOWN_TYPE), id: 'evt_signed_by_one' });
    expect(await example.post(event, { secret: old })).to.equal(204);
    expect(await example.post(event, { secret: body.secret })).to.equal(204);
    expect(await example.post(event, { secret: 'whsec_of_nobody' })).to.equal(400);
  });

  it('a bill makes one link when the program dies between request and answer', async () => {
    example.gateway.fate = ({ method }) => (method === 'POST' ? 'wait' : 'arrive');
    example.gateway.gate.close();
    const interrupted = bill().catch(() => null);
    await example.gateway.gate.reached();
    const invoiceId = example.gateway.passed.at(-1)?.idempotencyKey ?? '';
    await example.kill();
    await interrupted;
    example.gateway.gate.open();
    example.gateway.fate = () => 'arrive';
    await example.restart();
    await until(
      async () => (await example.ask('GET', `/invoices/${invoiceId}`)).body.link_id !== null,
      'the invoice got no link',
    );
    const { body } = await example.practice.live.get(`${LINKS}?externalReference=${invoiceId}`);
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal([
      (await example.ask('GET', `/invoices/${invoiceId}`)).body.link_id,
    ]);
  });
});
