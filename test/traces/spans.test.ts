import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { makeSpans, SpanIds } from '../../src/main/traces/spans.ts';
import { observe, presentWorks, report, runAsPart, type Work } from '../../src/platform/base/diagnostics.ts';
import { reportJob } from '../../src/platform/jobs/queue-log.ts';

describe('spans of events', () => {
  const exporter = new InMemorySpanExporter();
  const ids = new SpanIds();
  let stop: () => void;

  before(() => {
    const spanProcessors = [new SimpleSpanProcessor({ exporter })];
    const provider = new TracerProvider({ spanProcessors, idGenerator: ids });
    stop = makeSpans({ tracer: provider.getTracer('test'), ids });
  });

  beforeEach(() => exporter.reset());

  after(() => stop());

  /** Runs so many requests, and queues a delivery within the batch that they share. */
  async function queueWithin(requests: number): Promise<void> {
    const shared: Work[] = [];
    const begin = async (left: number): Promise<void> => {
      if (left === 0) {
        return runAsPart(shared, () =>
          report('deliveries_queued', () => [{ eventId: 'evt_1', type: 'payment_link.paid' }]),
        );
      }
      // Each request is a root, so its place in the stack does not matter.
      await observe(
        () => ({ kind: 'request', traceparent: '' }),
        () => {
          shared.push(...presentWorks());
          return begin(left - 1);
        },
      );
    };
    await begin(requests);
  }

  const linksByName = () =>
    exporter.getFinishedSpans().map(({ name, links }): [string, number] => [name, links.length]);

  it('an event and the only request that can have committed it have links to each other', async () => {
    await queueWithin(1);
    expect(linksByName()).to.deep.equal([
      ['queue payment_link.paid', 1],
      ['request', 1],
    ]);
  });

  it('an event that a recurring job commits and the run of the job have links to each other', async () => {
    await reportJob('expire_links', async () => {
      report('deliveries_queued', () => [{ eventId: 'evt_2', type: 'payment_link.expired' }]);
    });
    expect(linksByName()).to.deep.equal([
      ['queue payment_link.expired', 1],
      ['job expire_links', 1],
    ]);
  });

  it('a run of a job that fails has an error, and its error reaches the caller', async () => {
    const failed = new Error('of the job');
    const caught = await reportJob('send_mail', () => Promise.reject(failed)).catch((error) => error);
    expect(caught).to.equal(failed);
    const [span] = exporter.getFinishedSpans();
    expect([span?.name, span?.status, span?.attributes]).to.deep.equal([
      'job send_mail',
      { code: SpanStatusCode.ERROR },
      { 'paylinks.job': 'send_mail', 'paylinks.outcome': 'failed', 'error.type': 'failed' },
    ]);
  });

  it('an event of a batch that several requests share has no link to any of them, for they may be of other practices', async () => {
    await queueWithin(2);
    expect(linksByName()).to.deep.equal([
      ['queue payment_link.paid', 0],
      ['request', 0],
      ['request', 0],
    ]);
  });
});
