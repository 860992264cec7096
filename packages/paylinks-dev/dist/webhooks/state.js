import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from "../failure.js";
import { newSecret } from "./signature.js";
export function listeningSecret(folder) {
    const stored = readText(join(folder, 'secret'))?.trim();
    if (stored !== undefined && stored !== '')
        return stored;
    const secret = newSecret();
    writeText(folder, 'secret', `${secret}\n`);
    return secret;
}
export function positionFile({ baseUrl, apiKey }, url) {
    const hash = createHash('sha256')
        .update(JSON.stringify([baseUrl, apiKey, url.href]))
        .digest('hex');
    return `listen-${hash.slice(0, 32)}.json`;
}
export function readPosition(folder, file) {
    try {
        const value = JSON.parse(readText(join(folder, file)) ?? 'null');
        const isPosition = typeof value?.cursor === 'string' && Array.isArray(value.forwarded) && typeof value.atMs === 'number';
        return isPosition ? value : null;
    }
    catch (error) {
        if (error instanceof SyntaxError)
            return null;
        throw error;
    }
}
export function writePosition(folder, file, position) {
    writeText(folder, file, `${JSON.stringify(position)}\n`);
}
function readText(path) {
    try {
        return readFileSync(path, 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return null;
        throw unusable(error);
    }
}
function writeText(folder, name, text) {
    try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const draft = join(folder, `${name}.${process.pid}.tmp`);
        writeFileSync(draft, text, { mode: 0o600 });
        renameSync(draft, join(folder, name));
    }
    catch (error) {
        throw unusable(error);
    }
}
function unusable(error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    return new Failure(`The folder of the command's files cannot be used: ${reason}`, 'Set PAYLINKS_CONFIG_DIR.');
}
