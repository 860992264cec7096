import { expect } from 'chai';
import type { Logger } from 'pino';
import { afterThisTest } from '../harness/after-this-test.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import type { Client } from '../harness/client.ts';
import { isSignedWith } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import { TestService } from '../harness/service.ts';
import { ENDPOINTS, getDelivery, ping, useEndpoint } from '../harness/webhooks.ts';

describe('rotateWebhookEndpointSecret', () => {
  const { service, practice, receiver, endpoint, deliver } = useEndpoint();

  const rotate = (client: Client = practice.test) => client.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`);

  /** Sends a ping, and returns the secrets that signed it, in the order of the header's `v1` values. */
  async function signers(...secrets: string[]): Promise<number[]> {
    await ping(practice.test, endpoint.id);
    await deliver();
    const received = receiver.received.at(-1);
    if (received === undefined) throw new Error('nothing arrived');
    const [time, ...signatures] = String(received.headers['service-signature']).split(',');
    return signatures.map((signature) => {
      const alone = { ...received, headers: { 'service-signature': `${time},${signature}` } };
      return secrets.findIndex((secret) => isSignedWith(secret, alone));
    });
  }

  it('rotating changes the secret and nothing else', async () => {
    const reply = await rotate();
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({ ...endpoint, secret: reply.body.secret });
    expect(reply.body.secret)
      .to.match(/^whsec_[A-Za-z0-9]{43}$/)
      .and.not.equal(endpoint.secret);
  });

  it('both secrets sign for 24 hours, the new one first, and then the new one only', async () => {
    expect(await signers(endpoint.secret)).to.deep.equal([0]);
    const { secret } = (await rotate()).body;
    expect(await signers(secret, endpoint.secret)).to.deep.equal([0, 1]);
    service.clock.advance({ hours: 24, ms: -1 });
    expect(await signers(secret, endpoint.secret)).to.deep.equal([0, 1]);
    service.clock.advance({ ms: 1 });
    expect(await signers(secret, endpoint.secret)).to.deep.equal([0]);
  });

  it('a further rotation erases the older secret and gives the other its 24 hours', async () => {
    const second = (await rotate()).body.secret;
    service.clock.advance({ hours: 23 });
    const third = (await rotate()).body.secret;
    expect(await signers(third, second, endpoint.secret)).to.deep.equal([0, 1]);
    service.clock.advance({ hours: 23 });
    expect(await signers(third, second, endpoint.secret)).to.deep.equal([0, 1]);
    service.clock.advance({ hours: 1 });
    expect(await signers(third, second, endpoint.secret)).to.deep.equal([0]);
  });

  it('two concurrent rotations have different replies, and the last two secrets sign', async () => {
    const secrets = (await Promise.all([rotate(), rotate()])).map(({ body }) => body.secret as string);
    expect(new Set(secrets).size).to.equal(2);
    expect((await signers(...secrets)).sort()).to.deep.equal([0, 1]);
  });

  it('a disabled endpoint can be rotated, too', async () => {
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
    expect((await rotate()).body.status).to.equal('disabled');
  });

  describe('after an entry of SECRETS_KEY was removed', () => {
    const OLD = `test:${Buffer.alloc(32, 7).toString('base64')}`;
    const NEW = `next:${Buffer.alloc(32, 8).toString('base64')}`;

    /** The service with another SECRETS_KEY, until the present test ends. */
    async function withKeys(SECRETS_KEY: string, log?: Logger): Promise<{ other: TestService; client: Client }> {
      const other = await TestService.start({ beside: service, env: { SECRETS_KEY }, ...(log && { log }) });
      afterThisTest(() => other.close());
      return { other, client: other.client(practice.test.key) };
    }

    /** Returns true if the newest request is signed with this secret alone. */
    const isSignedWithOnly = (secret: string) => {
      const received = receiver.received.at(-1);
      const values = String(received?.headers['service-signature']).split(',');
      return received !== undefined && values.length === 2 && isSignedWith(secret, received);
    };

    it('a former secret that cannot be decrypted is left out: only the newest signs, which is logged, and nothing is refused', async () => {
      const { secret } = (await rotate((await withKeys(`${NEW},${OLD}`)).client)).body;
      const captured = new CapturedLog();
      const { other, client } = await withKeys(NEW, captured.log);
      const { id } = await ping(client, endpoint.id);
      await deliver(other.deliverer());
      expect(isSignedWithOnly(secret)).to.equal(true);
      expect((await getDelivery(client, id)).status).to.equal('delivered');
      const [line] = captured.take(/the former webhook secret cannot be decrypted/);
      expect(JSON.stringify(line)).to.include(endpoint.id);
      expect((await rotate(client)).status).to.equal(200);
    });

    it('rotating a secret that cannot be decrypted gives a new one, which signs alone', async () => {
      const { other, client } = await withKeys(NEW);
      expect(outcome(await client.post(`${ENDPOINTS}/${endpoint.id}/test`))).to.equal('503 webhooks_unavailable');
      const { secret } = (await rotate(client)).body;
      await ping(client, endpoint.id);
      await deliver(other.deliverer());
      expect(isSignedWithOnly(secret)).to.equal(true);
    });
  });
});
