import http from 'node:http';
import https from 'node:https';
import { UsageError } from "../failure.js";
import { webhookHeaders } from "./signature.js";
const TIMEOUT_MS = 10_000;
export function receiverUrl(text, option) {
    if (text === undefined)
        throw new UsageError(`${option} is missing.`, `Give ${option} http://localhost:4000/webhooks.`);
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) {
        throw new UsageError(`${option} must be an address like http://localhost:4000/webhooks.`);
    }
    return url;
}
export function post(url, secret, webhook, signal, headers = {}) {
    const body = Buffer.from(webhook.payload, 'utf8');
    const startedMs = performance.now();
    return new Promise((resolve) => {
        const end = (status, error) => {
            const succeeded = status !== null && status >= 200 && status < 300;
            resolve({ succeeded, status, error, durationMs: Math.round(performance.now() - startedMs) });
        };
        const request = (url.protocol === 'https:' ? https : http).request(url, {
            method: 'POST',
            headers: { ...headers, ...webhookHeaders(secret, webhook, body), 'content-length': body.length },
            agent: false,
            signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        });
        request.on('response', (response) => {
            response.on('error', () => { });
            response.destroy();
            end(response.statusCode ?? null, null);
        });
        request.on('upgrade', (response, socket) => {
            socket.destroy();
            end(response.statusCode ?? null, null);
        });
        request.on('error', (error) => {
            const isLate = performance.now() - startedMs >= TIMEOUT_MS;
            end(null, isLate ? 'timeout' : (error.code ?? 'connection error'));
        });
        request.end(body);
    });
}
