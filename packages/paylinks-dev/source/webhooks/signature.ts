import { createHmac, randomBytes } from 'node:crypto';

/** Largest distance between the time of a signature and the receiver's clock, in seconds, as the contract says. */
export const TOLERANCE_SECONDS = 300;

/** Returns a new secret: letters and digits, as the service's. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('hex')}`;
}

/** Returns the lower-case hexadecimal HMAC-SHA256 of `<seconds>.<body>`. */
export function signatureOf(secret: string, seconds: number | string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
}

/** Returns the headers of a webhook request, the same as those of the service. */
export function webhookHeaders(
  secret: string,
  event: { id: string; type: string },
  body: Uint8Array,
): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1_000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'service-event-id': event.id,
    'service-event-type': event.type,
    'service-signature': `t=${seconds},v1=${signatureOf(secret, seconds, body)}`,
  };
}
