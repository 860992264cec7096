import { modeName, type Scope } from '../../platform/base/scope.ts';
import type { Mail } from '../../practices/mail/mailer.ts';
import type { Notify } from '../../practices/notifications.ts';
import { WebhookEndpoint } from '../model/endpoint.entity.ts';
import { DISABLE_AFTER } from '../model/transitions.ts';

/** The transaction that counts an exhausted event enqueues the job, with ids and a number only: no address is in the queue. */
export const ENDPOINT_MAIL_TASK = 'mail_failing_endpoint';

interface EndpointMail {
  endpointId: string;
  deliveryId: string;
  exhaustedInARow: number;
}

const FAILING = [
  `After ${DISABLE_AFTER} in a row the endpoint is disabled.`,
  'What to do: look at the deliveries of this endpoint through the API (GET /api/v1/webhook-deliveries); lastError ' +
    'and lastResponseStatus say why they failed. One delivered event resets the count.',
];

const DISABLED = [
  'The endpoint is disabled now. Events are kept, but not sent.',
  'What to do: repair the receiver, enable the endpoint (PATCH with "enabled": true), and replay what it missed ' +
    '(POST .../replay with "since", at most 30 days ago).',
];

/**
 * Sends nothing if the endpoint is deleted.
 * @throws MailFailed when the mail server did not accept it; a retry has the same Message-ID
 */
export async function sendEndpointMail(scope: Scope, notify: Notify, mail: EndpointMail): Promise<void> {
  const endpoint = await scope.em.findOne(WebhookEndpoint, { id: mail.endpointId, deletedAt: null });
  if (endpoint === null) return;
  const mailFor = (seen: readonly string[] | null) => (seen === null ? writeMail(endpoint, mail) : null);
  await notify(scope, endpoint.practiceId, 'webhooks', mailFor);
}

function writeMail(endpoint: WebhookEndpoint, mail: EndpointMail): Omit<Mail, 'to'> {
  const { endpointId, deliveryId, exhaustedInARow } = mail;
  const isDisabled = exhaustedInARow >= DISABLE_AFTER;
  // The path and the query of the URL may contain a token of the receiver.
  const host = URL.parse(endpoint.url)?.hostname ?? 'unknown host';
  const fact = `${exhaustedInARow} events in a row could not be delivered: every attempt, over about three days, failed.`;
  const [consequence, nextStep] = isDisabled ? DISABLED : FAILING;
  return {
    id: `${endpointId}.${deliveryId}.${exhaustedInARow}`,
    subject: `Webhook endpoint ${endpointId} is ${isDisabled ? 'disabled' : 'failing'}`,
    text: [
      `Webhook endpoint: ${endpointId} (${modeName(endpoint)} mode)`,
      `Host: ${host}`,
      '',
      `${fact} ${consequence}`,
      '',
      nextStep,
      '',
    ].join('\n'),
  };
}
