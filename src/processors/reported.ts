import { observe, report } from '../base/diagnostics.ts';
import { type Processor, ProcessorUnavailable } from './processor.ts';

/** Returns the processor with a report of each call that moves or asks about money. */
export function reported<P extends Processor>(processor: P): P {
  const { name } = processor;
  const timed = <T>(call: string, work: () => Promise<T>): Promise<T> =>
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
    begin: (intent) => timed('begin', () => processor.begin(intent)),
    confirm: (charge, reference) => timed('confirm', () => processor.confirm(charge, reference)),
    retrieve: (account, reference) => timed('retrieve', () => processor.retrieve(account, reference)),
    cancel: (account, reference) => timed('cancel', () => processor.cancel(account, reference)),
    refund: (request) => timed('refund', () => processor.refund(request)),
    retrieveRefunds: (account, reference) =>
      timed('retrieve_refunds', () => processor.retrieveRefunds(account, reference)),
    retrieveDispute: (account, reference) =>
      timed('retrieve_dispute', () => processor.retrieveDispute(account, reference)),
    retrieveDisputes: (account, reference) =>
      timed('retrieve_disputes', () => processor.retrieveDisputes(account, reference)),
  };
}
