import { observe, report } from '../platform/base/diagnostics.ts';
import { type Processor, ProcessorUnavailable } from './processor.ts';

/** Returns the processor with a report of each call that moves or asks about money. */
export function withReports<P extends Processor>(processor: P): P {
  const { name } = processor;
  const reportCall = <T>(call: string, work: () => Promise<T>): Promise<T> =>
    observe(
      () => ({ kind: 'processor_call', processor: name, call }),
      async () => {
        const startedMs = performance.now();
        let outcome: 'answered' | 'unavailable' | 'failed' = 'answered';
        try {
          return await work();
        } catch (error) {
          outcome = error instanceof ProcessorUnavailable ? 'unavailable' : 'failed';
          throw error;
        } finally {
          const seconds = (performance.now() - startedMs) / 1_000;
          report('processor_call', () => ({ processor: name, call, outcome, seconds }));
        }
      },
    );
  return {
    ...processor,
    begin: (intent) => reportCall('begin', () => processor.begin(intent)),
    confirm: (charge, reference) => reportCall('confirm', () => processor.confirm(charge, reference)),
    retrieve: (account, reference) => reportCall('retrieve', () => processor.retrieve(account, reference)),
    cancel: (account, reference) => reportCall('cancel', () => processor.cancel(account, reference)),
    refund: (request) => reportCall('refund', () => processor.refund(request)),
    retrieveRefunds: (account, reference) =>
      reportCall('retrieve_refunds', () => processor.retrieveRefunds(account, reference)),
    retrieveDispute: (account, reference) =>
      reportCall('retrieve_dispute', () => processor.retrieveDispute(account, reference)),
    retrieveDisputes: (account, reference) =>
      reportCall('retrieve_disputes', () => processor.retrieveDisputes(account, reference)),
  };
}
