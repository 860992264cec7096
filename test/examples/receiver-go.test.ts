import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/simulate/sandbox-dispute.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { type PayableLink, SETTLE_SECONDS } from '../harness/payments.ts';
import { checkout, until } from '../harness/processes.ts';
import { ENDPOINTS } from '../harness/webhooks.ts';
import { Example, UNKNOWN_TYPE } from './example.ts';

describe('the receiver example in Go', () => {
  let example: Example;
  let out = '';

  before(async function () {
    if (spawnSync('go', ['version']).status !== 0) leaveOut(this, 'no go on this machine');
    // With an empty build cache Go compiles its standard library first. On a busy machine that took 143 s.
    this.timeout(400_000);
    out = mkdtempSync(join(tmpdir(), 'receiver-go-'));
    const program = join(out, 'receiver');
    // Neither a toolchain nor a module may be fetched from the network.
    const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=readonly -buildvcs=false' };
    const folder = join(checkout, 'examples/receiver-go');
    const built = spawnSync('go', ['build', '-C', folder, '-o', program, '.'], { env, encoding: 'utf8' });
    expect(built.status, built.stderr).to.equal(0);
    example = await Example.prepare();
    await example.start({ command: program, args: [] });
  });

  after(async () => {
    await example?.close();
    if (out !== '') rmSync(out, { recursive: true, force: true });
  });

  afterEach(() => {
    example.gateway.fate = () => 'arrive';
  });

  /** Returns status, transaction and dispute of a link as the receiver knows it; null if it does not. */
  async function known({ id }: { id: string }): Promise<(string | null)[] | null> {
    const { body } = await example.ask('GET', `/links/${id}`);
    return body && [body.link.status, body.link.transaction.status, body.dispute?.status ?? null];
  }

  function becomes(link: PayableLink, expected: (string | null)[]): Promise<void> {
    let last: unknown;
    return until(
      async () => {
        last = await known(link);
        return JSON.stringify(last) === JSON.stringify(expected);
      },
      () => `${JSON.stringify(last)} instead of ${JSON.stringify(expected)}`,
    );
  }

  const stored = () => readFileSync(example.path('events.jsonl'), 'utf8').trimEnd().split('\n');

  const reads = ({ id }: { id: string }) => example.gateway.passed.filter(({ path }) => path.endsWith(id)).length;

  /** Waits until all stored events are handled. */
  const handled = () =>
    until(
      () => readFileSync(example.path('links.jsonl'), 'utf8').split('\n').length - 1 === stored().length,
      'not all stored events were handled',
    );

  it('an older webhook never replaces a newer state, when all of a link come at once in the opposite order, twice', async () => {
    const link = await example.payments.link(example.practice);
    await example.payments.pay(link, 'bank_settles');
    example.service.clock.advance({ seconds: SETTLE_SECONDS });
    await example.payments.sweep();
    const { service, payments } = example;
    const dispute = { reason: 'fraudulent', amountCents: 4_000, evidenceDueBy: null };
    await simulateDisputeOpening(service.scope(), payments.sandbox, link.id, dispute);
    await simulateDisputeClosing(service.scope(), payments.sandbox, link.id, 'lost');
    example.arriveInPresent();
    const bodies = await example.bodies(link);
    expect(bodies).to.have.length(4);
    const [closed = '', ...older] = bodies.toReversed();
    expect(await example.post(closed)).to.equal(204);
    await becomes(link, ['paid', 'succeeded', 'lost']);
    const answers = await Promise.all([...older, ...bodies].map((body) => example.post(body)));
    expect(new Set(answers)).to.deep.equal(new Set([204]));
    await handled();
    expect(await known(link)).to.deep.equal(['paid', 'succeeded', 'lost']);
    expect(stored()).to.have.length(4);
  });

  it('a webhook that is delivered again is stored once, and handled once', async () => {
    const link = await example.paid();
    await example.deliver();
    await becomes(link, ['paid', 'succeeded', null]);
    const before = stored().length;
    await example.redeliver(link);
    await example.redeliver(link);
    expect([stored().length, reads(link)]).to.deep.equal([before, 1]);
  });

  it('a forged or late webhook is refused and not stored, and one of an unknown type is accepted', async () => {
    const link = await example.paid();
    const [body = ''] = await example.bodies(link);
    const before = stored().length;
    expect(await example.postForgeries(body)).to.deep.equal([400, 400, 400, 400]);
    expect(stored().length).to.equal(before);
    expect(await example.post(UNKNOWN_TYPE)).to.equal(204);
    expect(await example.post(body)).to.equal(204);
    await becomes(link, ['paid', 'succeeded', null]);
  });

  it('webhooks arrive during a rotation whether the receiver has the old secret, both, or the new one', async () => {
    const { id = '', secret: old = '' } = example.endpoint ?? {};
    const { body } = await example.practice.live.post(`${ENDPOINTS}/${id}/rotate-secret`);
    for (const secrets of [[old], [body.secret, old], [body.secret]]) {
      example.useSecrets(...secrets);
      const link = await example.paid();
      await example.deliver();
      await becomes(link, ['paid', 'succeeded', null]);
    }
    example.useSecrets(body.secret, old);
    const event = JSON.stringify({ ...JSON.parse(UNKNOWN_TYPE), id: 'evt_signed_by_one' });
    expect(await example.post(event, { secret: old })).to.equal(204);
    expect(await example.post(event, { secret: body.secret })).to.equal(204);
    expect(await example.post(event, { secret: 'whsec_of_nobody' })).to.equal(400);
  });

  it('a webhook whose link cannot be read at once is handled as soon as the API answers again', async () => {
    const link = await example.paid();
    example.gateway.fate = () => (reads(link) > 1 ? 'arrive' : 'refuse');
    await example.deliver();
    await becomes(link, ['paid', 'succeeded', null]);
    expect(reads(link)).to.equal(2);
  });

  it('a webhook that was answered with 2xx survives a crash, also one that cut a line of the file', async () => {
    const link = await example.paid();
    example.gateway.fate = () => 'refuse';
    await example.deliver();
    await until(() => reads(link) > 0, 'the receiver did not read the link');
    expect(await known(link)).to.equal(null);
    await example.kill();
    appendFileSync(example.path('events.jsonl'), '{"id":"evt_that_was_cut","ty');
    example.gateway.fate = () => 'arrive';
    await example.restart();
    await becomes(link, ['paid', 'succeeded', null]);
    expect(stored().filter((line) => line.includes('evt_that_was_cut'))).to.deep.equal([]);
  });

  it('webhooks of an outage of the receiver arrive when they are sent again', async () => {
    await example.kill();
    const link = await example.paid();
    await example.deliver();
    await example.restart();
    expect(await known(link)).to.equal(null);
    example.service.clock.advance({ seconds: 60 });
    await example.deliver();
    await becomes(link, ['paid', 'succeeded', null]);
  });
});
