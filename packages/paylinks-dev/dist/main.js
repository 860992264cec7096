#!/usr/bin/env node
import { readFileSync } from 'node:fs';
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = Number.parseInt(engines.node.replace('>=', ''), 10);
const { node } = process.versions;
if (Number.parseInt(node, 10) < needed) {
    process.stderr.write(`paylinks-dev needs Node ${needed} or newer, and this is Node ${node}.\n`);
    process.stderr.write(`Install the package node@${needed} with the command, as the guide of the service says at /docs/command.\n`);
    process.exitCode = 1;
}
else {
    const { run } = await import("./program.js");
    const { processTerminal } = await import("./terminal.js");
    process.exitCode = await run(process.argv.slice(2), processTerminal());
}
