import { exec, spawnSync } from 'node:child_process';
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Sdk, SOURCES, sdks, toolEnvironment } from './sdk/generators.ts';
import { openStage, type Stage, sdkFolder } from './sdk/stage.ts';
import { faultsOf, STEPS } from './sdk/steps.ts';
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
    writeFileSync(join(sdkFolder, 'package.json'), '{ "private": true, "type": "commonjs" }\n');
    for (const sdk of sdks) {
      if (names.length > 0 && !names.includes(sdk.name)) continue;
      const missing = sdk.needs.filter((line) => !isHere(line)).map((line) => line.split(' ')[0]);
      if (missing.length > 0) {
        console.log(`skipped  ${sdk.name}: no ${missing.join(', no ')} on this machine`);
        continue;
      }
      const unavailable = await runAll(sdk.install, sdkFolder);
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
async function tryOut({ name, generate, compile, run: scenario }: Sdk, stage: Stage): Promise<string | null> {
  const folder = join(sdkFolder, name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(checkout, 'scripts/sdk', name), folder, { recursive: true });
  for (const file of SOURCES) symlinkSync(join(sdkFolder, file), join(folder, basename(file)));
  const unmade = await runAll([...(generate === undefined ? [] : [generate]), ...compile], folder, stage.environment);
  if (unmade !== null) return unmade;
  stage.takeRequests();
  const { failure, output } = await run(scenario, folder, stage.environment);
  if (failure !== null) return failure;
  const faults = faultsOf(output, stage.takeRequests());
  return faults.length === 0 ? null : faults.join('\n');
}

/** Runs steps up to the first that fails. Returns null, or that step with what it printed. */
async function runAll(steps: readonly string[], folder: string, environment = {}): Promise<string | null> {
  for (const step of steps) {
    const { failure } = await run(step, folder, environment);
    if (failure !== null) return failure;
  }
  return null;
}

function run(step: string, folder: string, environment: object): Promise<{ failure: string | null; output: string }> {
  const env = { ...process.env, ...environment, ...toolEnvironment };
  const options = { cwd: folder, env, timeout: STEP_TIMEOUT_MS, maxBuffer: Number.POSITIVE_INFINITY };
  return new Promise((resolve) => {
    exec(step, options, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`;
      const end = error?.code ?? error?.signal;
      resolve({ failure: error && `${step} ended with ${end}:\n${output.slice(-SHOWN_CHARACTERS)}`, output });
    });
  });
}

function isHere(line: string): boolean {
  return spawnSync(line, { shell: true, stdio: 'ignore' }).status === 0;
}

await main(process.argv.slice(2));
