import { expect } from 'chai';
import { readConfig } from '../../src/main/processes/config.ts';
import { checkOnceBack } from '../../src/main/processes/open-database.ts';
import { SECRET_COLUMNS } from '../../src/main/processes/shared.ts';
import { findKeyFaults } from '../../src/platform/database/query/key-faults.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { query } from '../harness/database.ts';
import { madeForEach, useServiceForEach } from '../harness/fixtures.ts';
import { addressOf, killGroup, runPaylinks, startPaylinks, until } from '../harness/processes.ts';
import { createEndpoint } from '../harness/webhooks.ts';

const entry = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const OLD = entry('old', 1);
const NEW = entry('new', 2);
/** The id of the old key, and another key. */
const WRONG = entry('old', 3);

const keyringOf = (SECRETS_KEY: string) => readConfig({ SECRETS_KEY }).keyring;

describe('a SECRETS_KEY that does not fit what is stored', () => {
  const service = useServiceForEach({ env: { SECRETS_KEY: OLD } });
  const practice = madeForEach(() => service.practice());
  let url: string;

  beforeEach(async () => {
    url = service.config.databaseUrl;
    await createEndpoint(practice.test, 'https://receiver.example/1');
  });

  const environment = (secretsKey: string) => ({
    ...process.env,
    ...{ DATABASE_URL: url, PROCESSOR: 'sandbox', PORT: '0', SECRETS_KEY: secretsKey },
  });

  const faults = async (secretsKey: string) => {
    const { missing, wrong } = await findKeyFaults(service.scope(), keyringOf(secretsKey), SECRET_COLUMNS);
    return { missing, wrong };
  };

  it('with another key of the same id a process serves all but webhooks, encrypts nothing, and its log says what to set', async () => {
    for (const name of ['serve', 'worker']) {
      const running = startPaylinks([name], environment(`${WRONG},${NEW}`));
      try {
        await until(() => /"(serving|working)"/.test(running.output()), running.output);
        await until(() => running.output().includes('"keys":["old"]'), running.output);
        expect(running.output())
          .to.include('SECRETS_KEY has a different key under the id old')
          .and.include('keys of your backup');
        expect(running.output()).to.not.include(WRONG.slice(4));
        if (name === 'worker') continue;
        const endpoints = `${await addressOf(running.output)}/api/v1/webhook-endpoints`;
        const headers = { Authorization: `Bearer ${practice.test.key}`, 'Content-Type': 'application/json' };
        expect((await fetch(endpoints, { headers })).status).to.equal(200);
        const body = JSON.stringify({ url: 'https://receiver.example/2' });
        const created = await fetch(endpoints, { method: 'POST', headers, body });
        expect([created.status, await created.text()].join()).to.match(/^503,.*"webhooks_unavailable"/s);
      } finally {
        killGroup(running, 'SIGKILL');
        await running.finished;
      }
    }
    expect(await faults(OLD)).to.deep.equal({ missing: [], wrong: [] });
  });

  it('with another key of the same id nothing is rotated, and check names the key', async () => {
    const refused = await runPaylinks(['secrets', 'rotate'], environment(WRONG));
    expect(refused.code).to.equal(1);
    expect(refused.stderr)
      .to.include('SECRETS_KEY has a different key under the id old')
      .and.include('keys of your backup');
    expect(refused.stderr).to.not.include(WRONG.slice(4));
    // The new key is right, and encrypts what can be read: nothing.
    const rotation = await runPaylinks(['secrets', 'rotate'], environment(`${NEW},${WRONG}`));
    expect([rotation.code, rotation.stderr.includes('"keys":["old"]')]).to.deep.equal([1, true]);
    const { code, stderr } = await runPaylinks(['check'], environment(WRONG));
    expect([code, stderr.includes('"keys":["old"]')]).to.deep.equal([0, true]);
    expect(await faults(OLD)).to.deep.equal({ missing: [], wrong: [] });
  });

  it('a process that lacks the key of stored secrets starts, because all but webhooks works, and its log names the key', async () => {
    for (const secretsKey of [NEW, '']) {
      const running = startPaylinks(['serve'], environment(secretsKey));
      try {
        await until(() => running.output().includes('"serving"'), running.output);
        await until(() => running.output().includes('"keys":["old"]'), running.output);
        expect(running.output()).to.include('put these keys behind the first one');
      } finally {
        killGroup(running, 'SIGKILL');
        await running.finished;
      }
    }
    const { code, stdout, stderr } = await runPaylinks(['check'], environment(NEW));
    expect([code, stdout.startsWith('no faults')]).to.deep.equal([0, true]);
    expect(stderr).to.include('"keys":["old"]');
  });

  it('one damaged secret makes no key wrong, beside others or alone', async () => {
    await createEndpoint(practice.test, 'https://receiver.example/2');
    await query(
      url,
      `update webhook_endpoints set secret_ciphertext = secret_ciphertext || 'x'
       where id = (select max(id) from webhook_endpoints)`,
    );
    expect(await faults(OLD)).to.deep.equal({ missing: [], wrong: [] });
    // A rotation that left one secret behind.
    await query(url, 'update api_keys set ciphertext = null');
    await query(url, 'delete from webhook_endpoints where id <> (select max(id) from webhook_endpoints)');
    expect(await faults(`${NEW},${OLD}`)).to.deep.equal({ missing: [], wrong: [] });
  });

  it('a process that started without its database leaves a wrong key out as soon as it has checked the database', async () => {
    const keyring = { keys: keyringOf(WRONG).keys };
    const ended = new AbortController();
    const checked = new CapturedLog();
    const waiting = checkOnceBack(url, checked.log, keyring, ended.signal).catch(() => undefined);
    await until(() => keyring.keys.length === 0, 'the wrong key is still there');
    ended.abort();
    void waiting;
  });

  it('a database without secrets accepts every key', async () => {
    await query(url, 'delete from webhook_endpoints');
    await query(url, 'update api_keys set ciphertext = null');
    expect(await faults(WRONG)).to.deep.equal({ missing: [], wrong: [] });
    expect(await findKeyFaults(service.scope(), { keys: [] }, SECRET_COLUMNS)).to.deep.equal({
      missing: [],
      wrong: [],
      readsNothing: false,
    });
  });
});
