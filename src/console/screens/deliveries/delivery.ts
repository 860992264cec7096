import type { AccessScope } from '../../../platform/base/scope.ts';
import { transition } from '../../../platform/base/state-machine.ts';
import * as ui from '../../../web/blocks.ts';
import { type DeliveryReason, explainDelivery } from '../../../webhooks/delivery/explain.ts';
import { getVisibleEndpoint } from '../../../webhooks/endpoints/service.ts';
import { getVisibleDelivery, redeliver, retryNow } from '../../../webhooks/events/deliveries.ts';
import { maskPayload } from '../../../webhooks/events/masked-payload.ts';
import { deliveryDetailView } from '../../../webhooks/events/views.ts';
import { requestHeaders } from '../../../webhooks/model/signature.ts';
import { DELIVERY } from '../../../webhooks/model/transitions.ts';
import { mayDo } from '../../model/roles.ts';
import { DELIVERY_STATUSES, EVENT_NAMES, wordOf } from '../../render/labels.ts';
import { catchRefusals } from '../../routing/handlers.ts';
import { auditLinkView } from '../../routing/patient-views.ts';
import { accessScopeOf, doneText, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { pathWith } from '../filters.ts';
import { type Formats, readPracticeFormats } from '../formats.ts';
import { errorText } from './list.ts';

const DONE = {
  tested: 'The example is sent within seconds. Load the page again to see the answer.',
  redelivered: 'It was queued and is sent within seconds.',
  retried: 'The next attempt is due now and is sent within seconds.',
  left_alone: 'It was waiting or under way already, so nothing was changed.',
};

const FORMS = {
  redeliver: {
    title: 'Send again',
    text: 'The same event is sent again, with the same id and body, and with up to eight new attempts.',
    button: 'Redeliver',
  },
  retry: {
    title: 'Send now',
    text: 'If your endpoint works again, the next attempt need not wait. It counts as one of the eight attempts.',
  },
};

/** Sentences on why a delivery is where it is. `next` is the moment of the next attempt. */
const REASONS: Readonly<Record<DeliveryReason, { title: string; text: (next: string) => string }>> = {
  delivered: { title: 'It arrived', text: () => 'The endpoint accepted it. Nothing more follows.' },
  in_flight: { title: 'An attempt is under way', text: () => 'Its result is known within seconds.' },
  unsignable: {
    title: 'It cannot be signed at the moment',
    text: () =>
      'The secret of the endpoint cannot be read, so nothing is sent and no attempt is used up. Ask the operator to check SECRETS_KEY.',
  },
  waits_for_retry: {
    title: 'It waits for its next attempt',
    text: (next) => `The last attempt failed. The next one is due at ${next}.`,
  },
  asked_to_wait: {
    title: 'The endpoint asked to wait',
    text: (next) =>
      `It answered "too many requests" or "unavailable", and said how long to wait. The next attempt is due at ${next}.`,
  },
  due: {
    title: 'It is due',
    text: () =>
      'A worker sends it as soon as it is its turn. An endpoint gets one request at a time, and new events go before those of a replay.',
  },
  exhausted: {
    title: 'All attempts failed',
    text: () => 'Nothing happens by itself. Repair the endpoint, and enable it if it is disabled. Then redeliver.',
  },
  skipped: {
    title: 'The endpoint was disabled',
    text: () =>
      'Nothing is sent to a disabled endpoint, and nothing follows by itself. Enable the endpoint, then redeliver.',
  },
};

export async function showDelivery(visit: MemberVisit, error?: string): Promise<Reply> {
  const { member, params } = visit;
  const scope = accessScopeOf(visit);
  const { delivery, attempts } = await getVisibleDelivery(scope, params.eventId ?? '');
  const endpoint = await getVisibleEndpoint(scope, delivery.endpointId);
  const reason = await explainDelivery(scope, delivery);
  const { lastError, lastResponseStatus, ...detail } = deliveryDetailView(delivery, attempts);
  const formats = await readPracticeFormats(visit);
  const { exact, second } = formats;
  const list = visit.modePath('/deliveries');
  const linkId = delivery.paymentLinkId;
  const ofLink = ui.link(pathWith(list, { paymentLinkId: linkId ?? '' }), 'All deliveries of this link');
  // Payloads have data of patients.
  const isSeen = mayDo(member, 'links.view');
  const act = reason === 'waits_for_retry' ? 'retry' : 'redeliver';
  const canAct = act === 'retry' || transition(DELIVERY, delivery.status, 'redeliver') !== null;
  const status = ui.badge(DELIVERY_STATUSES[delivery.status], delivery.status);
  const why = [
    ui.text(REASONS[reason].text(delivery.dueAt === null ? '–' : second(delivery.dueAt))),
    // The last failure says more than the fact that it failed.
    lastError !== null && ui.text(errorText(lastError, lastResponseStatus)),
  ];
  if (isSeen && delivery.paymentLinkId !== null) await auditLinkView(visit, delivery.paymentLinkId);
  const reports = { error, done: doneText(visit, DONE) };
  return ui.page(`Delivery ${delivery.id}`, reports, [
    ui.section([status, ` ${REASONS[reason].title}`], why, { class: 'card', 'aria-label': REASONS[reason].title }),
    mayDo(member, 'webhooks.manage') &&
      (canAct
        ? ui.form(`${list}/${delivery.id}/${act}`, FORMS[act])
        : ui.card('Send again', [
            ui.text('This delivery is still waiting or under way, so there is nothing to send again.'),
          ])),
    ui.card(null, [
      ui.facts('facts', [
        ['Event', `${wordOf(EVENT_NAMES, delivery.type)} (${delivery.type})`],
        ['Created', exact(delivery.createdAt)],
        ['Delivered', delivery.deliveredAt && exact(delivery.deliveredAt)],
        ['Endpoint', ui.own(endpoint.url)],
        ['Payment link', linkId && [linkId, ui.BREAK, ofLink]],
      ]),
    ]),
    ui.heading('Attempts'),
    attemptTable(detail.attempts, formats),
    requestBlocks(delivery, isSeen),
    ui.text(ui.link(list, 'Back')),
  ]);
}

type Attempts = ReturnType<typeof deliveryDetailView>['attempts'];

function attemptTable(attempts: Attempts, { exact, count, caption }: Formats): ui.Content {
  if (attempts.length === 0) return ui.text('There was no attempt yet.');
  const result = ({ error, responseStatus: status }: Attempts[number]) => {
    if (error !== null) return errorText(error, status);
    return status === null ? 'Under way' : `Accepted with ${status}`;
  };
  const columns: ui.Column<Attempts[number]>[] = [
    ['Number', ({ number }) => `${number}`],
    ['Started', ({ startedAt }) => exact(startedAt)],
    ['Duration', ({ durationMs }) => (durationMs === null ? '–' : `${count(durationMs)} ms`)],
    ['Result', result],
  ];
  const hint = ui.text('The body of the answer is not kept.', { class: 'hint' });
  return [ui.table('Attempts', attempts, columns, { caption }), hint];
}

function requestBlocks(
  delivery: Awaited<ReturnType<typeof getVisibleDelivery>>['delivery'],
  isSeen: boolean,
): ui.Content {
  const { payload } = delivery;
  const headers = requestHeaders(delivery, 't=<Unix seconds of the attempt>,v1=<64 hexadecimal digits>');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  return [
    ui.heading('Request'),
    ui.text('Headers of each attempt. The time and the signatures are made anew each time and are not kept.'),
    ui.code('Request', lines.join('')),
    ui.heading('Body'),
    ui.text(
      isSeen
        ? `The exact ${Buffer.byteLength(payload).toLocaleString('en')} bytes that are signed and sent.`
        : 'Your role sees no data of patients. Such values are replaced by •••, and the layout differs from what was sent.',
    ),
    ui.code('Body', isSeen ? payload : maskPayload(payload)),
  ];
}

export const redeliverOne = onDelivery(async (scope, id) => (await redeliver(scope, id)).isQueuedAgain, 'redelivered');

export const retryOneNow = onDelivery(retryNow, 'retried');

/** Returns the handler of an act on the delivery of the path. The act returns false if it changed nothing. */
function onDelivery(act: (scope: AccessScope, id: string) => Promise<boolean>, what: 'redelivered' | 'retried') {
  return catchRefusals(async (visit: MemberVisit) => {
    const id = visit.params.eventId ?? '';
    const done = (await act(accessScopeOf(visit), id)) ? what : 'left_alone';
    return { kind: 'redirect', to: visit.modePath(`/deliveries/${id}?done=${done}`) };
  }, showDelivery);
}
