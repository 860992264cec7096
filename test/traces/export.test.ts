import { SpanKind } from '@opentelemetry/api';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { createSpanSink, type SpanSink } from '../../src/main/traces/export.ts';
import { onReport } from '../../src/platform/base/diagnostics.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { until } from '../harness/processes.ts';
import { Collector } from './collector.ts';

describe('spans on their way to a collector', () => {
  let collector: Collector;
  let dropped: { queue_full: number; not_sent: number };
  let stop: () => void;
  let sink: SpanSink;

  beforeEach(async () => {
    collector = await new Collector().start();
    dropped = { queue_full: 0, not_sent: 0 };
    stop = onReport('spans_dropped', ({ reason, count }) => {
      dropped[reason] += count;
    });
  });

  afterEach(async () => {
    await sink.close(0);
    stop();
    await collector.close();
  });

  /** Ends this many spans, one after the other. */
  function end(count: number): void {
    const tracer = new TracerProvider({ spanProcessors: [sink.processor] }).getTracer('test');
    for (let span = 0; span < count; span++) tracer.startSpan('test', { kind: SpanKind.INTERNAL }).end();
  }

  const open = (limits: { mostKept: number; batchTimeoutMs: number }) => {
    sink = createSpanSink(`${collector.url}/v1/traces`, createLogger('silent'), limits);
  };

  it('spans beyond the limit are dropped and counted while the collector is silent, and what was kept is sent at the end', async () => {
    open({ mostKept: 1_000, batchTimeoutMs: 20_000 });
    const waiting: (() => void)[] = [];
    collector.answer = (_, response) => void waiting.push(() => response.writeHead(200).end('{}'));
    end(1_600);
    expect(dropped).to.deep.equal({ queue_full: 600, not_sent: 0 });
    await until(() => waiting.length > 0, 'no batch came');
    collector.answer = null;
    for (const answer of waiting) answer();
    await sink.close(5_000);
    // The first batch was answered without being kept.
    expect(collector.spans.length).to.equal(1_000 - 512);
    expect(dropped).to.deep.equal({ queue_full: 600, not_sent: 0 });
  });

  it('a collector that answers byte by byte loses its connection, and the spans after that batch arrive', async () => {
    open({ mostKept: 600, batchTimeoutMs: 500 });
    collector.answer = (_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    };
    end(600);
    await until(() => collector.headers.length > 0, 'no batch came');
    collector.answer = null;
    await until(() => collector.spans.length > 0, 'nothing came after the first batch');
    end(100);
    await until(
      () => collector.spans.length === 188,
      () => `${collector.spans.length} came`,
    );
  });
});
