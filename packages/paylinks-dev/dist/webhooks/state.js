import { createHash, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from "../failure.js";
import { newSecret } from "./signature.js";
export function listeningSecret(folder) {
    const stored = storedSecret(folder);
    if (stored !== null)
        return stored;
    writeText(folder, 'secret', `${newSecret()}\n`, linkSync);
    const secret = storedSecret(folder);
    if (secret === null)
        throw new Failure('The file of the secret has nothing to read.', `Delete ${join(folder, 'secret')}.`);
    return secret;
}
export function storedSecret(folder) {
    return readText(folder, 'secret')?.trim() || null;
}
export function positionFile({ baseUrl, apiKey }, receiver) {
    const hash = createHash('sha256')
        .update(JSON.stringify([baseUrl, apiKey, receiver]))
        .digest('hex');
    return `listen-${hash.slice(0, 32)}.json`;
}
export function readPosition(folder, file) {
    try {
        const value = JSON.parse(readText(folder, file) ?? 'null');
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
    writeText(folder, file, `${JSON.stringify(position)}\n`, renameSync);
}
function readText(folder, name) {
    try {
        requireOwnFolder(folder);
        return readFileSync(join(folder, name), 'utf8');
    }
    catch (error) {
        if (isCode(error, 'ENOENT'))
            return null;
        throw unusable(error);
    }
}
function writeText(folder, name, text, publish) {
    const draft = join(folder, `${name}.${randomUUID()}.tmp`);
    try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        requireOwnFolder(folder);
        writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
        publish(draft, join(folder, name));
    }
    catch (error) {
        if (!isCode(error, 'EEXIST'))
            throw unusable(error);
    }
    finally {
        rmSync(draft, { force: true });
    }
}
function requireOwnFolder(folder) {
    const own = process.getuid?.();
    if (own === undefined)
        return;
    const { uid, mode } = statSync(folder);
    const isForeign = own !== 0 && uid !== own;
    if (!isForeign && (mode & 0o002) === 0)
        return;
    throw new Failure(`Other accounts can write to the folder ${folder}.`, 'Set PAYLINKS_CONFIG_DIR to a folder that only you can write to.');
}
function isCode(error, code) {
    return error instanceof Error && 'code' in error && error.code === code;
}
function unusable(error) {
    if (error instanceof Failure)
        return error;
    const reason = error instanceof Error ? error.message : 'unknown reason';
    return new Failure(`The folder of the command's files cannot be used: ${reason}`, 'Set PAYLINKS_CONFIG_DIR.');
}
