import type { EventType, WebhookAttemptError } from '../../../contract/operations-type.ts';
import type { DeliveryStatus } from '../../../webhooks/model/transitions.ts';
import { reasons } from './reasons.ts';

export const deliveries = {
  statuses: {
    pending: 'Pending',
    retrying: 'Retrying',
    delivered: 'Delivered',
    exhausted: 'Failed',
    skipped: 'Skipped',
  } satisfies Record<DeliveryStatus, string>,
  types: {
    'payment_link.processing': 'Bank debit submitted',
    'payment_link.paid': 'Paid',
    'payment_link.failed': 'Bank debit failed',
    'payment_link.refunded': 'Refunded',
    'payment_link.disputed': 'Disputed',
    'payment_link.dispute_closed': 'Dispute closed',
    'payment_link.expired': 'Expired',
    'payment_link.cancelled': 'Canceled',
    ping: 'Test ping',
  } satisfies Record<EventType, string>,
  errors: {
    timeout: 'No answer within 10 seconds. Answer first, then do the work.',
    dns_error: 'The host name could not be resolved. Check the address of the endpoint and its DNS.',
    connection_error: 'No connection, or it broke. Is the server running, and reachable from the internet?',
    tls_error: 'The TLS handshake failed. Check the certificate: its date, its host name and its chain.',
    blocked_address: 'The host leads to an address that is not public. Webhooks go to public addresses only.',
    invalid_response: 'The answer was not HTTP. Is another service listening on this port?',
    interrupted: 'Our service was stopped during the attempt. The event may have arrived.',
  } satisfies Record<Exclude<WebhookAttemptError, 'http_status'>, string>,
  httpStatus: (status: number | null) =>
    `The endpoint answered ${status ?? '–'} instead of 2xx.${statusAdvice(status)}`,
  failing: {
    title: 'Failing webhooks',
    lead: (since: string) => `Events since ${since} that did not arrive.`,
    exhausted: (count: string) => `${count} failed`,
    retrying: (count: string) => `${count} being retried`,
    skipped: (count: string) => `${count} skipped`,
    disabled: 'The endpoint is disabled.',
    mode: { live: 'Live data', test: 'Test data' },
  },
  one: {
    title: (id: string) => `Delivery ${id}`,
    ofLink: 'All deliveries of this link',
    noAttempts: 'There was no attempt yet.',
    attempt: {
      number: 'Number',
      started: 'Started',
      result: 'Result',
    },
    headersText: 'Headers of each attempt. The time and the signatures are made anew each time and are not kept.',
    signaturePart: 't=<Unix seconds of the attempt>,v1=<64 hexadecimal digits>',
    payload: 'Body',
    payloadText: (bytes: number) => `The exact ${bytes.toLocaleString('en')} bytes that are signed and sent.`,
    maskedText:
      'Your role sees no data of patients. Such values are replaced by •••, and the layout differs from what was sent.',
    noReply: 'The body of the answer is not kept.',
    redeliver: {
      title: 'Send again',
      text: 'The same event is sent again, with the same id and body, and with up to eight new attempts.',
      button: 'Redeliver',
      waiting: 'This delivery is still waiting or under way, so there is nothing to send again.',
    },
    retry: {
      title: 'Send now',
      text: 'If your endpoint works again, the next attempt need not wait. It counts as one of the eight attempts.',
    },
  },
  reasons,
  done: {
    tested: 'The example is sent within seconds. Load the page again to see the answer.',
    redelivered: 'It was queued and is sent within seconds.',
    retried: 'The next attempt is due now and is sent within seconds.',
    left_alone: 'It was waiting or under way already, so nothing was changed.',
  },
};

/** Returns what to check at a status, or nothing. */
function statusAdvice(status: number | null): string {
  if (status === null) return '';
  if (status >= 300 && status < 400) {
    return ' Redirects are not followed. Enter the final address.';
  }
  if (status === 401 || status === 403) {
    return ' Does it ask for a sign-in, or does its check of the signature fail?';
  }
  if (status === 404 || status === 410) return ' Check the path of the address.';
  if (status === 429) return ' It gets too many requests.';
  if (status < 500) return '';
  return ' Check the log of your server at this time.';
}
