import { createHmac, randomBytes } from 'node:crypto';
export const TOLERANCE_SECONDS = 300;
export function newSecret() {
    return `whsec_${randomBytes(32).toString('base64url')}`;
}
export function signatureOf(secret, seconds, body) {
    return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
}
export function webhookHeaders(secret, event, body) {
    const seconds = Math.floor(Date.now() / 1_000);
    return {
        'content-type': 'application/json',
        'user-agent': 'Service-Webhooks/1.0',
        'service-event-id': event.id,
        'service-event-type': event.type,
        'service-signature': `t=${seconds},v1=${signatureOf(secret, seconds, body)}`,
    };
}
