import { expect } from 'chai';
import pg from 'pg';
import { showKey } from '../../src/access/service.ts';
import { SECRET_COLUMNS } from '../../src/main/processes/shared.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { query } from '../harness/database.ts';
import { madeForEach, useReceiver, useServiceForEach } from '../harness/fixtures.ts';
import { runPaylinks } from '../harness/processes.ts';
import { isSignedWith } from '../harness/receiver.ts';
import { TestService } from '../harness/service.ts';
import { createEndpoint, deliver, ENDPOINTS } from '../harness/webhooks.ts';

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `new:${Buffer.alloc(32, 2).toString('base64')}`;

describe('paylinks secrets rotate', () => {
  const service = useServiceForEach({ env: { SECRETS_KEY: OLD } });
  const receiver = useReceiver();
  const practice = madeForEach(() => service.practice());
  let url: string;

  beforeEach(() => {
    url = service.config.databaseUrl;
  });

  async function rotate(secretsKey: string) {
    const env = { ...process.env, DATABASE_URL: url, PROCESSOR: 'sandbox', SECRETS_KEY: secretsKey };
    const { code, stdout, stderr } = await runPaylinks(['secrets', 'rotate', '--json'], env);
    return { code, stderr, data: stdout === '' ? [] : JSON.parse(stdout).data };
  }

  const result = (counts: Record<string, [rotated: number, left: number]>) =>
    SECRET_COLUMNS.map(({ table, column }) => {
      const [rotated, left] = counts[column] ?? [0, 0];
      return { table, column, rotated, left };
    });

  it('secrets that were encrypted with an old key are readable by the new key alone, while they are in use', async () => {
    const endpoint = await createEndpoint(practice.test, receiver.url, {});
    const twice = await createEndpoint(practice.test, `${receiver.url}/2`);
    const again = { headers: { 'Idempotency-Key': 'rotate-once' } };
    const rotated = await practice.test.post(`${ENDPOINTS}/${twice.id}/rotate-secret`, {}, again);
    expect(rotated.status).to.equal(200);
    const [key] = await query<{ id: string }>(url, 'select id from api_keys where test');
    const { key: shown } = await showKey(service.scope(), key?.id ?? '');
    // A transaction that holds an endpoint for a moment, as a replay does.
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from webhook_endpoints where id = $1 for update', [endpoint.id]);
    const rotation = rotate(`${NEW},${OLD}`);
    const free = await query<{ pid: number }>(url, 'select 1 as pid');
    expect(free).to.have.length(1);
    await holder.query('commit');
    await holder.end();
    const { code, data } = await rotation;
    expect({ code, data }).to.deep.equal({
      code: 0,
      data: result({
        secret_ciphertext: [2, 0],
        previous_secret_ciphertext: [1, 0],
        ciphertext: [1, 0],
        reply_ciphertext: [1, 0],
      }),
    });
    const afterwards = await TestService.start({ databaseUrl: url, env: { SECRETS_KEY: NEW }, clock: service.clock });
    afterThisTest(() => afterwards.close());
    expect((await showKey(afterwards.scope(), key?.id ?? '')).key).to.equal(shown);
    const client = afterwards.client(practice.test.key);
    const replayed = await client.post(`${ENDPOINTS}/${twice.id}/rotate-secret`, {}, again);
    expect(replayed.body).to.deep.equal(rotated.body);
    await client.post(`${ENDPOINTS}/${endpoint.id}/test`, {});
    await deliver(afterwards.deliverer(), endpoint.id);
    const [received] = receiver.received;
    expect(received !== undefined && isSignedWith(endpoint.secret, received)).to.equal(true);
  });

  it('webhooks that are sent during a rotation are all signed with their secrets', async () => {
    const env = { SECRETS_KEY: `${NEW},${OLD}` };
    const during = await TestService.start({ databaseUrl: url, env, clock: service.clock });
    afterThisTest(() => during.close());
    const client = during.client(practice.test.key);
    const endpoints = [];
    for (let number = 1; number <= 5; number++) {
      endpoints.push(await createEndpoint(practice.test, `${receiver.url}/${number}`));
    }
    let isRotated = false;
    const rotation = rotate(`${NEW},${OLD}`).finally(() => {
      isRotated = true;
    });
    const secrets = new Map<string, string>();
    while (!isRotated) {
      for (const { id, secret } of endpoints) {
        const { body } = await client.post(`${ENDPOINTS}/${id}/test`, {});
        secrets.set(body.id, secret);
        await deliver(during.deliverer(), id);
      }
    }
    expect((await rotation).code).to.equal(0);
    // A claim leaves out an endpoint that is just being rotated. The recurring job wakes it up again.
    for (const { id } of endpoints) await deliver(during.deliverer(), id);
    const wrong = receiver.received.filter((one) => !isSignedWith(secrets.get(one.id) ?? '', one));
    expect([receiver.received.length, wrong.length]).to.deep.equal([secrets.size, 0]);
  });

  it('while processes restart one by one, with the new key behind the old one first, each reads what the others encrypt', async () => {
    for (const [some, others] of [
      [OLD, `${OLD},${NEW}`],
      [`${OLD},${NEW}`, `${NEW},${OLD}`],
      [`${NEW},${OLD}`, NEW],
    ] as const) {
      // Before the last restart, all is encrypted with the new key.
      if (others === NEW) expect((await rotate(`${NEW},${OLD}`)).code).to.equal(0);
      const both = await Promise.all(
        [some, others].map((SECRETS_KEY) =>
          TestService.start({ databaseUrl: url, env: { SECRETS_KEY }, clock: service.clock }),
        ),
      );
      try {
        for (const [writer, reader] of [both, both.toReversed()]) {
          const client = writer?.client(practice.test.key);
          const { body } = (await client?.post(ENDPOINTS, { url: receiver.url })) ?? {};
          await client?.post(`${ENDPOINTS}/${body.id}/test`, {});
          await deliver(reader?.deliverer() ?? service.deliverer(), body.id);
          const last = receiver.received.at(-1);
          expect(last !== undefined && isSignedWith(body.secret, last), `${some} ${others}`).to.equal(true);
        }
      } finally {
        for (const one of both) await one.close();
      }
    }
    expect(receiver.received).to.have.length(6);
  });

  it('a secret that no key decrypts is left as it is and counted, and the exit code is 1', async () => {
    const endpoint = await createEndpoint(practice.test, receiver.url);
    await query(url, `update webhook_endpoints set secret_ciphertext = 'lost.' || secret_ciphertext where id = $1`, [
      endpoint.id,
    ]);
    const { code, data, stderr } = await rotate(`${NEW},${OLD}`);
    expect({ code, data }).to.deep.equal({ code: 1, data: result({ secret_ciphertext: [0, 1], ciphertext: [1, 0] }) });
    expect(stderr).to.include('SECRETS_KEY lacks').and.include('behind the first one');
  });

  it('without SECRETS_KEY the command says what to set', async () => {
    const { code, stderr } = await rotate('');
    expect(code).to.equal(1);
    expect(stderr).to.include('put the new key first and the old one after it');
  });

  it('every column of the schema with a ciphertext is rotated', async () => {
    const columns = await query<{ name: string }>(
      url,
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and column_name like '%ciphertext%' order by 1`,
    );
    const rotated = SECRET_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted();
    expect(columns.map(({ name }) => name)).to.deep.equal(rotated);
  });
});
