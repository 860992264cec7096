import type { Scope } from '../../base/scope.ts';
import type { Mail, Mailer } from '../../mail/mailer.ts';
import { getPractice } from '../../practices/service.ts';
import { WebhookEndpoint } from '../model/endpoint.entity.ts';
import { DISABLE_AFTER } from '../model/transitions.ts';

/*
 * What a practice's administrator is told about an endpoint that fails. The notice is queued in the transaction that
 * counts the failure, with ids and a number and nothing else, so that no address lies in the queue. The worker loads
 * the rest and sends the mail outside of any transaction; the queue tries again when that fails.
 */

/** The job that mails a notice. */
export const ADMIN_MAIL_TASK = 'mail_failing_endpoint';

/** The job's payload. */
export interface Notice {
  endpointId: string;
  /** The event whose ladder ended last. */
  deliveryId: string;
  exhaustedInARow: number;
}

/** Whether a job's payload is a notice; the queue can hold anything. */
export function isAdminMail(payload: unknown): payload is Notice {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'endpointId' in payload &&
    'deliveryId' in payload &&
    'exhaustedInARow' in payload
  );
}

/**
 * Mails the notice to the administrator of the endpoint's practice; nothing when the endpoint was deleted meanwhile.
 *
 * @throws MailFailed when it could not be handed over; a further try has the same Message-ID
 */
export async function sendAdminMail(scope: Scope, mailer: Mailer, notice: Notice): Promise<void> {
  const endpoint = await scope.em.findOne(WebhookEndpoint, { id: notice.endpointId, deletedAt: null });
  if (endpoint === null) return;
  const { adminEmail } = await getPractice(scope, endpoint.practiceId);
  await mailer.send({ to: adminEmail, ...noticeMail(endpoint, notice) });
}

function noticeMail(endpoint: WebhookEndpoint, notice: Notice): Omit<Mail, 'to'> {
  const { endpointId, deliveryId, exhaustedInARow } = notice;
  const isOff = exhaustedInARow >= DISABLE_AFTER;
  // The path and the query of a URL may carry a token of the receiver's.
  const host = URL.parse(endpoint.url)?.hostname ?? 'unknown host';
  const mode = endpoint.test ? 'test' : 'live';
  const [what, todo] = isOff ? switchedOff(exhaustedInARow) : failing(exhaustedInARow);
  return {
    id: `${endpointId}.${deliveryId}.${exhaustedInARow}`,
    subject: isOff ? `Webhook endpoint ${endpointId} is disabled` : `Webhook endpoint ${endpointId} is failing`,
    text: [`Webhook endpoint: ${endpointId} (${mode} mode)`, `Host: ${host}`, '', what, '', todo, ''].join('\n'),
  };
}

function failing(inARow: number): [what: string, todo: string] {
  return [
    `${inARow} events in a row could not be delivered: every attempt, over about three days, failed. After ` +
      `${DISABLE_AFTER} in a row the endpoint is disabled.`,
    'What to do: look at the deliveries of this endpoint through the API (GET /api/v1/webhook-deliveries); lastError ' +
      'and lastResponseStatus tell why they failed. One event that is delivered ends the count.',
  ];
}

function switchedOff(inARow: number): [what: string, todo: string] {
  return [
    `${inARow} events in a row could not be delivered: every attempt, over about three days, failed. The endpoint is ` +
      'disabled now. Events are kept, but not sent.',
    'What to do: put the receiver right, enable the endpoint (PATCH with "enabled": true), and replay what it missed ' +
      '(POST .../replay with "since", at most 30 days ago).',
  ];
}
