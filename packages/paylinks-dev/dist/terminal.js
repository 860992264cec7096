import { homedir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
export function processTerminal() {
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'])
        process.once(signal, () => stop.abort());
    return {
        environment: process.env,
        write: (text) => process.stdout.write(text),
        warn: (text) => process.stderr.write(text),
        readInput: () => buffer(process.stdin),
        stopped: stop.signal,
    };
}
export function configFolder({ environment }) {
    const { PAYLINKS_CONFIG_DIR: own, XDG_CONFIG_HOME: base } = environment;
    return own ?? join(base ?? join(homedir(), '.config'), 'paylinks-dev');
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
export function printable(text) {
    return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
