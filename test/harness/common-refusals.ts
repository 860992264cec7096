import { expect } from 'chai';
import { updatePractice } from '../../src/practices/service.ts';
import type { Client, Exchange } from './client.ts';
import { outcome } from './refusal.ts';
import { type TestPractice, type TestService, unknownKey } from './service.ts';

/** The parts of an operation that the tests of common refusals need. */
export interface OperationUnderTest {
  service: () => TestService;
  practice: () => TestPractice;
  /** Sends a request of the operation that would succeed with a good key, as far as the key is concerned. */
  send: (client: Client) => Promise<Exchange>;
}

/** Registers a test for each refusal by key, scope and rate that every operation on webhooks documents. */
export function itRefusesStrangers({ service, practice, send }: OperationUnderTest): void {
  const keyOf = (overrides: object) => service().key({ practiceId: practice().practiceId, test: true, ...overrides });

  it('401 invalid_api_key without a key and with an unknown one', async () => {
    expect(outcome(await send(service().client(null)))).to.equal('401 invalid_api_key');
    expect(outcome(await send(service().client(unknownKey())))).to.equal('401 invalid_api_key');
  });

  it('403 insufficient_scope for a key without webhooks:manage', async () => {
    const client = await keyOf({ scopes: ['payment_links:read', 'payment_links:write'] });
    expect(outcome(await send(client))).to.equal('403 insufficient_scope');
  });

  it('403 api_access_disabled when the practice has its access switched off', async () => {
    const other = await service().practice();
    await updatePractice(service().scope(), other.practiceId, { apiAccessEnabled: false });
    expect(outcome(await send(other.test))).to.equal('403 api_access_disabled');
  });

  it('429 rate_limited, with Retry-After, when the key has used up its minute', async () => {
    const client = await keyOf({ requestsPerMinute: 1 });
    await send(client);
    const refused = await send(client);
    expect(outcome(refused)).to.equal('429 rate_limited');
    expect(refused.headers['retry-after']).to.equal('60');
  });
}

/** Registers a test for each refusal of bodies that every operation which reads one documents. */
export function itRefusesBadBodies(
  { service, practice }: Omit<OperationUnderTest, 'send'>,
  method: 'POST' | 'PATCH',
  path: () => string,
  goodBody: object,
): void {
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    service().client(practice().test.key).call(method, path(), { body, headers });

  it('400 unknown_parameter for a property that does not exist', async () => {
    expect(outcome(await send({ ...goodBody, surprise: 1 }))).to.equal('400 unknown_parameter surprise');
  });

  it('413 payload_too_large for more than 65,536 bytes', async () => {
    expect(outcome(await send(`{${' '.repeat(65_535)}}`))).to.equal('413 payload_too_large');
  });

  it('415 unsupported_media_type for anything but JSON', async () => {
    const reply = await send('url=a', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(outcome(reply)).to.equal('415 unsupported_media_type');
  });
}
