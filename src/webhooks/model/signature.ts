import { createHmac } from 'node:crypto';
import { randomText } from '../../platform/base/random-text.ts';

/** 256 bits, as strong as the HMAC-SHA256 that the secret keys. */
const SECRET_LENGTH = 43;

/** Creates a signing secret: `whsec_` and 43 letters and digits. The whole text, with its prefix, is the HMAC key. */
export function newWebhookSecret(): string {
  return `whsec_${randomText(SECRET_LENGTH)}`;
}

/**
 * Returns the value of `Service-Signature`: `t=<seconds>,v1=<hex>[,v1=<hex>]`, one `v1` per secret in the order given,
 * newest first. Each `v1` is the lower-case hex HMAC-SHA256, keyed with the secret, of `<t>.<payload>` in UTF-8.
 *
 * @param signing.secrets the newest, and for a day after a rotation the one before it
 * @param signing.timestampSeconds whole Unix seconds of this attempt, not of the event. Receivers refuse a `t` that is
 *   more than 300 s away from their clock, and a retry comes days later
 * @param signing.payload the stored text of the body, exactly as it will be sent
 */
export function signatureHeader(signing: {
  secrets: readonly string[];
  timestampSeconds: number;
  payload: string;
}): string {
  const { secrets, timestampSeconds, payload } = signing;
  const sign = (secret: string) =>
    createHmac('sha256', secret).update(`${timestampSeconds}.`).update(payload, 'utf8').digest('hex');
  return [`t=${timestampSeconds}`, ...secrets.map((secret) => `v1=${sign(secret)}`)].join(',');
}

/**
 * Returns the headers of a webhook request, as openapi.yaml describes them. Host, Content-Length and Connection are added
 * when it is sent.
 *
 * @param signature value of `Service-Signature`
 */
export function requestHeaders({ id, type }: { id: string; type: string }, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'service-event-id': id,
    'service-event-type': type,
    'service-signature': signature,
  };
}
