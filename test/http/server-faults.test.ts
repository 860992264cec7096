import { expect } from 'chai';
import { operations } from '../../src/contract/document.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { createDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';
import { TestService, unknownKey } from '../harness/service.ts';

/** Answers of every operation to faults of the service. The contract documents them for each operation. */
describe('every operation, when the fault is ours', () => {
  async function answersOfAll(service: TestService): Promise<Set<string>> {
    const client = service.client(unknownKey());
    const answers = new Set<string>();
    for (const { method, path } of operations) {
      const reply = await client.call(method, path.replace(/\{\w+\}/, 'any'));
      const { code, message } = reply.body.error;
      answers.add([reply.status, code, message, reply.headers['retry-after'] === undefined ? '-' : 'wait'].join(' | '));
    }
    return answers;
  }

  it('every operation answers 503 service_unavailable while the database is out of reach, with different Retry-After times, and logs once per second', async () => {
    const { log, lines } = new CapturedLog('error');
    // Port 1 is nobody's: connections are refused at once.
    const service = await TestService.start({ databaseUrl: 'postgres://nobody@127.0.0.1:1/nowhere', log });
    afterThisTest(() => service.close());
    const client = service.client(unknownKey());
    const ask = async () => (await client.get('/api/v1/locations')).headers['retry-after'];
    const startedMs = performance.now();
    const waits = await Promise.all(Array.from({ length: 300 }, ask));
    const seconds = new Set(waits.map(Number));
    expect(Math.min(...seconds), 'the least wait').to.be.at.least(5);
    expect(Math.max(...seconds), 'the longest wait').to.be.at.most(10);
    expect(seconds.size, 'different waits').to.be.greaterThan(1);
    // The process also says that it is not ready, once.
    const refusals = () => lines.filter(({ count }) => count !== undefined);
    const reported = () => refusals().reduce((sum, { count }) => sum + Number(count), 0);
    await until(
      () => reported() === 300,
      () => `${reported()} of 300 are reported`,
    );
    const elapsedSeconds = Math.ceil((performance.now() - startedMs) / 1000);
    expect(refusals().length, 'lines').to.be.at.most(elapsedSeconds + 1);
    expect(refusals()[0]).to.have.nested.property('err.stack');
    expect(refusals()[1]).to.have.nested.property('cause.code', 'ECONNREFUSED');
    const expected = '503 | service_unavailable | The service is temporarily unavailable; retry shortly. | wait';
    expect([...(await answersOfAll(service))]).to.deep.equal([expected]);
  });

  it('every operation answers 500 internal_error without the cause', async () => {
    const databaseUrl = await createDatabase();
    await query(databaseUrl, 'drop function admit_requests(text[], integer[], bytea[], integer, timestamptz, integer)');
    const service = await TestService.start({ databaseUrl });
    afterThisTest(() => service.close());
    const expected = '500 | internal_error | Something went wrong on our side. | -';
    expect([...(await answersOfAll(service))]).to.deep.equal([expected]);
  });
});
