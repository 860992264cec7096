import { answerOnce, bodyHash, keyedRequest } from '../access/sealed-replies.ts';
import type { BodyRules, OperationId, OperationInput, Operations } from '../contract/operations-type.ts';
import { listEnvelope, readListPage } from '../platform/base/list-page.ts';
import type { CallerScope } from '../platform/base/scope.ts';
import { createLimiter } from '../platform/database/query/limiter.ts';
import type { Processor } from '../processors/processor.ts';
import { cancelLink, updateLink } from './api/change-link.ts';
import { createLinkForApi, type LinkCreationDependencies } from './api/create.ts';
import { getLink, listLinks } from './api/get-and-list.ts';
import { parseLinkInput, parseLinkValues } from './api/input.ts';
import {
  closeTestDispute,
  disputeTestLink,
  parseDisputeInput,
  parseRefundInput,
  refundTestLink,
  reverseTestLink,
  simulateLink,
} from './api/simulate.ts';
import type { LinkState } from './state/state.ts';
import { linkView } from './state/views.ts';
import type { Links } from './store/change.ts';

/** Rules of the bodies of links. The adapter checks them before the idempotency key. */
export const linkBodyRules = {
  createPaymentLink: parseLinkInput,
  updatePaymentLink: parseLinkValues,
  simulateRefund: parseRefundInput,
  simulateDispute: parseDisputeInput,
} satisfies BodyRules;

/** Limits of test helpers, by link. So several on one link wait here, and not with a connection for the link's lock. */
const SIMULATION_LIMITS = { placesPerName: 1, placesInAll: Number.POSITIVE_INFINITY, maxWaitMs: 8_000 };

type HelperInput = Pick<OperationInput<'simulateRefund'>, 'path' | 'headers'> & { body?: object | undefined };

type LinkOperations = Partial<Operations<CallerScope, typeof linkBodyRules>>;

/** Returns the API operations on payment links. Each unpacks the request, calls a use case, and returns the reply. */
export function paymentLinkOperations(processor: Processor, links: Links) {
  const dependencies: LinkCreationDependencies = { terms: new Map(), store: links.store, running: new Set() };
  const payments = { ...links, processor };
  return {
    async createPaymentLink(scope, { body, headers, parsed }) {
      const key = { idempotencyKey: headers['idempotency-key'], bodyHash: bodyHash(body) };
      const { reply, isReplayed } = await createLinkForApi(scope, parsed, key, dependencies);
      return { status: 201, rawBody: reply, ...(isReplayed && { headers: { 'Idempotency-Replayed': 'true' } }) };
    },

    async listPaymentLinks(scope, { query }) {
      const links = await listLinks(scope, query, readListPage(query));
      return { status: 200, body: listEnvelope(links, (link) => link) };
    },

    async getPaymentLink(scope, { path }) {
      return { status: 200, body: await getLink(scope, path.id) };
    },

    async updatePaymentLink(scope, { path, parsed }) {
      return { status: 200, body: linkView(scope, await updateLink({ ...scope, ...payments }, path.id, parsed)) };
    },

    async cancelPaymentLink(scope, { path }) {
      return { status: 200, body: linkView(scope, await cancelLink({ ...scope, ...payments }, path.id)) };
    },

    async simulatePaymentLink(scope, { path, body }) {
      return { status: 200, body: linkView(scope, await simulateLink(scope, links.change, path.id, body.outcome)) };
    },

    ...testHelperOperations(),
  } satisfies LinkOperations;
}

/** Returns the operations that simulate what banks and the practice do after a payment. */
function testHelperOperations() {
  const oneByOne = createLimiter(SIMULATION_LIMITS);
  const simulate = async (
    scope: CallerScope,
    operation: OperationId,
    { path: { id }, headers, body }: HelperInput,
    work: (scope: CallerScope, linkId: string) => Promise<LinkState>,
  ) => {
    const request = keyedRequest(operation, headers['idempotency-key'], id, body);
    const answer = await oneByOne.run(`${scope.caller.practiceId} ${id}`, () =>
      answerOnce(scope, request, async (scope) => linkView(scope, await work(scope, id))),
    );
    return { status: 200 as const, ...answer };
  };
  return {
    simulateRefund(scope, input) {
      return simulate(scope, 'simulateRefund', input, (scope, id) => refundTestLink(scope, id, input.parsed));
    },

    simulateDispute(scope, input) {
      return simulate(scope, 'simulateDispute', input, (scope, id) => disputeTestLink(scope, id, input.parsed));
    },

    simulateDisputeClosing(scope, input) {
      const { outcome } = input.body;
      return simulate(scope, 'simulateDisputeClosing', input, (scope, id) => closeTestDispute(scope, id, outcome));
    },

    simulateBankReversal(scope, { path, headers }) {
      return simulate(scope, 'simulateBankReversal', { path, headers }, reverseTestLink);
    },
  } satisfies LinkOperations;
}
