import { listEnvelope, pageOf } from '../base/paging.ts';
import type { CallerScope } from '../base/scope.ts';
import type { Operations } from '../contract/operations-type.ts';
import type { Processor } from '../processors/processor.ts';
import { createLink } from './create.ts';
import { bodyHash } from './idempotency.ts';
import { linkChanges, linkInput } from './input.ts';
import type { PaymentLink } from './payment-link.entity.ts';
import { cancelVisibleLink, getVisibleLink, listVisibleLinks, updateLink } from './service.ts';
import { simulateLink } from './simulate.ts';
import { linkView, loadParts, loadPartsOf } from './views.ts';

/** The operations on payment links: unpack, call, answer. */
export function paymentLinkOperations(processor: Processor) {
  return {
    async createPaymentLink(scope, { body, headers }) {
      const input = linkInput(body);
      const request = { input, idempotencyKey: headers['idempotency-key'], bodyHash: bodyHash(body) };
      const created = await createLink(scope, request);
      if (created.replayed === undefined) return { status: 201, body: created.link };
      return { status: 201, rawBody: created.replayed, headers: { 'Idempotency-Replayed': 'true' } };
    },

    async listPaymentLinks(scope, { query }) {
      const page = pageOf(query);
      const [links, totalCount] = await listVisibleLinks(scope, filterOf(query), page);
      const parts = await loadParts(scope, links);
      const data = links.flatMap((link) => {
        const own = parts.get(link.id);
        return own === undefined ? [] : [linkView(scope, link, own)];
      });
      return { status: 200, body: listEnvelope(data, totalCount, page) };
    },

    async getPaymentLink(scope, { path }) {
      return { status: 200, body: await resourceOf(scope, await getVisibleLink(scope, path.id)) };
    },

    async updatePaymentLink(scope, { path, body }) {
      return {
        status: 200,
        body: await resourceOf(scope, await updateLink(scope, processor, path.id, linkChanges(body))),
      };
    },

    async cancelPaymentLink(scope, { path }) {
      return { status: 200, body: await resourceOf(scope, await cancelVisibleLink(scope, processor, path.id)) };
    },

    async simulatePaymentLink(scope, { path, body }) {
      return { status: 200, body: await resourceOf(scope, await simulateLink(scope, path.id, body.outcome)) };
    },
  } satisfies Partial<Operations<CallerScope>>;
}

async function resourceOf(scope: CallerScope, link: PaymentLink) {
  return linkView(scope, link, await loadPartsOf(scope, link));
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
