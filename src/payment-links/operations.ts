import { listEnvelope, pageOf } from '../base/list-page.ts';
import type { CallerScope } from '../base/scope.ts';
import { timeBound } from '../base/time/time-bound.ts';
import type { BodyRules, OperationInput, Operations } from '../contract/operations-type.ts';
import { bodyHash } from '../keys/idempotency.ts';
import { answerOnce, type KeyedRequest, keyedRequest } from '../keys/sealed-replies.ts';
import { createPracticeLimiter } from '../limits/practice-limiter.ts';
import type { Processor } from '../processors/processor.ts';
import { cancelVisibleLink, updateLink } from './change/change-link.ts';
import { createLinkForApi, linkCreationDependencies } from './create/create.ts';
import { linkInput, linkValues } from './create/input.ts';
import type { LinkState } from './link/state.ts';
import { linkView } from './link/views.ts';
import { listVisibleLinks, readVisibleLink } from './read/get-and-list.ts';
import {
  closeDisputeOfTestLink,
  disputeInput,
  disputeTestLink,
  refundInput,
  refundTestLink,
  reverseTestLink,
} from './simulate/after-payment.ts';
import { simulateLink } from './simulate/simulate.ts';
import { createChange } from './store/change.ts';
import { postgres } from './store/postgres.ts';

/** Rules of the bodies of links. The adapter checks them before the idempotency key. */
export const linkBodyRules = {
  createPaymentLink: linkInput,
  updatePaymentLink: linkValues,
  simulateRefund: refundInput,
  simulateDispute: disputeInput,
} satisfies BodyRules;

/** Limits of test helpers, by link. The wait is shorter than the deadline of a request. */
const SIMULATIONS = { placesPerPractice: 1, placesInAll: Number.POSITIVE_INFINITY, maxWaitMs: 8_000 };

type LinkOperations = Operations<CallerScope, typeof linkBodyRules>;

/** Returns the API operations on payment links. Each unpacks the request, calls a use case, and returns the reply. */
export function paymentLinkOperations(processor: Processor) {
  const dependencies = linkCreationDependencies();
  const change = createChange(postgres, 'lane');
  const changes = { change, processor };
  const oneByOne = createPracticeLimiter(SIMULATIONS);
  /** Runs a test helper. Several on one link wait here, and not with a connection for the link's lock. */
  const simulate = (
    scope: CallerScope,
    { id }: { id: string },
    request: KeyedRequest | null,
    work: (scope: CallerScope) => Promise<LinkState>,
  ) =>
    oneByOne.run(`${scope.caller.practiceId} ${id}`, () =>
      answerOnce(scope, request, async (scope) => resourceOf(scope, await work(scope))),
    );
  return {
    async createPaymentLink(scope, { body, headers, parsed }) {
      const request = { input: parsed, idempotencyKey: headers['idempotency-key'], bodyHash: bodyHash(body) };
      const { reply, replayed } = await createLinkForApi(scope, request, dependencies);
      return { status: 201, rawBody: reply, ...(replayed && { headers: { 'Idempotency-Replayed': 'true' } }) };
    },

    async listPaymentLinks(scope, { query }) {
      const page = pageOf(query);
      const links = await listVisibleLinks(scope, filterOf(query), page);
      return { status: 200, body: listEnvelope(links, (link) => link, page) };
    },

    async getPaymentLink(scope, { path }) {
      return { status: 200, body: await readVisibleLink(scope, path.id) };
    },

    async updatePaymentLink(scope, { path, parsed }) {
      return { status: 200, body: resourceOf(scope, await updateLink(scope, changes, path.id, parsed)) };
    },

    async cancelPaymentLink(scope, { path }) {
      return { status: 200, body: resourceOf(scope, await cancelVisibleLink(scope, changes, path.id)) };
    },

    async simulatePaymentLink(scope, { path, body }) {
      return { status: 200, body: resourceOf(scope, await simulateLink(scope, change, path.id, body.outcome)) };
    },

    async simulateRefund(scope, { path, headers, body, parsed }) {
      const request = keyedRequest('simulateRefund', headers['idempotency-key'], path.id, body);
      return {
        status: 200,
        ...(await simulate(scope, path, request, (scope) => refundTestLink(scope, path.id, parsed))),
      };
    },

    async simulateDispute(scope, { path, headers, body, parsed }) {
      const request = keyedRequest('simulateDispute', headers['idempotency-key'], path.id, body);
      return {
        status: 200,
        ...(await simulate(scope, path, request, (scope) => disputeTestLink(scope, path.id, parsed))),
      };
    },

    async simulateDisputeClosing(scope, { path, headers, body }) {
      const request = keyedRequest('simulateDisputeClosing', headers['idempotency-key'], path.id, body);
      const close = (scope: CallerScope) => closeDisputeOfTestLink(scope, path.id, body.outcome);
      return { status: 200, ...(await simulate(scope, path, request, close)) };
    },

    async simulateBankReversal(scope, { path, headers }) {
      const request = keyedRequest('simulateBankReversal', headers['idempotency-key'], path.id);
      return { status: 200, ...(await simulate(scope, path, request, (scope) => reverseTestLink(scope, path.id))) };
    },
  } satisfies Partial<LinkOperations>;
}

function resourceOf(scope: CallerScope, state: LinkState) {
  return linkView(scope, state.link, state);
}

type ListQuery = OperationInput<'listPaymentLinks'>['query'];

function filterOf({ status, externalReference, locationId, createdAfter, createdBefore, paidAfter }: ListQuery) {
  const time = (text: string | undefined) => (text === undefined ? undefined : timeBound(text));
  return {
    status,
    externalReference,
    locationId,
    createdAfter: time(createdAfter),
    createdBefore: time(createdBefore),
    paidAfter: time(paidAfter),
  };
}
