import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { readCommit, VERSION } from '../../platform/base/log/version.ts';
import { createSpanSink } from './export.ts';
import { makeSpans, SpanIds } from './spans.ts';

interface TracesOptions {
  component: 'api' | 'worker';
  url: string;
  /** Share of the traces from 0 to 1. */
  ratio: number;
  log: Logger;
}

/** Records traces of this process and sends them to a collector. */
export function startTraces({ component, url, ratio, log }: TracesOptions) {
  const ids = new SpanIds();
  const sink = createSpanSink(url, log);
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': `paylinks-${component}`,
        'service.version': VERSION,
        'vcs.ref.head.revision': readCommit(),
      }),
    )
    // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence.
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const provider = new TracerProvider({
    resource,
    sampler: new TraceIdRatioBasedSampler(ratio),
    idGenerator: ids,
    spanProcessors: [sink.processor],
    spanLimits: { attributeValueLengthLimit: 256, linkCountLimit: 128 },
  });
  const stop = makeSpans({ tracer: provider.getTracer('paylinks', VERSION), ids });
  return {
    /** Sends what is left, for two seconds at most: a collector that does not answer must not delay the stop. */
    async close(): Promise<void> {
      stop();
      await sink.close(2_000);
    },
  };
}
