import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { leaveOut } from '../harness/leave-out.ts';
import { SETTLE_SECONDS } from '../harness/payments.ts';
import { checkout, type Finished, start } from '../harness/processes.ts';
import { createLink } from '../harness/service.ts';
import { ENDPOINTS, followRetrySchedule, listDeliveries, setExhaustedInARow } from '../harness/webhooks.ts';
import { Example, UNKNOWN_TYPE } from './example.ts';

const folder = join(checkout, 'examples/nightly-reconciliation');

describe('the nightly reconciliation example in Python', () => {
  let example: Example;

  before(async function () {
    if (spawnSync('python3', ['--version']).status !== 0) leaveOut(this, 'no python3 on this machine');
    example = await Example.prepare();
    const env = { PYTHONPATH: join(checkout, 'examples/verify/python') };
    await example.start({ command: 'python3', args: [join(folder, 'receiver.py')], env });
  });

  after(() => example?.close());

  /** Runs the nightly job. Webhooks are sent at the same time, as a worker does it. */
  async function nightly(): Promise<Finished> {
    const args = [join(folder, 'nightly.py'), '--days', '7', '--wait-seconds', '30'];
    const { finished } = start('python3', args, { env: example.env });
    let isOver = false;
    void finished.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await example.deliver();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return finished;
  }

  /** Returns status, transaction and refunded cents of a link in the ledger; null if it is not there. */
  function booked({ id }: { id: string }): unknown[] | null {
    const ledger = new DatabaseSync(example.path('ledger.sqlite'), { readOnly: true });
    const row = ledger.prepare('select status, transaction_status, refunded_cents from links where id = ?').get(id);
    ledger.close();
    return row === undefined ? null : Object.values(row);
  }

  it('the nightly job repairs an outage that disabled the endpoint, by a replay, and names each difference', async () => {
    const { service, practice, endpoint } = example;
    await example.kill();
    // More than one page of links.
    await Promise.all(Array.from({ length: 101 }, () => createLink(practice.live)));
    const exhausted = await example.paid();
    const cancelled = await createLink(practice.live);
    await setExhaustedInARow(service, endpoint?.id ?? '', 19);
    await followRetrySchedule(service, example.deliverer, endpoint?.id ?? '');
    expect((await practice.live.get(`${ENDPOINTS}/${endpoint?.id}`)).body.status).to.equal('disabled');
    example.arriveInPresent();
    const whileDisabled = await example.paid();
    await practice.live.post(`/api/v1/payment-links/${cancelled.id}/cancel`);
    await example.restart();

    const { code, stdout, stderr } = await nightly();
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.include('the endpoint was disabled; it is enabled again\n');
    expect(stdout).to.include('replayed: 3 sent again, 0 made afresh\n');
    expect(stdout.match(/^difference: .*/gm)).to.have.length(3);
    expect(stdout).to.include(`difference: ${exhausted.id} (None): not in the ledger, should be paid`);
    expect([exhausted, whileDisabled, cancelled].map(booked)).to.deep.equal([
      ['paid', 'succeeded', 0],
      ['paid', 'succeeded', 0],
      ['cancelled', null, 0],
    ]);
    const { body } = await practice.live.get('/api/v1/payment-links?pageSize=1');
    expect(body.totalCount).to.be.greaterThan(100);
    const pages = example.gateway.passed.filter(({ path }) => path.includes('createdAfter') && path.includes('page=2'));
    expect(pages).not.to.deep.equal([]);
  });

  it('the nightly job reports nothing when the webhooks have brought everything', async () => {
    const link = await example.paid();
    await example.payments.refund(link, 2_500);
    await example.deliver();
    expect(booked(link)).to.deep.equal(['paid', 'succeeded', 2_500]);
    const { code, stdout } = await nightly();
    expect([code, stdout]).to.deep.equal([0, 'the webhooks have brought everything\n']);
  });

  it('the nightly job takes a link from the API when no webhook will come, and reports it once', async () => {
    // Older than the job looks back, but paid now.
    example.service.clock.advance({ days: -8 });
    const link = await example.payments.link(example.practice);
    example.arriveInPresent();
    await example.payments.pay(link, 'card_success');
    // The event is lost for good, and the replay before was less than ten minutes ago.
    await example.payments.service.query('delete from webhook_deliveries where payment_link_id = $1', [link.id]);
    const first = await nightly();
    expect(first.code, first.stdout + first.stderr).to.equal(1);
    expect(first.stdout).to.include('a replay was made a short time ago').and.include(`taken from the API: ${link.id}`);
    expect(booked(link)).to.deep.equal(['paid', 'succeeded', 0]);
    expect((await nightly()).code).to.equal(0);
  });

  it('an older webhook never replaces a newer state, and a webhook that comes again changes nothing', async () => {
    example.service.clock.advance({ days: -4 });
    const link = await example.payments.link(example.practice);
    await example.payments.pay(link, 'bank_settles');
    example.service.clock.advance({ seconds: SETTLE_SECONDS });
    await example.payments.sweep();
    example.arriveInPresent();
    await example.payments.refund(link, 1_000);
    const bodies = await example.bodies(link);
    expect(bodies).to.have.length(3);
    for (const body of [...bodies.toReversed(), ...bodies]) {
      expect(await example.post(body)).to.equal(204);
      expect(booked(link)).to.deep.equal(['paid', 'succeeded', 1_000]);
    }
    await example.deliver();
    expect((await listDeliveries(example.practice.live, 'status=delivered')).length).to.be.greaterThan(3);
    expect(booked(link)).to.deep.equal(['paid', 'succeeded', 1_000]);
  });

  it('a forged or late webhook is refused, and one of an unknown type is accepted', async () => {
    const link = await example.paid();
    const [body = ''] = await example.bodies(link);
    expect(await example.postForgeries(body)).to.deep.equal([400, 400, 400, 400]);
    expect(booked(link)).to.equal(null);
    expect(await example.post(UNKNOWN_TYPE)).to.equal(204);
    expect(await example.post(body)).to.equal(204);
    expect(booked(link)).to.deep.equal(['paid', 'succeeded', 0]);
  });
});
