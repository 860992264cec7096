import { listEnvelope, pageOf } from '../base/list-page.ts';
import type { CallerScope } from '../base/scope.ts';
import type { Operations } from '../contract/operations-type.ts';
import { bodyHash } from '../keys/idempotency.ts';
import type { Processor } from '../processors/processor.ts';
import { cancelVisibleLink, updateLink } from './change-link.ts';
import { createLink, createLinkCreation } from './create/create.ts';
import { linkChanges, linkInput } from './create/input.ts';
import type { LockedLink } from './link/change.ts';
import { linkView } from './link/views.ts';
import { listVisibleLinks, readVisibleLink } from './read/get-and-list.ts';
import { simulateLink } from './simulate/simulate.ts';

/** Returns the API operations on payment links. Each unpacks the request, calls a use case, and returns the reply. */
export function paymentLinkOperations(processor: Processor) {
  const creation = createLinkCreation();
  return {
    async createPaymentLink(scope, { body, headers }) {
      const input = linkInput(body);
      const request = { input, idempotencyKey: headers['idempotency-key'], bodyHash: bodyHash(body) };
      const { reply, replayed } = await createLink(scope, request, creation);
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

    async updatePaymentLink(scope, { path, body }) {
      const link = await updateLink(scope, processor, path.id, linkChanges(body));
      return { status: 200, body: resourceOf(scope, link) };
    },

    async cancelPaymentLink(scope, { path }) {
      return { status: 200, body: resourceOf(scope, await cancelVisibleLink(scope, processor, path.id)) };
    },

    async simulatePaymentLink(scope, { path, body }) {
      return { status: 200, body: resourceOf(scope, await simulateLink(scope, path.id, body.outcome)) };
    },
  } satisfies Partial<Operations<CallerScope>>;
}

function resourceOf(scope: CallerScope, locked: LockedLink) {
  return linkView(scope, locked.link, locked);
}

type ListQuery = Parameters<Operations<CallerScope>['listPaymentLinks']>[1]['query'];

function filterOf({ createdAfter, createdBefore, paidAfter, ...filter }: ListQuery) {
  const time = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
  return {
    ...filter,
    createdAfter: time(createdAfter),
    createdBefore: time(createdBefore),
    paidAfter: time(paidAfter),
  };
}
