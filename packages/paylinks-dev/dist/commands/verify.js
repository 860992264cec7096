import { readFileSync } from 'node:fs';
import { Failure, UsageError } from "../failure.js";
import { configFolder, jsonLine } from "../terminal.js";
import { diagnose, headerValue } from "../webhooks/diagnosis.js";
import { storedSecret } from "../webhooks/state.js";
import { numberOption, requiredOption, signingSecret } from "./command.js";
export const verifyCommand = {
    name: 'verify',
    summary: 'Verifies the signature of a webhook, and says why it fails. Needs no key.',
    arguments: ['[FILE]'],
    options: {
        header: { value: 'TEXT', help: 'Value of the header Service-Signature.' },
        secret: { value: 'SECRET', help: 'Secret. Default: PAYLINKS_WEBHOOK_SECRET, or the one of `listen`.' },
        at: { value: 'SECONDS', help: 'Unix time of the arrival; default: now.' },
    },
    isLocal: true,
    examples: [
        'verify body.json --header "t=1795187106,v1=5257…" --secret "$SECRET"',
        'verify --header "$SIGNATURE" < body.json',
    ],
    notes: [
        'FILE has the bytes of the body exactly as they arrived. Without FILE they are read from standard input.',
        'Exit status 1 says that the webhook is not genuine.',
    ],
    async run(call) {
        const header = headerValue(requiredOption(call, 'header'));
        const now = numberOption(call, 'at') ?? Date.now() / 1_000;
        const { terminal } = call;
        const secret = signingSecret(call);
        const own = storedSecret(configFolder(terminal));
        const body = await bodyOf(call);
        const diagnosis = diagnose({ secret, header, body, now, otherSecrets: own === null ? [] : [own] });
        if (call.isJson)
            terminal.write(jsonLine(diagnosis));
        else if (diagnosis.genuine)
            terminal.write(`${diagnosis.message}\n`);
        if (!diagnosis.genuine)
            throw new Failure(`${diagnosis.reason}: ${diagnosis.message}`, diagnosis.hint);
    },
};
async function bodyOf({ arguments: [file], terminal }) {
    if (file === undefined || file === '-')
        return terminal.readInput();
    try {
        return readFileSync(file);
    }
    catch (error) {
        const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
        throw new UsageError(`The file of the body cannot be read: ${reason}.`);
    }
}
