import type { AccessScope } from '../../../platform/base/scope.ts';
import { transition } from '../../../platform/base/state-machine.ts';
import * as ui from '../../../web/blocks.ts';
import { type DeliveryReason, explainDelivery } from '../../../webhooks/delivery/explain.ts';
import { getVisibleEndpoint } from '../../../webhooks/endpoints/service.ts';
import { getVisibleDelivery, redeliver, retryNow } from '../../../webhooks/events/deliveries.ts';
import { maskPayload } from '../../../webhooks/events/masked-payload.ts';
import { deliveryDetailView } from '../../../webhooks/events/views.ts';
import type { WebhookDelivery } from '../../../webhooks/model/delivery.entity.ts';
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

const NOTHING_TO_SEND = 'This delivery is still waiting or under way, so there is nothing to send again.';

/** Reasons for the state of a delivery. */
const REASONS: Readonly<Record<DeliveryReason, readonly [title: string, text: string]>> = {
  delivered: ['It arrived', 'The endpoint accepted it. Nothing more follows.'],
  in_flight: ['An attempt is under way', 'Its result is known within seconds.'],
  unsignable: [
    'It cannot be signed at the moment',
    'The secret of the endpoint cannot be read, so nothing is sent and no attempt is used up. Ask the operator to check SECRETS_KEY.',
  ],
  waits_for_retry: ['It waits for its next attempt', 'The last attempt failed.'],
  asked_to_wait: [
    'The endpoint asked to wait',
    'It answered "too many requests" or "unavailable", and said how long to wait.',
  ],
  due: [
    'It is due',
    'A worker sends it as soon as it is its turn. An endpoint gets one request at a time, and new events go before those of a replay.',
  ],
  exhausted: [
    'All attempts failed',
    'Nothing happens by itself. Repair the endpoint, and enable it if it is disabled. Then redeliver.',
  ],
  skipped: [
    'The endpoint was disabled',
    'Nothing is sent to a disabled endpoint, and nothing follows by itself. Enable the endpoint, then redeliver.',
  ],
};

export async function showDelivery(visit: MemberVisit, error?: string): Promise<Reply> {
  const { member, params } = visit;
  const scope = accessScopeOf(visit);
  const { delivery, attempts } = await getVisibleDelivery(scope, params.eventId ?? '');
  const { id, type, status, paymentLinkId: linkId, createdAt, deliveredAt, dueAt } = delivery;
  const endpoint = await getVisibleEndpoint(scope, delivery.endpointId);
  const reason = await explainDelivery(scope, delivery);
  const [title, text] = REASONS[reason];
  const { lastError, lastResponseStatus, ...detail } = deliveryDetailView(delivery, attempts);
  const formats = await readPracticeFormats(visit);
  const { exact } = formats;
  const list = visit.modePath('/deliveries');
  const listOfLink = ui.link(pathWith(list, { paymentLinkId: linkId ?? '' }), 'All deliveries of this link');
  // Payloads have data of patients.
  const isSeen = mayDo(member, 'links.view');
  if (isSeen && linkId !== null) await auditLinkView(visit, linkId);
  const act = reason === 'waits_for_retry' ? 'retry' : 'redeliver';
  const canAct = act === 'retry' || transition(DELIVERY, status, 'redeliver') !== null;
  // The last failure says more than the fact that it failed.
  const why = [ui.text(text), lastError !== null && ui.text(errorText(lastError, lastResponseStatus))];
  const nextAt = reason === 'waits_for_retry' || reason === 'asked_to_wait' ? dueAt : null;
  const heading = [ui.badge(DELIVERY_STATUSES[status], status), ` ${title}`];
  return ui.page(`Delivery ${id}`, { error, done: doneText(visit, DONE) }, [
    ui.section(heading, why, { class: 'card', 'aria-label': title }),
    mayDo(member, 'webhooks.manage') &&
      (canAct ? ui.form(`${list}/${id}/${act}`, FORMS[act]) : ui.card('Send again', [ui.text(NOTHING_TO_SEND)])),
    ui.facts('card facts', [
      ['Event', `${wordOf(EVENT_NAMES, type)} (${type})`],
      ['Created', exact(createdAt)],
      ['Delivered', deliveredAt && exact(deliveredAt)],
      ['Next attempt', nextAt && exact(nextAt)],
      ['Endpoint', ui.own(endpoint.url)],
      ['Payment link', linkId && [linkId, ui.BREAK, listOfLink]],
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

function requestBlocks(delivery: WebhookDelivery, isSeen: boolean): ui.Content {
  const { payload } = delivery;
  const headers = requestHeaders(delivery, 't=<Unix seconds of the attempt>,v1=<64 hexadecimal digits>');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const about = isSeen
    ? `The exact ${Buffer.byteLength(payload).toLocaleString('en')} bytes that are signed and sent.`
    : 'Your role sees no data of patients. Such values are replaced by •••, and the layout differs from what was sent.';
  return [
    ui.heading('Request'),
    ui.text('Headers of each attempt. The time and the signatures are made anew each time and are not kept.'),
    ui.code('Request', lines.join('')),
    ui.heading('Body'),
    ui.text(about),
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
