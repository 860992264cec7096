import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { until } from '../harness/processes.ts';
import { createLink, idempotent, linkBody } from '../harness/service.ts';
import { useCrashSetup } from './crash-setup.ts';

/** The statement that creates a link; it commits by itself. */
const CREATE = /create_links/;

describe('an API', function () {
  this.timeout(180_000);
  const setup = useCrashSetup();

  /** Creates by a process that will not live to answer; it knows the practice, so that its first statement writes. */
  async function createAndKill(when: 'before' | 'after', key: string) {
    const { serve, client } = await setup.serve();
    await createLink(client);
    const reached = setup.proxy.stop(when, CREATE);
    const answer = client.post('/api/v1/payment-links', linkBody(), idempotent(key)).catch(() => 'none');
    await reached;
    serve.signal('SIGKILL');
    expect(await answer).to.equal('none');
  }

  /** The same request to an API that lives, as a client repeats it until it gets an answer that is final. */
  async function repeat(key: string) {
    const again = () => setup.practice.test.post('/api/v1/payment-links', linkBody(), idempotent(key));
    let reply = await again();
    await until(
      async () => {
        // The transaction of the dead process is still being rolled back.
        if (reply.status === 409) reply = await again();
        return reply.status !== 409;
      },
      () => reply.text,
    );
    return reply;
  }

  async function linkCount(): Promise<number> {
    return (await setup.rows('select from payment_links')).length;
  }

  it('an API killed before its statement has created nothing, and the repeated request creates one link', async () => {
    const key = randomUUID();
    await createAndKill('before', key);
    expect(await linkCount(), 'the one before').to.equal(1);
    const reply = await repeat(key);
    expect([reply.status, reply.headers['idempotency-replayed']]).to.deep.equal([201, undefined]);
    expect(await linkCount()).to.equal(2);
  });

  it('an API killed between commit and answer has created the link, and the repeated request gets its reply', async () => {
    const key = randomUUID();
    await createAndKill('after', key);
    expect(await linkCount(), 'with the one before').to.equal(2);
    const reply = await repeat(key);
    expect([reply.status, reply.headers['idempotency-replayed']]).to.deep.equal([201, 'true']);
    expect(await linkCount(), 'with the one before').to.equal(2);
    expect((await setup.practice.test.get(`/api/v1/payment-links/${reply.body.id}`)).status).to.equal(200);
  });

  it('an API killed before a charge leaves the link to “Check again”, which frees it within seconds', async () => {
    const link = await createLink(setup.practice.live);
    const page = new URL(link.url).pathname;
    const { serve, client } = await setup.serve();
    const { baseUrl } = client;
    const form = await (await fetch(`${baseUrl}${page}`)).text();
    const day = /name="day" value="([^"]+)"/.exec(form)?.[1] ?? '';
    const cents = /name="amount_cents" value="([^"]+)"/.exec(form)?.[1] ?? '';
    const post = (base: string, action: string, fields: Record<string, string>) =>
      fetch(`${base}${page}/${action}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
    const reached = setup.proxy.stop('before', /update sandbox\.payments set method_token/);
    const payment = { lang: 'en', amount_cents: cents, day, method_type: 'card', card_method: 'card_success' };
    const answer = post(baseUrl, 'submit', payment).catch(() => 'none');
    await reached;
    serve.signal('SIGKILL');
    expect(await answer).to.equal('none');
    const { baseUrl: living } = setup.service;
    expect(await (await fetch(`${living}${page}`)).text()).to.include('Your payment is in progress');
    const checked = await post(living, 'resume', { lang: 'en' });
    expect(checked.headers.get('location')).to.match(/result=cancelled$/);
    expect(await (await fetch(`${living}${page}`)).text()).to.include('name="amount_cents"');
    expect((await post(living, 'submit', payment)).headers.get('location')).to.match(/result=paid$/);
    expect(await setup.rows(`select from sandbox.payments where state = 'succeeded'`)).to.have.length(1);
  });

  it('an API that is stopped is not ready, serves requests until its drain is over, answers all of them, and exits 0', async () => {
    const { serve, client } = await setup.serve({ DRAIN_SECONDS: '1' });
    const reached = setup.proxy.stop('before', CREATE);
    const answer = client.post('/api/v1/payment-links', linkBody(), idempotent());
    await reached;
    serve.signal('SIGTERM');
    await until(() => serve.log().includes('"stopping"'), serve.log);
    expect((await fetch(`${client.baseUrl}/readyz`)).status).to.equal(503);
    const { status, headers } = await client.get('/api/v1/locations');
    expect([status, headers.connection]).to.deep.equal([200, 'close']);
    setup.proxy.release();
    expect((await answer).status).to.equal(201);
    expect(await serve.ended, serve.log()).to.equal(0);
    expect(serve.log()).to.not.match(/"level":[45]0/);
    expect(await client.get('/api/v1/locations').catch((error) => error)).to.be.instanceOf(Error);
  });
});
