import { expect } from 'chai';
import { issueKey, type NewApiKey, revokeKey, showKey } from '../../src/access/service.ts';
import { ApiError } from '../../src/platform/base/errors.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink, TestService } from '../harness/service.ts';

const LOCATIONS = '/api/v1/locations';

describe('API keys', () => {
  const service = useService();
  /** Another process on the same database. */
  const second = useService({ beside: service });
  let practiceId: string;

  before(async () => {
    ({ practiceId } = await service.practice());
  });

  function issue(input: Partial<NewApiKey> = {}, from: TestService = service) {
    return issueKey(from.scope(), { practiceId, test: true, ...input });
  }

  /** Returns the key, or the error code that explains why it cannot be shown. */
  async function shown(id: string, from: TestService = service): Promise<string> {
    try {
      return (await showKey(from.scope(), id)).key;
    } catch (error) {
      if (error instanceof ApiError) return error.code;
      throw error;
    }
  }

  /** Every value of every column of every table, ours and the job queue's, as text. */
  async function dump(): Promise<string> {
    const tables = await service.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await service.query<{ text: string }>(`select t::text as text from ${name} t`);
      texts.push(...rows.map(({ text }) => text));
    }
    return texts.join('\n');
  }

  it('API keys begin with the name of their mode and carry at least 190 random bits', async () => {
    for (const [test, prefix] of [
      [true, 'pp_test_'],
      [false, 'pp_live_'],
    ] as const) {
      const keys = await Promise.all([1, 2, 3].map(() => issue({ test })));
      for (const { key } of keys) expect(key).to.match(new RegExp(`^${prefix}[A-Za-z0-9]{32,}$`));
      expect(new Set(keys.map(({ key }) => key)).size).to.equal(3);
    }
  });

  it('API keys are nowhere in the database in clear, after use and after refusals', async () => {
    const keys = [await issue({ test: true }), await issue({ test: false })];
    for (const { key } of keys) {
      const client = service.client(key);
      await createLink(client);
      await client.get('/api/v1/payment-links/x');
      await client.get(LOCATIONS, { key: `${key}x` });
    }
    const everything = await dump();
    expect(everything).to.include(keys[0]?.apiKey.id);
    for (const { key } of keys) {
      const secret = key.slice('pp_test_'.length);
      for (const [form, text] of [
        ['as it is', secret],
        ['its bytes', Buffer.from(secret, 'base64url').toString('hex')],
        ['in hexadecimal', Buffer.from(key).toString('hex')],
        ['in base64', Buffer.from(key).toString('base64')],
      ] as const) {
        expect(everything.includes(text), form).to.equal(false);
      }
    }
  });

  describe('shown again', () => {
    it('test keys can be shown again; live keys cannot, because only their hash is stored', async () => {
      const test = await issue({ test: true });
      const live = await issue({ test: false });
      expect(await shown(test.apiKey.id)).to.equal(test.key);
      expect(await shown(live.apiKey.id)).to.equal('validation_error');
      expect(live.apiKey.ciphertext).to.equal(null);
      expect(await shown('key_x')).to.equal('not_found');
    });

    it('the database itself refuses a ciphertext of a live key', async () => {
      const { apiKey } = await issue({ test: false });
      const update = service.query("update api_keys set ciphertext = 'x' where id = $1", [apiKey.id]);
      const refusal = await update.then(
        () => 'none',
        (error: Error) => error.message,
      );
      expect(refusal).to.include('violates check constraint');
    });

    it('no key can be shown without its SECRETS_KEY, but the keys themselves go on working', async () => {
      const before = await issue();
      for (const SECRETS_KEY of ['', `other:${Buffer.alloc(32, 8).toString('base64')}`, wrongUnderTheSameId()]) {
        const other = await TestService.start({ beside: service, env: { SECRETS_KEY } });
        afterThisTest(() => other.close());
        expect(await shown(before.apiKey.id, other)).to.equal('validation_error');
        expect((await other.client(before.key).get(LOCATIONS)).status).to.equal(200);
        const made = await issue({}, other);
        expect((await other.client(made.key).get(LOCATIONS)).status).to.equal(200);
        expect(await shown(made.apiKey.id, other)).to.equal(SECRETS_KEY === '' ? 'validation_error' : made.key);
      }
    });

    it('test keys can be shown again after SECRETS_KEY was rotated, as long as the former key stays in the keyring', async () => {
      const { apiKey, key } = await issue();
      const newer = `newer:${Buffer.alloc(32, 9).toString('base64')}`;
      const former = `test:${Buffer.alloc(32, 7).toString('base64')}`;
      const rotated = await TestService.start({ beside: service, env: { SECRETS_KEY: `${newer},${former}` } });
      afterThisTest(() => rotated.close());
      expect(await shown(apiKey.id, rotated)).to.equal(key);
    });

    it('a ciphertext put into the row of another key is not shown', async () => {
      const [one, two] = [await issue(), await issue()];
      await service.query(
        `update api_keys a set ciphertext = b.ciphertext from api_keys b
         where a.id = any ($1) and b.id = any ($1) and a.id <> b.id`,
        [[one.apiKey.id, two.apiKey.id]],
      );
      expect(await shown(one.apiKey.id)).to.equal('validation_error');
      expect(await shown(two.apiKey.id)).to.equal('validation_error');
    });
  });

  it('API keys report their last use to the minute; refused requests do not count as use', async () => {
    const { apiKey, key } = await issue({ requestsPerMinute: 1 });
    const lastUsed = async () => {
      const select = 'select last_used_at as at from api_keys where id = $1';
      const [row] = await service.query<{ at: Date | null }>(select, [apiKey.id]);
      return row?.at?.toISOString() ?? null;
    };
    expect(await lastUsed()).to.equal(null);
    const first = service.clock.now().toISOString();
    await service.client(key).get(LOCATIONS);
    expect(await lastUsed()).to.equal(first);
    service.clock.advance({ seconds: 59 });
    expect((await service.client(key).get(LOCATIONS)).status).to.equal(429);
    expect(await lastUsed()).to.equal(first);
    service.clock.advance({ seconds: 2 });
    expect((await service.client(key).get(LOCATIONS)).status).to.equal(200);
    expect(await lastUsed()).to.equal(service.clock.now().toISOString());
  });

  it('API keys stop working at their expiry, to the millisecond', async () => {
    const expiresAt = new Date(service.clock.now().getTime() + 1000);
    const { key } = await issue({ expiresAt });
    service.clock.advance({ ms: 999 });
    expect((await service.client(key).get(LOCATIONS)).status).to.equal(200);
    service.clock.advance({ ms: 1 });
    expect((await service.client(key).get(LOCATIONS)).status).to.equal(401);
  });

  it('revoked keys are refused at their next request, also by another process', async () => {
    const { apiKey, key } = await issue();
    const clients = [service.client(key), second.client(key)];
    for (const client of clients) expect(outcome(await client.get(LOCATIONS))).to.equal('200');
    await revokeKey(service.scope(), apiKey.id);
    for (const client of clients) expect(outcome(await client.get(LOCATIONS))).to.equal('401 invalid_api_key');
  });

  it('keys that are revoked again keep the time of their first revocation', async () => {
    const { apiKey } = await issue();
    const first = (await revokeKey(service.scope(), apiKey.id)).revokedAt;
    service.clock.advance({ minutes: 1 });
    expect((await revokeKey(service.scope(), apiKey.id)).revokedAt).to.deep.equal(first);
  });

  it('API keys are issued with all scopes unless limited, and refused for what does not exist', async () => {
    const all = ['payment_links:read', 'payment_links:write', 'webhooks:manage'];
    expect((await issue()).apiKey.scopes).to.have.members(all);
    expect((await issue({ scopes: ['webhooks:manage', 'webhooks:manage'] })).apiKey.scopes).to.deep.equal([
      'webhooks:manage',
    ]);
    const elsewhere = (await service.practice()).locationId;
    for (const [input, code] of [
      [{ requestsPerMinute: 0 }, 'validation_error'],
      [{ requestsPerMinute: 1.5 }, 'validation_error'],
      [{ locationId: elsewhere }, 'not_found'],
      [{ practiceId: 'prac_x' }, 'not_found'],
    ] as const) {
      const refusal = await issue(input).then(
        () => 'issued',
        (error: ApiError) => error.code,
      );
      expect(refusal, JSON.stringify(input)).to.equal(code);
    }
  });
});

function wrongUnderTheSameId(): string {
  return `test:${Buffer.alloc(32, 1).toString('base64')}`;
}
