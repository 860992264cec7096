import { type Act, audit } from '../../../audit/audit.ts';
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
import * as ui from '../../render/blocks.ts';
import { auditLinkView } from '../../routing/patient-views.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { accessScopeOf, actorOf, doneText } from '../../routing/visit.ts';
import { TEXTS, wordOf } from '../../texts/texts.ts';
import { momentText } from '../formats.ts';
import { errorText } from './list.ts';
import { redeliveryRefusalOf, seesPatients } from './visit.ts';

/** Shows one delivery: why it is where it is, its attempts, its request and the button that sends it again. */
export async function showDelivery(visit: MemberVisit, error?: string): Promise<Reply> {
  const { member, language, params } = visit;
  const t = TEXTS[language].deliveries;
  const scope = accessScopeOf(visit);
  const { delivery, attempts } = await getVisibleDelivery(scope, params.eventId ?? '');
  const endpoint = await getVisibleEndpoint(scope, delivery.endpointId);
  const { reason, since, nextAt } = await explainDelivery(scope, delivery);
  const detail = deliveryDetailView(delivery, attempts);
  const momentOf = (time: Date | string | null) => (time === null ? '' : momentText(new Date(time), language));
  const list = modePath(member, modeOf(visit), '/deliveries');
  const ofLink = `${list}?${new URLSearchParams({ paymentLinkId: delivery.paymentLinkId ?? '' })}`;
  const { one } = t;
  const inZone = (at: Date) => `${momentText(at, language)} UTC`;
  const moments = { since: momentOf(since) || '–', next: momentOf(nextAt) || '–' };
  const headers = Object.entries(requestHeaders(delivery, one.signaturePart));
  const isSeen = seesPatients(visit);
  const payload = isSeen ? delivery.payload : maskedPayload(delivery.payload);
  const words = reason === 'waits_for_retry' ? one.retry : one.redeliver;
  const act = reason === 'waits_for_retry' ? 'retry' : 'redeliver';
  const canAct = act === 'retry' || transition(DELIVERY, delivery.status, 'redeliver') !== null;
  const blocks = [
    ui.section(
      [ui.mark('span', t.statuses[delivery.status], `badge badge-${delivery.status}`), ` ${t.reasons[reason].title}`],
      [
        ui.text(t.reasons[reason].text(moments)),
        // The last failure says more than the fact that it failed.
        detail.lastError === null ? null : ui.text(errorText(detail.lastError, detail.lastResponseStatus, t)),
      ],
      { class: 'card', 'aria-labelledby': 'why' },
    ),
    mayDo(member, 'webhooks.manage') && canAct ? ui.act(`${list}/${delivery.id}/${act}`, words) : null,
    mayDo(member, 'webhooks.manage') && !canAct
      ? ui.section(words.title, [ui.text(one.redeliver.waiting)], { class: 'card' })
      : null,
    ui.card(
      ui.facts([
        [one.event, `${wordOf(t.types, delivery.type)} (${delivery.type})`],
        [one.created, inZone(delivery.createdAt)],
        delivery.deliveredAt === null ? null : [one.delivered, inZone(delivery.deliveredAt)],
        [one.endpoint, ui.own(endpoint.url)],
        delivery.paymentLinkId === null
          ? null
          : [one.link, [delivery.paymentLinkId, ui.BREAK, ui.link(ofLink, one.ofLink)]],
      ]),
    ),
    ui.heading(one.attempts),
    ...(detail.attempts.length === 0
      ? [ui.text(one.noAttempts)]
      : [
          ui.table(one.attempts, detail.attempts, [
            [one.attempt.number, ({ number }) => `${number}`],
            [one.attempt.started, ({ startedAt }) => ui.moment(startedAt, momentOf(startedAt))],
            [one.attempt.duration, ({ durationMs }) => (durationMs === null ? '–' : one.milliseconds(durationMs))],
            [
              one.attempt.result,
              ({ error, responseStatus }) =>
                error === null ? okText(responseStatus) : errorText(error, responseStatus, t),
            ],
          ]),
          ui.text(one.noReply, { class: 'hint' }),
        ]),
    ui.heading(one.request),
    ui.text(one.headersText),
    ui.part('/deliveries/code', {
      name: one.request,
      text: headers.map(([name, value]) => `${name}: ${value}\n`).join(''),
    }),
    ui.heading(one.payload),
    ui.text(isSeen ? one.payloadText(Buffer.byteLength(delivery.payload)) : one.maskedText),
    ui.part('/deliveries/code', { name: one.payload, text: payload }),
    ui.text(ui.link(list, one.back)),
  ];
  if (isSeen && delivery.paymentLinkId !== null) await auditLinkView(visit, delivery.paymentLinkId);
  const status = error === undefined ? 200 : 409;
  return ui.page(one.title(delivery.id), blocks, { status, error, done: doneText(visit, t.done) });

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
    return showDelivery(visit, TEXTS[language].deliveries.refusals[redeliveryRefusalOf(error)]);
  }
}

function record(visit: MemberVisit, scope: AccessScope, action: string, states: Pick<Act, 'before' | 'after'>): void {
  const target = { kind: 'delivery', id: visit.params.eventId ?? '' };
  audit(scope, actorOf(visit), { practiceId: visit.member.practiceId, action, target, ...states });
}
