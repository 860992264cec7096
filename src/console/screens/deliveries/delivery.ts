import type { AccessScope } from '../../../base/scope.ts';
import { transition } from '../../../base/state-machine.ts';
import { explainDelivery } from '../../../webhooks/delivery/explain.ts';
import { getVisibleEndpoint } from '../../../webhooks/endpoints/service.ts';
import { getVisibleDelivery, redeliver, retryNow } from '../../../webhooks/events/deliveries.ts';
import { maskPayload } from '../../../webhooks/events/masked-payload.ts';
import { deliveryDetailView } from '../../../webhooks/events/views.ts';
import { requestHeaders } from '../../../webhooks/model/signature.ts';
import { DELIVERY } from '../../../webhooks/model/transitions.ts';
import { mayDo } from '../../model/roles.ts';
import * as ui from '../../render/blocks.ts';
import { catchRefusals } from '../../routing/handlers.ts';
import { auditLinkView } from '../../routing/patient-views.ts';
import { accessScopeOf, doneText, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { wordOf } from '../../texts/texts.ts';
import { readPracticeFormats } from '../formats.ts';
import { errorText } from './list.ts';

/** Shows one delivery: why it is where it is, its attempts, its request and the button that sends it again. */
export async function showDelivery(visit: MemberVisit, error?: string): Promise<Reply> {
  const { member, params } = visit;
  const { deliveries: t, labels } = visit.t;
  const scope = accessScopeOf(visit);
  const { delivery, attempts } = await getVisibleDelivery(scope, params.eventId ?? '');
  const endpoint = await getVisibleEndpoint(scope, delivery.endpointId);
  const reason = await explainDelivery(scope, delivery);
  const { lastError, lastResponseStatus, ...detail } = deliveryDetailView(delivery, attempts);
  const { exact, second, count, caption } = await readPracticeFormats(visit);
  const list = visit.modePath('/deliveries');
  const ofLink = `${list}?${new URLSearchParams({ paymentLinkId: delivery.paymentLinkId ?? '' })}`;
  const { one } = t;
  const headers = Object.entries(requestHeaders(delivery, one.signaturePart));
  // Payloads have data of patients.
  const isSeen = mayDo(member, 'links.view');
  const act = reason === 'waits_for_retry' ? 'retry' : 'redeliver';
  const canAct = act === 'retry' || transition(DELIVERY, delivery.status, 'redeliver') !== null;
  const status = ui.badge(t.statuses[delivery.status], delivery.status);
  const why = [
    ui.text(t.reasons[reason].text(delivery.dueAt === null ? '–' : second(delivery.dueAt))),
    // The last failure says more than the fact that it failed.
    lastError !== null && ui.text(errorText(lastError, lastResponseStatus, t)),
  ];
  const result = ({ error, responseStatus: status }: (typeof detail.attempts)[number]) => {
    if (error !== null) return errorText(error, status, t);
    return status === null ? t.underWay : t.accepted(status);
  };
  if (isSeen && delivery.paymentLinkId !== null) await auditLinkView(visit, delivery.paymentLinkId);
  const shown = { error, done: doneText(visit, t.done) };
  return ui.page(one.title(delivery.id), shown, [
    ui.section([status, ` ${t.reasons[reason].title}`], why, { class: 'card', 'aria-label': t.reasons[reason].title }),
    mayDo(member, 'webhooks.manage') &&
      (canAct
        ? ui.form(`${list}/${delivery.id}/${act}`, one[act])
        : ui.card(one[act].title, [ui.text(one.redeliver.waiting)])),
    ui.card(null, [
      ui.facts('facts', [
        [labels.event, `${wordOf(t.types, delivery.type)} (${delivery.type})`],
        [labels.created, exact(delivery.createdAt)],
        delivery.deliveredAt === null ? null : [t.statuses.delivered, exact(delivery.deliveredAt)],
        [t.table.endpoint, ui.own(endpoint.url)],
        delivery.paymentLinkId === null
          ? null
          : [labels.link, [delivery.paymentLinkId, ui.BREAK, ui.link(ofLink, one.ofLink)]],
      ]),
    ]),
    ui.heading(t.table.attempts),
    detail.attempts.length === 0
      ? ui.text(one.noAttempts)
      : [
          ui.table(
            t.table.attempts,
            detail.attempts,
            [
              [one.attempt.number, ({ number }) => `${number}`],
              [one.attempt.started, ({ startedAt }) => exact(startedAt)],
              [labels.duration, ({ durationMs }) => (durationMs === null ? '–' : `${count(durationMs)} ms`)],
              [one.attempt.result, result],
            ],
            { caption },
          ),
          ui.text(one.noReply, { class: 'hint' }),
        ],
    ui.heading(labels.request),
    ui.text(one.headersText),
    ui.code(labels.request, headers.map(([name, value]) => `${name}: ${value}\n`).join('')),
    ui.heading(one.payload),
    ui.text(isSeen ? one.payloadText(Buffer.byteLength(delivery.payload)) : one.maskedText),
    ui.code(one.payload, isSeen ? delivery.payload : maskPayload(delivery.payload)),
    ui.text(ui.link(list, labels.back)),
  ]);
}

/** Queues a delivery again. */
export const redeliverOne = onDelivery(async (scope, id) => (await redeliver(scope, id)).isQueuedAgain, 'redelivered');

/** Makes the next attempt of a waiting delivery due now. */
export const retryOneNow = onDelivery(retryNow, 'retried');

/** Returns the handler of an act on the delivery of the path. The act returns false if it changed nothing. */
function onDelivery(act: (scope: AccessScope, id: string) => Promise<boolean>, what: 'redelivered' | 'retried') {
  return catchRefusals(async (visit: MemberVisit) => {
    const id = visit.params.eventId ?? '';
    const done = (await act(accessScopeOf(visit), id)) ? what : 'left_alone';
    return { kind: 'redirect', to: visit.modePath(`/deliveries/${id}?done=${done}`) };
  }, showDelivery);
}
