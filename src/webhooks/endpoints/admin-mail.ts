import type { Scope } from '../../base/scope.ts';
import type { Mail, Mailer } from '../../mail/mailer.ts';
import { getPractice } from '../../practices/find.ts';
import { WebhookEndpoint } from '../model/endpoint.entity.ts';
import { DISABLE_AFTER } from '../model/transitions.ts';

/*
 * Admin mails about failing endpoints. The transaction that counts the exhausted event enqueues the job. Its payload has
 * ids and a number only, so that no address is stored in the queue. The worker loads the rest and sends the mail outside
 * any transaction. The job queue retries when that fails.
 */

/** Name of the job that sends an admin mail about an endpoint. */
export const ADMIN_MAIL_TASK = 'mail_failing_endpoint';

/** Payload of the job. */
export interface AdminMail {
  endpointId: string;
  /** The event that was exhausted last. */
  deliveryId: string;
  exhaustedInARow: number;
}

/** Returns true when a job's payload is an admin mail. The queue accepts any payload. */
export function isAdminMail(payload: unknown): payload is AdminMail {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'endpointId' in payload &&
    'deliveryId' in payload &&
    'exhaustedInARow' in payload
  );
}

/**
 * Sends the admin mail to the administrator of the endpoint's practice. Sends nothing when the endpoint is deleted.
 *
 * @throws MailFailed when the mail server did not accept it; a retry has the same Message-ID
 */
export async function sendAdminMail(scope: Scope, mailer: Mailer, adminMail: AdminMail): Promise<void> {
  const endpoint = await scope.em.findOne(WebhookEndpoint, { id: adminMail.endpointId, deletedAt: null });
  if (endpoint === null) return;
  const { adminEmail } = await getPractice(scope, endpoint.practiceId);
  await mailer.send({ to: adminEmail, ...mailOf(endpoint, adminMail) });
}

function mailOf(endpoint: WebhookEndpoint, adminMail: AdminMail): Omit<Mail, 'to'> {
  const { endpointId, deliveryId, exhaustedInARow } = adminMail;
  const isDisabled = exhaustedInARow >= DISABLE_AFTER;
  // The path and the query of the URL may contain a token of the receiver.
  const host = URL.parse(endpoint.url)?.hostname ?? 'unknown host';
  const mode = endpoint.test ? 'test' : 'live';
  const [what, todo] = isDisabled ? disabledText(exhaustedInARow) : failingText(exhaustedInARow);
  return {
    id: `${endpointId}.${deliveryId}.${exhaustedInARow}`,
    subject: isDisabled ? `Webhook endpoint ${endpointId} is disabled` : `Webhook endpoint ${endpointId} is failing`,
    text: [`Webhook endpoint: ${endpointId} (${mode} mode)`, `Host: ${host}`, '', what, '', todo, ''].join('\n'),
  };
}

function failingText(inARow: number): [what: string, todo: string] {
  return [
    `${inARow} events in a row could not be delivered: every attempt, over about three days, failed. After ` +
      `${DISABLE_AFTER} in a row the endpoint is disabled.`,
    'What to do: look at the deliveries of this endpoint through the API (GET /api/v1/webhook-deliveries); lastError ' +
      'and lastResponseStatus say why they failed. One delivered event resets the count.',
  ];
}

function disabledText(inARow: number): [what: string, todo: string] {
  return [
    `${inARow} events in a row could not be delivered: every attempt, over about three days, failed. The endpoint is ` +
      'disabled now. Events are kept, but not sent.',
    'What to do: repair the receiver, enable the endpoint (PATCH with "enabled": true), and replay what it missed ' +
      '(POST .../replay with "since", at most 30 days ago).',
  ];
}
