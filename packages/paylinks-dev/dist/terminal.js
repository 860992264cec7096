import { homedir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
export function processTerminal() {
    let stopped;
    process.stdout.on('error', (error) => {
        if (error.code !== 'EPIPE')
            throw error;
        process.exit(1);
    });
    return {
        environment: process.env,
        write: (text) => process.stdout.write(text),
        warn: (text) => process.stderr.write(text),
        readInput: () => buffer(process.stdin),
        get stopped() {
            stopped ??= stopSignal();
            return stopped;
        },
    };
}
function stopSignal() {
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'])
        process.once(signal, () => stop.abort());
    return stop.signal;
}
export function configFolder({ environment }) {
    const { PAYLINKS_CONFIG_DIR: own, XDG_CONFIG_HOME: base } = environment;
    return own || join(base || join(homedir(), '.config'), 'paylinks-dev');
}
export function table(rows) {
    const texts = rows.map((row) => row.map(cell));
    const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
    return texts
        .map((row) => `${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
        .map((line) => `${line}\n`)
        .join('');
}
function cell(value) {
    if (value === null || value === undefined)
        return '-';
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return printable(text);
}
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
export function printable(text) {
    return text.replaceAll(UNPRINTABLE, ' ');
}
export function jsonLine(value, indent = 0) {
    const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const lines = JSON.stringify(value, null, indent).split('\n');
    return lines.map((line) => `${line.replaceAll(UNPRINTABLE, escaped)}\n`).join('');
}
