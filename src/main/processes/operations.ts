import type { Handlers } from '../../http/adapter.ts';
import { missedChanges } from '../../payment-links/api/missed-changes.ts';
import { paymentLinkOperations } from '../../payment-links/operations.ts';
import type { Links } from '../../payment-links/store/change.ts';
import { locationOperations } from '../../practices/operations.ts';
import type { Processor } from '../../processors/processor.ts';
import type { CheckUrl } from '../../webhooks/endpoints/service.ts';
import { webhookOperations } from '../../webhooks/operations.ts';

/** Creates a handler for every operation of the contract. The compiler reports a missing operation or a wrong reply. */
export function createOperations(checkUrl: CheckUrl, processor: Processor, links: Links): Handlers {
  return {
    ...locationOperations,
    ...paymentLinkOperations(processor, links),
    ...webhookOperations(checkUrl, missedChanges),
  };
}
