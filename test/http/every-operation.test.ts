import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { operations } from '../../src/contract/document.ts';
import type { OperationId } from '../../src/contract/operations-type.ts';
import { documentedResponses } from '../contract-checker/documented.ts';
import { type Client, checker } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { sendRaw } from '../harness/raw.ts';
import { outcome } from '../harness/refusal.ts';

/** One byte more than a body may have. */
const TOO_LARGE = `{${' '.repeat(65_535)}}`;

describe('every operation of the contract', () => {
  const service = useService();
  const clientTimeouts = { headersMs: 40, requestMs: 60, checkMs: 10 };
  const hasty = useService({ beside: service, clientTimeouts });
  const practice = madeOnce(() => service.practice());

  /** The operations that document a status, with a way to call each on resources that nobody has. */
  function documenting(status: number) {
    const ids = documentedResponses()
      .filter((response) => response.status === status)
      .map(({ operationId }): OperationId => operationId);
    return operations
      .filter(({ operationId }) => ids.includes(operationId))
      .map(({ operationId, method, path, hasBody, describesBody }) => ({
        operationId,
        method,
        path,
        hasBody,
        describesBody,
        call: (
          client: Client,
          { query = '', ...how }: { query?: string; body?: unknown; headers?: Record<string, string> } = {},
        ) =>
          client.call(method, `${path.replaceAll(/\{\w+\}/g, 'nobody')}${query}`, {
            ...how,
            headers: { 'idempotency-key': randomUUID(), ...how.headers },
          }),
      }));
  }

  for (const { operationId, method, path, hasBody } of documenting(408)) {
    it(`${operationId}: 408 request_timeout for a request that does not arrive in time`, async () => {
      const head = [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${practice.test.key}`];
      const unfinished = hasBody ? ['Content-Type: application/json', 'Content-Length: 2', '', '{'] : ['X-Late: '];
      const { status, headers, ...late } = await sendRaw(hasty.baseUrl, [...head, ...unfinished].join('\r\n'));
      expect(checker.checkResponse({ operationId, status: status ?? 0, headers, body: late.body })).to.deep.equal([]);
      expect(`${status} ${JSON.parse(late.body).error.code}`).to.equal('408 request_timeout');
    });
  }

  for (const { operationId, call } of documenting(413)) {
    it(`${operationId}: 413 payload_too_large for more than 65,536 bytes`, async () => {
      expect(outcome(await call(practice.test, { body: TOO_LARGE }))).to.equal('413 payload_too_large');
    });
  }

  for (const { operationId, call } of documenting(415)) {
    it(`${operationId}: 415 unsupported_media_type for a body that is no JSON`, async () => {
      const how = { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      expect(outcome(await call(practice.test, how))).to.equal('415 unsupported_media_type');
    });
  }

  for (const { operationId, hasBody, call } of documenting(400)) {
    if (!hasBody) continue;
    it(`${operationId}: 400 for a body with a property that it does not know`, async () => {
      expect(outcome(await call(practice.test, { body: { surprise: 1 } }))).to.match(/^400 /);
    });
  }

  for (const { operationId, call } of documenting(400)) {
    it(`${operationId}: 400 unknown_parameter for a query parameter that it does not know`, async () => {
      expect(outcome(await call(practice.test, { query: '?surprise=1' }))).to.equal('400 unknown_parameter surprise');
    });
  }

  for (const { operationId, describesBody, call } of documenting(413)) {
    if (describesBody) continue;
    // Only an operation on a resource finds none.
    const accepted = operationId === 'createTestPing' ? '200' : '404 not_found';
    it(`${operationId}: takes an empty object or no body, and no property`, async () => {
      for (const type of ['application/json', 'text/json', 'application/vnd.api+json']) {
        const reply = await call(practice.test, { body: '{}', headers: { 'content-type': type } });
        expect(outcome(reply), type).to.equal(accepted);
      }
      expect(outcome(await call(practice.test))).to.equal(accepted);
      const FAULTY: (readonly [body: string, expected: string])[] = [
        ['{"surprise":{}}', '400 unknown_parameter surprise'],
        ['{"__proto__":1}', '400 unknown_parameter __proto__'],
        ['{"\\u0000":1}', '400 unknown_parameter'],
        [`{"${'x'.repeat(300)}":1}`, `400 unknown_parameter ${'x'.repeat(200)}`],
        ...['[]', 'null', 'x', '""', '{'].map((body) => [body, '400 validation_error'] as const),
      ];
      for (const [body, expected] of FAULTY) expect(outcome(await call(practice.test, { body }))).to.equal(expected);
    });
  }

  for (const { operationId, call } of documenting(431)) {
    it(`${operationId}: 431 headers_too_large for headers of more than 16 KB`, async () => {
      const reply = await call(practice.test, { headers: { 'x-trace': 'x'.repeat(20_000) } });
      expect(outcome(reply)).to.equal('431 headers_too_large');
    });
  }

  for (const { operationId, call } of documenting(429)) {
    it(`${operationId}: 429 rate_limited beyond the limit of the key`, async () => {
      const client = await service.key({ practiceId: practice.practiceId, test: true, requestsPerMinute: 1 });
      await call(client);
      const refused = await call(client);
      expect(outcome(refused)).to.equal('429 rate_limited');
      expect(refused.headers['retry-after']).to.equal('60');
    });
  }
});
