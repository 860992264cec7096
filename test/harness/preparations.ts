import type { OperationId } from '../../src/contract/operations-type.ts';
import type { Client } from './client.ts';

const PAID = ['payment-links', 'simulate', { outcome: 'paid' }] as const;
const SETTLED = ['payment-links', 'simulate', { outcome: 'processing_then_paid' }] as const;
const DISPUTED = ['test-helpers/payment-links', 'dispute', {}] as const;

/** The requests after which an operation succeeds on a new test link, for those that need one. */
const PREPARATIONS: { [Id in OperationId]?: readonly (readonly [root: string, action: string, body: object])[] } = {
  simulateRefund: [PAID],
  simulateDispute: [PAID],
  simulateDisputeClosing: [PAID, DISPUTED],
  simulateBankReversal: [SETTLED],
};

/** Brings a new test link into a state in which the operation succeeds; throws when the API refuses it. */
export async function prepareTestLink(client: Client, operationId: OperationId, linkId: string): Promise<void> {
  for (const [root, action, body] of PREPARATIONS[operationId] ?? []) {
    const reply = await client.post(`/api/v1/${root}/${linkId}/${action}`, body);
    if (reply.status !== 200) throw new Error(`${action} answered ${reply.status}: ${reply.text}`);
  }
}
