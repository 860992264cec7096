import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { NewApiKey } from '../../src/access/service.ts';
import { type OperationDescription, operations } from '../../src/contract/document.ts';
import { type IdKind, newId } from '../../src/platform/base/ids.ts';
import { deactivateLocation, updatePractice } from '../../src/practices/service.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import type { Client, Exchange } from '../harness/client.ts';
import { useService } from '../harness/fixtures.ts';
import { prepareTestLink } from '../harness/preparations.ts';
import { outcome, withoutRequestId } from '../harness/refusal.ts';
import { createLink, unknownKey } from '../harness/service.ts';

/** Kinds of ids that paths carry, by the segment before the id. */
const KIND_BY_SEGMENT = {
  locations: 'location',
  'payment-links': 'paymentLink',
  'webhook-endpoints': 'webhookEndpoint',
  'webhook-deliveries': 'event',
} as const satisfies Record<string, IdKind>;

type Kind = (typeof KIND_BY_SEGMENT)[keyof typeof KIND_BY_SEGMENT];

/** One resource of each kind, all at one location. */
type Resources = Record<Kind, string>;

interface Tenant {
  practiceId: string;
  test: Client;
  live: Client;
  testResources: Resources;
  liveResources: Resources;
}

/** A body that each operation takes, for those that need one. */
const BODIES: Record<string, (resources: Resources) => object> = {
  createPaymentLink: ({ location }) => ({
    amount: 1,
    description: 'Cleaning',
    patient: { firstName: 'Ada', lastName: 'Byron' },
    locationId: location,
  }),
  updatePaymentLink: () => ({ description: 'Filling' }),
  simulatePaymentLink: () => ({ outcome: 'paid' }),
  simulateDisputeClosing: () => ({ outcome: 'won' }),
  createWebhookEndpoint: () => ({ url: 'http://127.0.0.1:9/hook' }),
  updateWebhookEndpoint: () => ({ description: 'Billing' }),
  replayWebhookEndpoint: () => ({ since: '2030-06-01T00:00:00Z' }),
};

/** Authorization headers without a valid key. */
const HEADERS: [what: string, header: (key: string) => string | string[]][] = [
  ['a key without scheme', (valid) => valid],
  ['another scheme', (valid) => `Basic ${valid}`],
  ['the scheme alone', () => 'Bearer'],
  ['two keys in a header', (valid) => `Bearer ${valid}, Bearer ${valid}`],
  ['something after the key', (valid) => `Bearer ${valid} x`],
  ['two headers with the same valid key', (valid) => [`Bearer ${valid}`, `Bearer ${valid}`]],
  ['an unknown key', () => `Bearer ${unknownKey()}`],
  ['a live key by the name of a test key', (valid) => `Bearer ${valid.replace('pp_test_', 'pp_live_')}`],
  ['a key of another prefix', (valid) => `Bearer ${valid.replace('pp_', 'sk_')}`],
  ['a key cut off', (valid) => `Bearer ${valid.slice(0, -1)}`],
  ['a key in other case', (valid) => `Bearer ${valid.toUpperCase()}`],
  ['a key with a NUL as text', (valid) => `Bearer ${valid}%00`],
];

describe('access to operations', () => {
  const service = useService();
  let home: Tenant;
  let foreign: Tenant;

  before(async () => {
    home = await tenant();
    foreign = await tenant();
  });

  // Wrong keys are counted per address and minute; none of these cases is about that.
  beforeEach(() => service.clock.advance({ seconds: 61 }));

  async function tenant(): Promise<Tenant> {
    const { practiceId, locationId, test, live } = await service.practice();
    return {
      practiceId,
      test,
      live,
      testResources: await resources(test, locationId),
      liveResources: await resources(live, locationId),
    };
  }

  async function resources(client: Client, location: string): Promise<Resources> {
    const link = await createLink(client, { locationId: location });
    const body = { url: 'http://127.0.0.1:9/hook', locationId: location };
    const endpoint = (await client.post('/api/v1/webhook-endpoints', body)).body;
    const ping = (await client.post(`/api/v1/webhook-endpoints/${endpoint.id}/test`)).body;
    return { location, paymentLink: link.id, webhookEndpoint: endpoint.id, event: ping.id };
  }

  function call(
    operation: OperationDescription,
    client: Client,
    own: Resources,
    { id, authorization }: { id?: string; authorization?: string | string[] } = {},
  ): Promise<Exchange> {
    const kind = kindOf(operation);
    const path = operation.path.replace('{id}', id ?? (kind === null ? '' : own[kind]));
    return client.call(operation.method, path, {
      ...(BODIES[operation.operationId] === undefined ? {} : { body: BODIES[operation.operationId]?.(own) }),
      headers: { 'idempotency-key': randomUUID(), ...(authorization === undefined ? {} : { authorization }) },
      ...(authorization === undefined ? {} : { key: null }),
    });
  }

  /** The client of a further key of the home practice. */
  function key(overrides: Pick<NewApiKey, 'scopes' | 'locationId' | 'expiresAt'> = {}): Promise<Client> {
    return service.key({ practiceId: home.practiceId, test: true, ...overrides });
  }

  for (const operation of operations) {
    describe(`${operation.operationId}: 401 invalid_api_key`, () => {
      it('401 for anything but one header with one valid key', async () => {
        for (const [what, header] of HEADERS) {
          const authorization = header(home.test.key ?? '');
          const reply = await call(operation, home.test, home.testResources, { authorization });
          expect(outcome(reply), what).to.equal('401 invalid_api_key');
        }
      });

      it('401 without an Authorization header', async () => {
        const reply = await call(operation, service.client(null), home.testResources);
        expect(outcome(reply)).to.equal('401 invalid_api_key');
        expect(reply.headers['www-authenticate']).to.equal('Bearer');
      });
    });

    describe(`${operation.operationId}: 403`, () => {
      it('api_access_disabled for every key of a practice whose API access is off, for every request', async () => {
        await updatePractice(service.scope(), foreign.practiceId, { apiAccessEnabled: false });
        afterThisTest(() => updatePractice(service.scope(), foreign.practiceId, { apiAccessEnabled: true }));
        for (const client of [foreign.test, foreign.live]) {
          for (const id of [undefined, 'x']) {
            const reply = await call(operation, client, foreign.testResources, id === undefined ? {} : { id });
            expect(outcome(reply)).to.equal('403 api_access_disabled');
            expect(reply.headers).to.include.keys('ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset');
          }
        }
      });

      const { requiredScope } = operation;
      if (requiredScope !== null) {
        it(`insufficient_scope for a key with all scopes but ${requiredScope}, unknown ids included`, async () => {
          const scopes = ['payment_links:read', 'payment_links:write', 'webhooks:manage'] as const;
          const client = await key({ scopes: scopes.filter((scope) => scope !== requiredScope) });
          for (const id of [undefined, 'x']) {
            const reply = await call(operation, client, home.testResources, id === undefined ? {} : { id });
            expect(outcome(reply)).to.equal('403 insufficient_scope');
          }
        });
      }

      if (operation.testModeOnly) {
        it('test_mode_only for a live key, unknown ids included', async () => {
          for (const id of [undefined, 'x']) {
            const reply = await call(operation, home.live, home.liveResources, id === undefined ? {} : { id });
            expect(outcome(reply)).to.equal('403 test_mode_only');
          }
        });
      }
    });

    const kind = kindOf(operation);
    if (kind !== null) {
      describe(`${operation.operationId}: 404 not_found`, () => {
        it('every id that the key may not see gets the same bytes, except for the request id', async () => {
          const pinned = await key({ locationId: await service.location(home.practiceId, 'Eastside') });
          const gone = await goneId(kind);
          const own = home.testResources;
          const bodies: string[] = [];
          const INVISIBLE: [what: string, client: Client, id: string][] = [
            ['unknown', home.test, newId(kind, service.clock.now())],
            ['of another practice', home.test, foreign.testResources[kind]],
            ['outside the pin', pinned, own[kind]],
            ['deleted', home.test, gone],
            ['malformed', home.test, 'x'],
            ['of the right prefix, but too short', home.test, own[kind].slice(0, -1)],
            ['in other case', home.test, own[kind].toUpperCase()],
            ['with a blank after it', home.test, `${own[kind]}%20`],
            ['with a NUL after it', home.test, `${own[kind]}%00`],
            ['not percent-encoded', home.test, '%ff'],
          ];
          if (kind !== 'location') INVISIBLE.push(['of the live mode', home.test, home.liveResources[kind]]);
          if (kind !== 'location' && !operation.testModeOnly)
            INVISIBLE.push(['of the test mode', home.live, own[kind]]);
          for (const other of Object.values(KIND_BY_SEGMENT).filter((candidate) => candidate !== kind)) {
            INVISIBLE.push([`of the kind ${other}`, home.test, own[other]]);
          }
          for (const [what, client, id] of INVISIBLE) {
            const reply = await call(operation, client, own, { id });
            expect(outcome(reply), what).to.equal('404 not_found');
            bodies.push(withoutRequestId(reply));
          }
          expect(new Set(bodies).size).to.equal(1);
        });
      });
    }

    it(`${operation.operationId}: succeeds with a key of exactly the scope it needs, pinned to the location`, async () => {
      const own = await tenant();
      const { location, paymentLink } = own.testResources;
      await prepareTestLink(own.test, operation.operationId, paymentLink);
      const scopes = [operation.requiredScope ?? 'webhooks:manage'];
      const client = await service.key({ practiceId: own.practiceId, test: true, locationId: location, scopes });
      expect((await call(operation, client, own.testResources)).status).to.be.within(200, 204);
    });
  }

  /** The id of something that was there: deleted, or, where nothing is ever deleted, deactivated. */
  async function goneId(kind: Kind): Promise<string> {
    if (kind === 'paymentLink') return newId('paymentLink', service.clock.now());
    const location = await service.location(home.practiceId, 'Gone');
    if (kind === 'location') {
      await deactivateLocation(service.scope(), location);
      return location;
    }
    const own = await resources(home.test, location);
    await home.test.delete(`/api/v1/webhook-endpoints/${own.webhookEndpoint}`);
    return own[kind];
  }
});

function kindOf({ path }: OperationDescription): Kind | null {
  const segment = /\/([\w-]+)\/\{id\}/.exec(path)?.[1];
  return segment === undefined ? null : KIND_BY_SEGMENT[segment as keyof typeof KIND_BY_SEGMENT];
}
