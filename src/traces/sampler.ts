import type { Sampler } from '@opentelemetry/sdk-trace';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** Sampler to use, by OpenTelemetry's names. */
export interface SamplerSettings {
  sampler:
    | ('always_on' | 'always_off' | 'traceidratio')
    | ('parentbased_always_on' | 'parentbased_always_off' | 'parentbased_traceidratio');
  /** Share of the traces from 0 to 1, for `traceidratio`. */
  ratio: number;
}

/** Creates the sampler, which decides which traces are sent. */
export function createSampler({ sampler, ratio }: SamplerSettings): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
    default:
      sampler satisfies never;
      throw new Error('the configuration names an unknown sampler');
  }
}
