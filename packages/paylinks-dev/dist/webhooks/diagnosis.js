import { signatureOf, TOLERANCE_SECONDS } from "./signature.js";
export function headerValue(text) {
    return text.replace(/^\s*service-signature:\s*/i, '').trim();
}
export function findFault(arrived) {
    const { secret, body, now } = arrived;
    const parts = arrived.header.trim().split(',');
    const times = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
    const signatures = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3));
    const [time = ''] = times;
    const fault = headerFault(times, signatures);
    if (fault !== null)
        return { reason: 'malformed_header', fault, timeCount: times.length };
    const fits = (key, bytes) => signatures.includes(signatureOf(key, time, bytes));
    if (fits(secret, body)) {
        const lateSeconds = now - Number(time);
        return Math.abs(lateSeconds) <= TOLERANCE_SECONDS ? null : { reason: 'clock', lateSeconds };
    }
    const changed = changesOf(body).find(({ bytes }) => fits(secret, bytes));
    if (changed !== undefined)
        return { reason: 'changed_body', change: changed.change };
    const other = secretsLike(arrived).find(({ key }) => fits(key, body));
    if (other === undefined)
        return { reason: 'wrong_secret_or_body' };
    return { reason: 'wrong_secret', fault: other.fault, otherIndex: other.index };
}
function headerFault(times, signatures) {
    const [time] = times;
    if (time === undefined)
        return 'no_time';
    if (times.length > 1)
        return 'several_times';
    if (/^[1-9][0-9]{12}$/.test(time))
        return 'time_in_milliseconds';
    if (!/^[0-9]{1,12}$/.test(time))
        return 'time_not_seconds';
    if (signatures.length === 0)
        return 'no_signature';
    return signatures.some((signature) => /^[0-9a-f]{64}$/.test(signature)) ? null : 'no_hexadecimal_signature';
}
function changesOf(body) {
    const text = body.toString('utf8');
    const before = (change, original) => ({ change, bytes: Buffer.from(original, 'utf8') });
    const changes = [
        before('line_break_added', text.replace(/\r?\n$/, '')),
        before('line_break_missing', `${text}\n`),
        before('white_space_added', text.trim()),
        before('byte_order_mark_added', text.replace(/^\uFEFF/, '')),
        before('line_breaks_changed', text.replaceAll('\r\n', '\n')),
        before('encoding_changed', body.toString('latin1')),
        { change: 'decoded_wrongly', bytes: Buffer.from(text, 'latin1') },
    ];
    try {
        const value = JSON.parse(text.trim());
        changes.push(before('json_written_again', JSON.stringify(value)));
        if (typeof value === 'string')
            changes.push(before('json_in_string', value));
    }
    catch {
    }
    return changes;
}
function secretsLike({ secret, otherSecrets }) {
    const trimmed = secret.trim().replaceAll(/^["']|["']$/g, '');
    return [
        { fault: 'surrounded', key: trimmed, index: null },
        { fault: 'prefix_missing', key: `whsec_${trimmed}`, index: null },
        ...otherSecrets.map((key, index) => ({ fault: 'other', key, index })),
    ];
}
export function diagnose(arrived) {
    const fault = findFault(arrived);
    if (fault === null)
        return { genuine: true, message: 'The webhook is genuine.' };
    return { genuine: false, reason: fault.reason, ...wordsOf(fault) };
}
function wordsOf(fault) {
    switch (fault.reason) {
        case 'malformed_header':
            return {
                message: HEADER_WORDS[fault.fault](fault.timeCount),
                hint: 'It must be like t=1795187106,v1=5257…, as it arrived. Is a proxy or a shell changing it?',
            };
        case 'clock': {
            const { lateSeconds } = fault;
            const distance = `${Math.round(Math.abs(lateSeconds))} seconds ${lateSeconds > 0 ? 'old' : 'in the future'}`;
            return {
                message: `Secret and body are right, but the signature is ${distance}; ${TOLERANCE_SECONDS} are allowed.`,
                hint: 'Is your clock right? Verify at the arrival, or give the time of the arrival with --at.',
            };
        }
        case 'changed_body':
            return {
                message: `The body was changed: ${CHANGE_WORDS[fault.change]}.`,
                hint: 'Verify the raw bytes, before any parsing.',
            };
        case 'wrong_secret': {
            const { what, hint } = SECRET_WORDS[fault.fault];
            return { message: `The secret is wrong: ${what}.`, hint };
        }
        case 'wrong_secret_or_body':
            return {
                message: 'No signature fits this secret and this body.',
                hint: 'Use the secret of this endpoint and mode, and the bytes exactly as they arrived.',
            };
    }
}
const HEADER_WORDS = {
    no_time: () => 'The header has no part t=….',
    several_times: (timeCount) => `The header has ${timeCount} parts t=… instead of one.`,
    time_in_milliseconds: () => 'The time t is in milliseconds, and must be in whole Unix seconds: divide it by 1000.',
    time_not_seconds: () => 'The time t must be whole Unix seconds.',
    no_signature: () => 'The header has no part v1=….',
    no_hexadecimal_signature: () => 'No v1 has 64 hexadecimal digits in lower case.',
};
const CHANGE_WORDS = {
    line_break_added: 'a line break was added at its end',
    line_break_missing: 'a line break at its end is missing',
    white_space_added: 'white space was added around it',
    byte_order_mark_added: 'a byte order mark was added',
    line_breaks_changed: 'its line breaks were changed to CRLF',
    encoding_changed: 'its encoding was changed from UTF-8',
    decoded_wrongly: 'it was decoded as Latin-1 and encoded again',
    json_written_again: 'its JSON was parsed and written again',
    json_in_string: 'it was written as a JSON string',
};
const WHOLE_SECRET = 'Use the whole secret as text, whsec_ included.';
const SECRET_WORDS = {
    surrounded: { what: 'it has white space or quotes around it', hint: WHOLE_SECRET },
    prefix_missing: { what: 'whsec_ at its beginning is missing', hint: WHOLE_SECRET },
    other: {
        what: 'the webhook was sent by `listen`, which signs with a secret of this machine',
        hint: 'Print that secret with: paylinks-dev listen --print-secret',
    },
};
