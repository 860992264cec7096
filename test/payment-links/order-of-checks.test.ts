import { expect } from 'chai';
import { revokeKey } from '../../src/access/service.ts';
import { deactivateLocation, updatePractice } from '../../src/practices/service.ts';
import type { Client } from '../harness/client.ts';
import { useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { linkBody, type TestService } from '../harness/service.ts';

/** A create request in the making, with everything that may be wrong about it. */
interface Attempt {
  path: string;
  method: string;
  client: Client;
  apiKeyId: string;
  practiceId: string;
  locationId: string;
  address: string;
  headers: Record<string, string>;
  body: string;
}

/** Breaks a rule: changes the request, or what it meets. */
type BreakRule = (attempt: Attempt, service: TestService) => Partial<Attempt> | Promise<unknown>;

/** Checks in the order in which callers may rely on them: what is wrong, and the answer while nothing above it is. */
const CHECKS: [what: string, answer: string, breakRule: BreakRule][] = [
  [
    'too many requests from the address',
    '429 rate_limited',
    async ({ address }, service) => {
      const headers = { 'x-forwarded-for': address };
      for (let request = 0; request < 5; request++) await service.client(null).get('/no-such-path', { headers });
    },
  ],
  ['an unknown path', '404 not_found', ({ path }) => ({ path: `${path}/` })],
  ['a revoked key', '401 invalid_api_key', ({ apiKeyId }, service) => revokeKey(service.scope(), apiKeyId)],
  [
    'API access switched off',
    '403 api_access_disabled',
    ({ practiceId }, service) => updatePractice(service.scope(), practiceId, { apiAccessEnabled: false }),
  ],
  [
    'too many requests with the key',
    '429 rate_limited',
    async ({ apiKeyId, client, address }, service) => {
      await service.query('update api_keys set requests_per_minute = 1 where id = $1', [apiKeyId]);
      await client.get('/api/v1/locations', { headers: { 'x-forwarded-for': `2001:db8:${address.split('.')[3]}::1` } });
    },
  ],
  [
    'a missing scope',
    '403 insufficient_scope',
    ({ apiKeyId }, service) =>
      service.query("update api_keys set scopes = '{payment_links:read}' where id = $1", [apiKeyId]),
  ],
  [
    'another media type',
    '415 unsupported_media_type',
    ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/plain' } }),
  ],
  ['too large a body', '413 payload_too_large', ({ body }) => ({ body: body.padEnd(65_537, ' ') })],
  ['an invalid body', '400 validation_error amount', ({ body }) => ({ body: body.replace('125.5', '-25.5') })],
  [
    'a body that its schema accepts, with a fraction of a cent',
    '400 validation_error amount',
    ({ body }) => ({ body: body.replace('125.5', '125.501') }),
  ],
  [
    'no Idempotency-Key',
    '400 idempotency_key_required Idempotency-Key',
    ({ headers }) => ({ headers: { ...headers, 'idempotency-key': '' } }),
  ],
  [
    'an Idempotency-Key used for another body',
    '422 idempotency_key_reused Idempotency-Key',
    ({ apiKeyId }, service) =>
      service.query(
        `insert into idempotent_replies (api_key_id, practice_id, idempotency_key, body_hash, reply, created_at)
         select id, practice_id, 'key', '\\x00', '{}', $2 from api_keys where id = $1`,
        [apiKeyId, service.clock.now()],
      ),
  ],
  [
    'an unknown location',
    '404 not_found locationId',
    ({ body }) => ({ body: body.replace(/"locationId":[^,}]+/, '"locationId":"loc_x"') }),
  ],
  [
    'onboarding not finished',
    '409 payments_not_enabled',
    ({ practiceId }, service) => updatePractice(service.scope(), practiceId, { paymentsEnabled: false }),
  ],
  [
    'no active location',
    '409 no_active_location',
    async (attempt, service) => {
      await deactivateLocation(service.scope(), attempt.locationId);
      // Named, it would be an unknown one.
      attempt.body = attempt.body.replace(`"${attempt.locationId}"`, 'null');
    },
  ],
  [
    'the daily cap',
    '429 daily_limit_reached',
    ({ apiKeyId }, service) =>
      service.query(
        'insert into daily_link_counts (api_key_id, practice_id, day, created_count) select id, practice_id, $2, 5000 from api_keys where id = $1',
        [apiKeyId, service.clock.now()],
      ),
  ],
];

describe('createPaymentLink: order of checks', () => {
  const service = useService({ env: { TRUST_PROXY_HOPS: '1', IP_REQUESTS_PER_MINUTE: '5' } });
  let attempts = 0;

  async function newAttempt(): Promise<Attempt> {
    const { practiceId, locationId, live } = await service.practice();
    const [row] = await service.query<{ id: string }>('select id from api_keys where practice_id = $1 and not test', [
      practiceId,
    ]);
    const address = `198.18.0.${++attempts}`;
    return {
      path: '/api/v1/payment-links',
      method: 'POST',
      client: live,
      apiKeyId: row?.id ?? '',
      practiceId,
      locationId,
      address,
      headers: { 'x-forwarded-for': address, 'idempotency-key': 'key' },
      body: JSON.stringify(linkBody({ locationId })),
    };
  }

  async function send({ client, method, path, headers, body }: Attempt): Promise<string> {
    return outcome(await client.call(method, path, { headers, body }));
  }

  it('201 when nothing is wrong', async () => {
    expect(await send(await newAttempt())).to.equal('201');
  });

  /** Breaks the rules of these checks. Returns the answer to the attempt. */
  async function answerTo(broken: typeof CHECKS): Promise<string> {
    const attempt = await newAttempt();
    for (const [, , breakRule] of broken) {
      const change = breakRule(attempt, service);
      if (change instanceof Promise) await change;
      else Object.assign(attempt, change);
    }
    return send(attempt);
  }

  for (const [index, check] of CHECKS.entries()) {
    const [what, answer] = check;
    it(`${answer}: ${what}`, async () => {
      expect(await answerTo([check])).to.equal(answer);
    });

    // Checks run one after the other, so the order of neighbours is that of all.
    const [next, ...later] = CHECKS.slice(index + 1);
    if (next === undefined) continue;
    it(`${answer}: ${what}, though the next check would fail, and all later ones`, async () => {
      expect(await answerTo([next, check])).to.equal(answer);
      expect(await answerTo([...later.toReversed(), next, check])).to.equal(answer);
    });
  }

  it('405 method_not_allowed before the key is looked at', async () => {
    const attempt = await newAttempt();
    await revokeKey(service.scope(), attempt.apiKeyId);
    expect(await send({ ...attempt, method: 'PUT' })).to.equal('405 method_not_allowed');
  });
});
