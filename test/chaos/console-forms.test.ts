import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Caller } from '../../scripts/trial/caller.ts';
import { createRandom } from '../../scripts/trial/random.ts';
import { ConsoleForms } from '../../scripts/trial/refunds/console-forms.ts';

const CSRF = '<input type="hidden" name="csrf" value="token">';
const AMOUNT = '<input type="hidden" name="amount_cents" value="500">';
const REFUND = '<input type="hidden" name="refund" value="re_1">';

describe('the refund forms of chaos runs', () => {
  let server: Server;
  let page = { status: 200, text: CSRF };
  let caller: Caller;
  let forms: ConsoleForms;

  beforeEach(async () => {
    page = { status: 200, text: CSRF };
    server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(page.status).end(page.text));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    caller = new Caller({ ports: [port], random: createRandom(1) });
    forms = await ConsoleForms.open(caller, { practiceId: 'prac_1', liveKey: '', testKey: '', cookie: 'session' });
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('a page that asks to confirm a refund gives its fields', async () => {
    page.text = CSRF + REFUND + AMOUNT;
    const form = await forms.review('plink_1', { choice: 'all' });
    expect(form).to.deep.equal({ csrf: 'token', refund: 're_1', amount_cents: '500' });
    expect(caller.wrongAnswers).to.deep.equal([]);
  });

  it('a page without the id or the amount of the refund is a wrong answer', async () => {
    for (const field of [REFUND, AMOUNT]) {
      page.text = CSRF + field;
      expect(await forms.review('plink_1', { choice: 'all' })).to.equal(null);
    }
    const text = '/console/prac_1/live/payments/plink_1/refund: the page lacks the id or the amount of the refund';
    expect(caller.wrongAnswers).to.deep.equal([text, text]);
  });

  it('a refusal is a wrong answer unless the payment may have been refunded at the processor', async () => {
    page = { status: 422, text: 'Less is left than this amount.' };
    expect(await forms.review('plink_1', { choice: 'all' }, true)).to.equal(null);
    expect(caller.wrongAnswers).to.deep.equal([]);
    expect(await forms.review('plink_1', { choice: 'all' })).to.equal(null);
    expect(caller.wrongAnswers).to.have.length(1);
  });
});
