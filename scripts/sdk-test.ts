import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sdk, sdks } from './sdk/generators.ts';
import { openStage, type Stage, sdkFolder } from './sdk/stage.ts';
import { faultsOf, STEPS } from './sdk/steps.ts';
import type { Step } from './sdk/tools.ts';
import { checkout } from './service.ts';

/**
 * `make sdk-test`: makes an SDK with every generator whose language is on this machine. Each uses the contract that a
 * running service publishes. Compiles each SDK, and runs a scenario with it. The scenario must do all of `STEPS`. Names after `--` choose some generators.
 * All files are written below `.local/sdk`.
 */

/** Longest time for one step; the first one of a language fetches and compiles much. */
const STEP_TIMEOUT_MS = 1_800_000;

/** Number of characters shown of a failing step's output. */
const SHOWN_CHARACTERS = 6_000;

/** One generator after the other: compilers want the whole machine. */
async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !sdks.some((sdk) => sdk.name === name));
  if (unknown.length > 0) {
    console.error(`No such SDK: ${unknown.join(', ')}. There are ${sdks.map(({ name }) => name).join(', ')}.`);
    process.exitCode = 2;
    return;
  }
  const stage = await openStage();
  try {
    // The files that TypeScript compiles there are no modules of this package.
    const own = join(sdkFolder, 'package.json');
    if (!existsSync(own)) writeFileSync(own, '{ "private": true, "type": "commonjs" }\n');
    for (const sdk of sdks) {
      if (names.length > 0 && !names.includes(sdk.name)) continue;
      const missing = sdk.needs.filter(([command, argument]) => !isHere(command, argument)).map(([command]) => command);
      if (missing.length > 0) {
        console.log(`skipped  ${sdk.name}: no ${missing.join(', no ')} on this machine`);
        continue;
      }
      const unavailable = await runAll(sdk.install, sdkFolder, stage.environment);
      if (unavailable !== null && sdk.isRequired !== true) {
        console.log(`skipped  ${sdk.name}: ${sdk.generator} could not be installed`);
        console.error(unavailable);
        continue;
      }
      const startedMs = performance.now();
      const fault = unavailable ?? (await tryOut(sdk, stage));
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
      const word = fault === null ? 'ok     ' : 'FAILED ';
      const steps = fault === null ? `${STEPS.length} steps, ` : '';
      console.log(`${word}  ${sdk.name} (${sdk.generator}), ${steps}${seconds} s`);
      if (fault === null) continue;
      console.error(fault);
      process.exitCode = 1;
    }
  } finally {
    await stage.close();
  }
}

/** Makes the SDK afresh and runs its scenario. Returns null, or the faults with what the failing step printed. */
async function tryOut(sdk: Sdk, stage: Stage): Promise<string | null> {
  const folder = join(sdkFolder, sdk.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(checkout, 'scripts/sdk', sdk.name), folder, { recursive: true });
  const unmade = await runAll([...sdk.generate, ...sdk.compile], folder, stage.environment);
  if (unmade !== null) return unmade;
  await stage.renewKey();
  stage.takeRequests();
  const { status, output } = await run(sdk.run, folder, stage.environment());
  if (status !== 0) return failure(sdk.run, status, output);
  const faults = faultsOf(output, stage.takeRequests());
  return faults.length === 0 ? null : faults.join('\n');
}

/** Runs steps up to the first that fails. Returns null, or that step with what it printed. */
async function runAll(
  steps: readonly Step[],
  folder: string,
  environment: () => Record<string, string>,
): Promise<string | null> {
  for (const step of steps) {
    const { status, output } = await run(step, folder, environment());
    if (status !== 0) return failure(step, status, output);
  }
  return null;
}

function failure({ command }: Step, status: number | string, output: string): string {
  return `${command.join(' ')} ended with ${status}:\n${output.slice(-SHOWN_CHARACTERS)}`;
}

async function run(
  { command, folder, environment }: Step,
  sdk: string,
  scenario: Record<string, string>,
): Promise<{ status: number | string; output: string }> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: folder ?? sdk,
    // No toolchain is fetched because of a version in go.mod.
    env: { ...process.env, GOTOOLCHAIN: 'local', ...scenario, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: STEP_TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ status: error.message, output }));
    child.on('close', (status, signal) => resolve({ status: status ?? signal ?? 'nothing', output }));
  });
}

function isHere(command: string, versionArgument: string): boolean {
  return spawnSync(command, [versionArgument], { stdio: 'ignore' }).status === 0;
}

await main(process.argv.slice(2));
