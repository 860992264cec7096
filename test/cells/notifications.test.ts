import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort, listen } from '../harness/free-port.ts';
import { TestService } from '../harness/service.ts';
import { FakeStripe } from '../processors/fake-stripe.ts';

const PATH = '/processor/notifications/stripe';

/** Header by which a cell says that it does not have the account of an offered notification. */
const UNKNOWN_ACCOUNT = { 'paylinks-account': 'unknown' };

describe('notifications of Stripe, which come to one address for all cells', () => {
  let stripe: FakeStripe;
  let folder: string;
  const cells: TestService[] = [];
  const accounts: string[] = [];
  /** Answer of the third cell, and the number of notifications that it was offered. */
  const third: { status: number; headers: Record<string, string>; offers: number } = {
    ...{ status: 404, headers: UNKNOWN_ACCOUNT, offers: 0 },
  };
  const server = createServer((incoming, outgoing) => {
    third.offers++;
    incoming.resume();
    outgoing.writeHead(third.status, third.headers).end();
  });
  let events = 0;

  before(async () => {
    stripe = await new FakeStripe(() => new Date()).start();
    const ports = [await freePort(), await freePort(), await listen(server)];
    folder = mkdtempSync(join(tmpdir(), 'paylinks-cells-'));
    const file = join(folder, 'cells.json');
    const slots = [[[0, 1023]], [], []];
    const map = ports.map((port, index) => ({
      name: 'abc'[index],
      // The first address of each cell is that of an API that is down.
      addresses: [`127.0.0.1:${index + 1}`, `127.0.0.1:${port}`],
      slots: slots[index],
    }));
    writeFileSync(file, JSON.stringify({ cells: map }));
    for (const [index, CELL] of ['a', 'b'].entries()) {
      const env = {
        ...{ CELL, PAYLINKS_CELLS: file, PORT: `${ports[index]}`, PROCESSOR: 'stripe', STRIPE_API_BASE: stripe.url },
        ...{ STRIPE_SECRET_KEY: 'sk_test_fake', STRIPE_PUBLISHABLE_KEY: 'pk_test_fake' },
        STRIPE_WEBHOOK_SECRETS: stripe.webhookSecret,
      };
      const service = await TestService.start({ env });
      cells.push(service);
      const { practiceId } = await service.practice();
      const account = stripe.books.addAccount();
      accounts.push(account);
      const change = 'update practices set processor_account_id = $2 where id = $1';
      await service.query(change, [practiceId, account]);
    }
  });

  beforeEach(() => {
    Object.assign(third, { status: 404, headers: UNKNOWN_ACCOUNT, offers: 0 });
  });

  after(async () => {
    for (const service of cells) await service.close();
    await stripe.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  /** Sends an event of the account to a cell, and returns the status and which of the real cells recorded it. */
  async function send(to: number, account: string, { secret = stripe.webhookSecret, headers = {} } = {}) {
    const id = `evt_${++events}`;
    const data = { object: { id: account } };
    const event = { id, object: 'event', type: 'account.updated', account, livemode: false, data };
    const signed = stripe.sign(event, secret);
    const { status, headers: answered } = await fetch(`${cells[to]?.baseUrl}${PATH}`, {
      method: 'POST',
      headers: { ...signed.headers, ...headers },
      body: new Uint8Array(signed.raw),
    });
    const recorded: string[] = [];
    for (const [index, service] of cells.entries()) {
      const rows = await service.query('select id from processor_notifications where id = $1', [id]);
      if (rows.length > 0) recorded.push('ab'[index] ?? '');
    }
    const [retryAfter, refusal] = ['retry-after', 'paylinks-account'].map((name) => answered.get(name));
    return { status, recorded: recorded.join(), retryAfter, refusal };
  }

  const [a, b] = [0, 1];
  const accountOf = (cell: number) => accounts[cell] ?? '';

  it('a notification is recorded in the cell of its account, whichever cell receives it', async () => {
    expect(await send(a, accountOf(a))).to.include({ status: 200, recorded: 'a' });
    expect(await send(b, accountOf(b))).to.include({ status: 200, recorded: 'b' });
    expect(third.offers).to.equal(0);
    expect(await send(a, accountOf(b))).to.include({ status: 200, recorded: 'b' });
    expect(await send(b, accountOf(a))).to.include({ status: 200, recorded: 'a' });
  });

  for (const status of [500, 503]) {
    it(`while a cell answers ${status}, a notification that no other cell takes is answered 503, so that Stripe sends it again`, async () => {
      third.status = status;
      const refused = await send(a, 'acct_of_nobody');
      expect(refused).to.include({ status: 503, recorded: '' });
      expect(Number(refused.retryAfter)).to.be.above(0);
      expect(await send(b, accountOf(a))).to.include({ status: 200, recorded: 'a' });
    });
  }

  it('a 404 that does not say that the account is unknown is no answer, so the notification is recorded nowhere', async () => {
    // So answer a cell with another processor, and a server at a wrong address of the map.
    third.headers = {};
    expect(await send(a, 'acct_of_nobody')).to.include({ status: 503, recorded: '' });
    expect(third.offers).to.equal(1);
    third.headers = { 'paylinks-account': 'known' };
    expect(await send(a, 'acct_of_nobody')).to.include({ status: 503, recorded: '' });
    expect(await send(b, accountOf(a))).to.include({ status: 200, recorded: 'a' });
  });

  it('a notification of an account that no cell has is recorded where it arrived, as with a single cell', async () => {
    expect(await send(a, 'acct_unknown')).to.include({ status: 200, recorded: 'a' });
    expect(third.offers).to.equal(1);
  });

  it('an offered notification is not offered further, and is refused if the account is unknown', async () => {
    const offered = { headers: { 'paylinks-offered': '1' } };
    expect(await send(a, accountOf(b), offered)).to.include({ status: 404, recorded: '', refusal: 'unknown' });
    expect(await send(a, accountOf(a), offered)).to.include({ status: 200, recorded: 'a' });
    expect(third.offers).to.equal(0);
  });

  it('a notification without a valid signature is answered 400, and offered to nobody', async () => {
    for (const headers of [{}, { 'paylinks-offered': '1' }] as Record<string, string>[]) {
      expect(await send(a, accountOf(b), { secret: 'whsec_wrong', headers })).to.include({ status: 400, recorded: '' });
    }
    expect(third.offers).to.equal(0);
  });
});
