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
import { SpanIds } from './event-trace.ts';
import { createSpanSink } from './export.ts';
import { makeSpans } from './spans.ts';

export interface TracesOptions {
  component: 'api' | 'worker';
  url: string;
  /** Share of the traces from 0 to 1. */
  ratio: number;
  log: Logger;
}

export interface Traces {
  /** Sends what is left, for two seconds at most. */
  close(): Promise<void>;
}

/** Time for the last spans when the process stops. A collector that does not answer must not delay the stop. */
const LAST_SPANS_MS = 2_000;

/** Longest value of an attribute. Ours are shorter. */
const SPAN_LIMITS = { attributeValueLengthLimit: 256, linkCountLimit: 128 };

/** Records traces of this process and sends them to a collector. */
export function startTraces({ component, url, ratio, log }: TracesOptions): Traces {
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
    spanLimits: SPAN_LIMITS,
  });
  const stop = makeSpans({ tracer: provider.getTracer('paylinks', VERSION), ids });
  return {
    async close() {
      stop();
      await sink.close(LAST_SPANS_MS);
    },
  };
}
