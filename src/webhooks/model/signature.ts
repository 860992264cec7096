import { createHmac } from 'node:crypto';
import { randomText } from '../../platform/base/random-text.ts';

/** 256 bits, as strong as the HMAC-SHA256 that the secret keys. */
const SECRET_LENGTH = 43;

/** The whole text, with its prefix, is the HMAC key. */
export function newWebhookSecret(): string {
  return `whsec_${randomText(SECRET_LENGTH)}`;
}

/**
 * Returns `t=<seconds>,v1=<hex>[,v1=<hex>]`, one `v1` per secret, newest first: the HMAC-SHA256 of `<t>.<payload>` in
 * UTF-8, keyed with the secret.
 * @param signing.timestampSeconds Unix time of this attempt. Receivers refuse one that differs by more than 300 s
 * @param signing.payload exactly as it will be sent
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

/** Returns them as openapi.yaml describes. Sending adds Host, Content-Length and Connection. */
export function requestHeaders({ id, type }: { id: string; type: string }, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'service-event-id': id,
    'service-event-type': type,
    'service-signature': signature,
  };
}
