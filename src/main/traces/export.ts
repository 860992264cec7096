import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { report } from '../../platform/base/diagnostics.ts';
import { logRepeated } from '../../platform/base/log/log-repeated.ts';

const LIMITS = {
  /** Most spans that a process keeps until the collector has them. One takes about 2 kB, so it is some 8 MB. */
  mostKept: 4_096,
  /** Longest time for one batch. The exporter's own timeout ends no collector that answers byte by byte. */
  batchTimeoutMs: 20_000,
};

export type SpanSink = ReturnType<typeof createSpanSink>;

/**
 * Creates a sink that sends batches of spans to a collector, in the background. While the collector is away or slow, spans
 * beyond a limit are dropped. They are reported as `spans_dropped`, like spans that it refused.
 * @param url full address for traces
 */
export function createSpanSink(url: string, log: Logger, { mostKept, batchTimeoutMs } = LIMITS) {
  const agent = url.startsWith('https:') ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const exporter = new OTLPTraceExporter({ url, httpAgentOptions: () => agent });
  let keptSpans = 0;
  const exportInTime: SpanExporter['export'] = (spans, done) => {
    const timer = setTimeout(() => agent.destroy(), batchTimeoutMs).unref();
    exportOrReport(exporter, log, spans, (result) => {
      clearTimeout(timer);
      keptSpans -= spans.length;
      done(result);
    });
  };
  const batches = new BatchSpanProcessor({
    exporter: { export: exportInTime, shutdown: () => exporter.shutdown() },
    maxQueueSize: mostKept,
    exportTimeoutMillis: batchTimeoutMs,
    maxExportBatchSize: 512,
    scheduledDelayMillis: 2_000,
  });
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd(span: ReadableSpan) {
      // BatchSpanProcessor would drop the span without reporting it.
      if (keptSpans >= mostKept) return report('spans_dropped', () => ({ reason: 'queue_full', count: 1 }));
      keptSpans++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
  return {
    processor,
    /** Sends what is left, for at most this time. Then ends all connections. */
    async close(timeoutMs: number): Promise<void> {
      const overdue = new Promise<void>((resolve) => setTimeout(resolve, timeoutMs).unref());
      // A rejection means that spans were lost, which the exporter has reported.
      await Promise.race([batches.shutdown().catch(() => undefined), overdue]);
      agent.destroy();
    },
  };
}

function exportOrReport(
  exporter: SpanExporter,
  log: Logger,
  spans: ReadableSpan[],
  done: (result: ExportResult) => void,
): void {
  const end = (result: ExportResult) => {
    if (result.code !== ExportResultCode.SUCCESS) {
      report('spans_dropped', () => ({ reason: 'not_sent', count: spans.length }));
      // Not the error itself: it may have the collector's answer, and that is not ours to log.
      logRepeated(log, 'warn', { err: new Error('not sent') }, 'the collector did not take traces; they are lost');
    }
    done(result);
  };
  try {
    exporter.export(spans, end);
  } catch (err) {
    log.error({ err }, 'a batch of traces could not be written as JSON');
    end({ code: ExportResultCode.FAILED });
  }
}
