import { type Act, recordAct } from '../../../audit/record.ts';
import type { AccessScope } from '../../../base/scope.ts';
import { transition } from '../../../base/state-machine.ts';
import { explainDelivery } from '../../../webhooks/delivery/explain.ts';
import { getVisibleEndpoint } from '../../../webhooks/endpoints/service.ts';
import { getVisibleDelivery, redeliver, retryNow } from '../../../webhooks/events/deliveries.ts';
import { maskedPayload } from '../../../webhooks/events/masked-payload.ts';
import { deliveryDetailView } from '../../../webhooks/events/views.ts';
import { requestHeaders } from '../../../webhooks/model/request-headers.ts';
import { DELIVERY } from '../../../webhooks/model/transitions.ts';
import { mayDo } from '../../model/roles.ts';
import { recordLinkView } from '../../routing/patient-views.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { accessScopeOf, actorOf, doneText } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { momentText } from '../formats.ts';
import { errorText } from './list.ts';
import { redeliveryRefusalOf, seesPatients } from './visit.ts';

/** Shows one delivery: why it is where it is, its attempts, its request and the button that sends it again. */
export function showDelivery(visit: MemberVisit): Promise<Reply> {
  return deliveryPage(visit, undefined);
}

async function deliveryPage(visit: MemberVisit, error: string | undefined): Promise<Reply> {
  const { member, language, params } = visit;
  const t = TEXTS[language].deliveries;
  const scope = accessScopeOf(visit);
  const { delivery, attempts } = await getVisibleDelivery(scope, params.eventId ?? '');
  const endpoint = await getVisibleEndpoint(scope, delivery.endpointId);
  const { reason, since, nextAt } = await explainDelivery(scope, delivery);
  const detail = deliveryDetailView(delivery, attempts);
  const momentOf = (time: Date | string | null) => (time === null ? '' : momentText(new Date(time), language));
  const list = modePath(member, modeOf(visit), '/deliveries');
  const ofLink = new URLSearchParams({ paymentLinkId: delivery.paymentLinkId ?? '' });
  const view = {
    id: delivery.id,
    list,
    status: delivery.status,
    type: delivery.type,
    created: momentOf(delivery.createdAt),
    delivered: momentOf(delivery.deliveredAt),
    url: endpoint.url,
    paymentLinkId: delivery.paymentLinkId,
    ofLink: `${list}?${ofLink}`,
    reason: {
      title: t.reasons[reason].title,
      text: t.reasons[reason].text({ since: momentOf(since) || '–', next: momentOf(nextAt) || '–' }),
      // The last failure says more than the fact that it failed.
      last: detail.lastError === null ? null : errorText(detail.lastError, detail.lastResponseStatus, t),
    },
    attempts: detail.attempts.map(({ number, startedAt, durationMs, responseStatus, error }) => ({
      number,
      startedAt,
      started: momentOf(startedAt),
      duration: durationMs === null ? '–' : t.one.milliseconds(durationMs),
      result: error === null ? okText(responseStatus) : errorText(error, responseStatus, t),
    })),
    headers: Object.entries(requestHeaders(delivery, t.one.signaturePart)),
    isMasked: !seesPatients(visit),
    payload: seesPatients(visit) ? delivery.payload : maskedPayload(delivery.payload),
    payloadBytes: Buffer.byteLength(delivery.payload),
    canRedeliver: transition(DELIVERY, delivery.status, 'redeliver') !== null,
    canRetryNow: reason === 'waits_for_retry',
    mayRedeliver: mayDo(member, 'webhooks.manage'),
    done: doneText(visit, t.done),
    error,
  };
  if (seesPatients(visit) && delivery.paymentLinkId !== null) await recordLinkView(visit, delivery.paymentLinkId);
  const status = error === undefined ? 200 : 409;
  return { kind: 'page', status, template: 'deliveries/delivery', title: t.one.title(delivery.id), view };

  function okText(status: number | null): string {
    return status === null ? t.underWay : t.accepted(status);
  }
}

/** Queues a delivery again, and records the act in the same transaction. */
export function redeliverOne(visit: MemberVisit): Promise<Reply> {
  return sentAgain(visit, 'redelivered', async (scope, id) => {
    let wasQueued = false;
    await redeliver(scope, id, (scope, { status }, before) => {
      wasQueued = true;
      record(visit, scope, 'delivery.redelivered', { before: { status: before }, after: { status } });
    });
    return wasQueued;
  });
}

/** Makes the next attempt of a waiting delivery due now, and records the act in the same transaction. */
export function retryOneNow(visit: MemberVisit): Promise<Reply> {
  return sentAgain(visit, 'retried', (scope, id) =>
    retryNow(scope, id, (scope, dueAt) => {
      record(visit, scope, 'delivery.retried', { before: { dueAt: dueAt.toISOString() }, after: null });
    }),
  );
}

/** Answers an act on the delivery of the path. `send` returns false if it changed nothing. */
async function sentAgain(
  visit: MemberVisit,
  what: 'redelivered' | 'retried',
  send: (scope: AccessScope, id: string) => Promise<boolean>,
): Promise<Reply> {
  const { member, params, language } = visit;
  const id = params.eventId ?? '';
  try {
    const done = (await send(accessScopeOf(visit), id)) ? what : 'left_alone';
    return { kind: 'redirect', to: modePath(member, modeOf(visit), `/deliveries/${id}?done=${done}`) };
  } catch (error) {
    return deliveryPage(visit, TEXTS[language].deliveries.refusals[redeliveryRefusalOf(error)]);
  }
}

function record(visit: MemberVisit, scope: AccessScope, action: string, states: Pick<Act, 'before' | 'after'>): void {
  const target = { kind: 'delivery', id: visit.params.eventId ?? '' };
  recordAct(scope, actorOf(visit), { practiceId: visit.member.practiceId, action, target, ...states });
}
