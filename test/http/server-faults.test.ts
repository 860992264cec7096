import { expect } from 'chai';
import { operations } from '../../src/contract/document.ts';
import { createDatabase, query } from '../harness/database.ts';
import { TestService, unknownKey } from '../harness/service.ts';

/** What every operation answers when it is our side that fails: the contract documents it for each of them. */
describe('every operation, when the fault is ours', () => {
  async function answersOfAll(service: TestService): Promise<Set<string>> {
    const client = service.client(unknownKey());
    const answers = new Set<string>();
    for (const { method, path } of operations) {
      const reply = await client.call(method, path.replace(/\{\w+\}/, 'any'));
      const { code, message } = reply.body.error;
      answers.add([reply.status, code, message, reply.headers['retry-after'] ?? '-'].join(' | '));
    }
    return answers;
  }

  it('answers 503 service_unavailable with Retry-After while the database is out of reach', async () => {
    // Port 1 is nobody's: connections are refused at once.
    const service = await TestService.start({ databaseUrl: 'postgres://nobody@127.0.0.1:1/nowhere' });
    try {
      const expected = '503 | service_unavailable | The service is temporarily unavailable; retry shortly. | 5';
      expect([...(await answersOfAll(service))]).to.deep.equal([expected]);
    } finally {
      await service.close();
    }
  });

  it('answers 500 internal_error, and tells nothing of the cause', async () => {
    const databaseUrl = await createDatabase();
    await query(databaseUrl, 'drop function admit_requests');
    const service = await TestService.start({ databaseUrl });
    try {
      const expected = '500 | internal_error | Something went wrong on our side. | -';
      expect([...(await answersOfAll(service))]).to.deep.equal([expected]);
    } finally {
      await service.close();
    }
  });
});
