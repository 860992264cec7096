import { expect } from 'chai';
import { type AnsweredRequest, createRequestLog } from '../../src/access/request-log.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { useService } from '../harness/fixtures.ts';

describe('the log of API requests', () => {
  const captured = new CapturedLog();
  const service = useService({ log: captured.log });

  const requests = (count: number, practice: (i: number) => string): AnsweredRequest[] =>
    Array.from({ length: count }, (_, i) => ({
      caller: { practiceId: practice(i), test: true, apiKeyId: 'key_1' },
      requestId: `req_${i}`,
      operation: 'listPaymentLinks',
      status: 200,
      errorCode: null,
      durationMs: 1,
      at: service.clock.now(),
    }));
  const stored = async (prefix: string) => {
    const [row] = await service.query<{ count: number }>(
      'select count(*)::integer as count from api_requests where practice_id like $1',
      [`${prefix}%`],
    );
    return row?.count;
  };

  it('the log writes what waits when its process ends', async () => {
    const log = createRequestLog(() => service.scope());
    for (const request of requests(3, () => 'prac_end')) log.add(request);
    await log.close();
    expect(await stored('prac_end')).to.equal(3);
  });

  it('the log keeps at most 2,000 requests in memory, and says how many it left out', async () => {
    const log = createRequestLog(() => service.scope());
    for (const request of requests(2_500, (i) => `prac_many${i}`)) log.add(request);
    await log.close();
    expect(await stored('prac_many')).to.equal(2_000);
    expect(captured.lines.find(({ omitted }) => omitted === 500)?.msg).to.include('left entries out');
  });

  it('the log leaves requests out while the database refuses them, and goes on afterwards', async () => {
    const log = createRequestLog(() => service.scope());
    await service.query('alter table api_requests rename to api_requests_away');
    for (const request of requests(2, () => 'prac_away')) log.add(request);
    await log.close();
    expect(captured.lines.some(({ omitted }) => omitted === 2)).to.equal(true);
    await service.query('alter table api_requests_away rename to api_requests');
    const next = createRequestLog(() => service.scope());
    for (const request of requests(1, () => 'prac_away')) next.add(request);
    await next.close();
    expect(await stored('prac_away')).to.equal(1);
  });
});
