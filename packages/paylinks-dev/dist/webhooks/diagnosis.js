import { signatureOf, TOLERANCE_SECONDS } from "./signature.js";
export function diagnose(arrived) {
    const { secret, body, now } = arrived;
    const parts = arrived.header.trim().split(',');
    const times = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
    const signatures = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3));
    const [time] = times;
    const fault = headerFault(times, signatures);
    if (fault !== null || time === undefined) {
        const hint = 'It must be like t=1795187106,v1=5257…, as it arrived. Is a proxy or a shell changing it?';
        return failed('malformed_header', fault ?? 'The header has no time.', hint);
    }
    const fits = (key, bytes) => signatures.includes(signatureOf(key, time, bytes));
    if (fits(secret, body))
        return byClock(now - Number(time));
    const change = changesOf(body).find(({ bytes }) => fits(secret, bytes));
    if (change !== undefined) {
        return failed('changed_body', `The body was changed: ${change.what}.`, 'Verify the raw bytes, before any parsing.');
    }
    const other = secretsLike(arrived).find(({ key }) => fits(key, body));
    if (other !== undefined)
        return failed('wrong_secret', `The secret is wrong: ${other.what}.`, other.hint);
    return failed('wrong_secret_or_body', 'No signature fits this secret and this body.', 'Use the secret of this endpoint and mode, and the bytes exactly as they arrived.');
}
function failed(reason, message, hint) {
    return { genuine: false, reason, message, hint };
}
function headerFault(times, signatures) {
    const [time] = times;
    if (time === undefined)
        return 'The header has no part t=….';
    if (times.length > 1)
        return `The header has ${times.length} parts t=… instead of one.`;
    if (!/^[0-9]{1,12}$/.test(time))
        return 'The time t must be whole Unix seconds.';
    if (signatures.length === 0)
        return 'The header has no part v1=….';
    if (!signatures.some((signature) => /^[0-9a-f]{64}$/.test(signature))) {
        return 'No v1 has 64 hexadecimal digits in lower case.';
    }
    return null;
}
function byClock(late) {
    if (Math.abs(late) <= TOLERANCE_SECONDS)
        return { genuine: true, message: 'The webhook is genuine.' };
    const distance = `${Math.round(Math.abs(late))} seconds ${late > 0 ? 'old' : 'in the future'}`;
    return failed('clock', `Secret and body are right, but the signature is ${distance}; ${TOLERANCE_SECONDS} are allowed.`, 'Is your clock right? Verify at the arrival, or give the time of the arrival with --at.');
}
function changesOf(body) {
    const text = body.toString('utf8');
    const change = (what, original) => ({ what, bytes: Buffer.from(original, 'utf8') });
    const changes = [
        change('a line break was added at its end', text.replace(/\r?\n$/, '')),
        change('a line break at its end is missing', `${text}\n`),
        change('white space was added around it', text.trim()),
        change('a byte order mark was added', text.replace(/^\uFEFF/, '')),
        change('its line breaks were changed to CRLF', text.replaceAll('\r\n', '\n')),
        change('its encoding was changed from UTF-8', body.toString('latin1')),
        { what: 'it was decoded as Latin-1 and encoded again', bytes: Buffer.from(text, 'latin1') },
    ];
    try {
        const value = JSON.parse(text.trim());
        changes.push(change('its JSON was parsed and written again', JSON.stringify(value)));
        if (typeof value === 'string')
            changes.push(change('it was written as a JSON string', value));
    }
    catch {
    }
    return changes;
}
function secretsLike({ secret, otherSecrets }) {
    const trimmed = secret.trim().replaceAll(/^["']|["']$/g, '');
    const hint = 'Use the whole secret as text, whsec_ included.';
    return [
        { what: 'it has white space or quotes around it', key: trimmed, hint },
        { what: 'whsec_ at its beginning is missing', key: `whsec_${trimmed}`, hint },
        ...otherSecrets.map((key) => ({
            what: 'the webhook was sent by `listen`, which signs with a secret of this machine',
            key,
            hint: 'Print that secret with: paylinks-dev listen --print-secret',
        })),
    ];
}
