import { exec, spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checkout } from '../scripts/service.ts';
import { CONTRACTS, type Sdk, sdks, TOOLS, toolEnvironment } from './sdk/generators.ts';
import { type Release, unpackLastRelease } from './sdk/release.ts';
import { omissionsIn } from './sdk/requests.ts';
import { openStage, type Stage, sdkFolder } from './sdk/stage.ts';

/**
 * `make sdk-test`: makes an SDK with every generator whose language is on this machine. Each uses the contract that a
 * running service publishes. Compiles each SDK, and runs a scenario with it, which compares all answers. Names after `--` choose some generators.
 *
 * Then it compiles the scenario of the last release with the new SDK, and says what an upgrade costs users of the generator.
 * All files are written below `.local/sdk`.
 */

/** Longest time for one step; the first one of a language fetches and compiles much. */
const STEP_TIMEOUT_MS = 1_800_000;

/** The scenarios of this checkout. */
const OWN = { root: checkout, scenarios: join(checkout, 'proofs/sdk') };

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
  const release = unpackLastRelease(checkout, join(sdkFolder, 'released'));
  if (release === null) console.log('No upgrade is tried: the history of the last release is missing.');
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
      console.log(`${word}  ${sdk.name} (${sdk.generator}), ${seconds} s`);
      if (fault !== null) {
        console.error(fault);
        process.exitCode = 1;
      } else if (release !== null) {
        await upgrade(sdk, release, stage);
      }
    }
  } finally {
    await stage.close();
  }
}

/** Makes the SDK afresh and runs its scenario. Returns null, or the faults with what the failing step printed. */
async function tryOut(sdk: Sdk, stage: Stage): Promise<string | null> {
  const folder = join(sdkFolder, sdk.name);
  const unmade = await make(sdk, folder, { ...OWN, contracts: sdkFolder }, stage);
  if (unmade !== null) return unmade;
  stage.takeRequests();
  const failure = await run(sdk.run, folder, stage.environment);
  return failure ?? (omissionsIn(stage.takeRequests()).join('\n') || null);
}

/**
 * Compiles the scenario of the last release with the SDK of the present contract, and prints the result. A scenario that does not
 * compile with the SDK of its own contract says nothing: then the generator has changed.
 */
async function upgrade(sdk: Sdk, release: Release, stage: Stage): Promise<void> {
  const folder = join(release.contracts, sdk.name);
  const say = (result: string) => console.log(`upgrade  ${sdk.name}: the scenario of ${release.version} ${result}`);
  const fault = await make(sdk, folder, { ...release, contracts: sdkFolder }, stage);
  if (fault === null) return say('compiles with the new SDK');
  const ownFault = await make(sdk, folder, release, stage);
  if (ownFault !== null) {
    say('does not compile with its own contract either');
    return console.error(ownFault);
  }
  say('compiles with the SDK of its own contract only');
  console.error(fault);
  if (sdk.staysCompatible) process.exitCode = 1;
}

/** Makes the SDK of a contract afresh, and compiles a scenario with it. Returns null, or the failing step with what it printed. */
async function make(
  { name, generate, compile }: Sdk,
  folder: string,
  { root, scenarios, contracts }: Omit<Release, 'version'>,
  { environment }: Stage,
): Promise<string | null> {
  const shared = join(scenarios, 'shared.ts');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(scenarios, name), folder, { recursive: true });
  // The TypeScript scenarios of the first release share nothing.
  if (existsSync(shared)) cpSync(shared, join(folder, 'shared.ts'));
  const sources = [...CONTRACTS.map((file) => join(contracts, file)), ...TOOLS.map((file) => join(sdkFolder, file))];
  for (const file of sources) symlinkSync(file, join(folder, basename(file)));
  return runAll([...(generate === undefined ? [] : [generate]), ...compile], folder, {
    ...environment,
    CHECKOUT: root,
  });
}

/** Runs steps up to the first that fails. Returns null, or that step with what it printed. */
async function runAll(steps: readonly string[], folder: string, environment = {}): Promise<string | null> {
  for (const step of steps) {
    const failure = await run(step, folder, environment);
    if (failure !== null) return failure;
  }
  return null;
}

function run(step: string, folder: string, environment: object): Promise<string | null> {
  const env = { ...process.env, ...environment, ...toolEnvironment };
  const options = { cwd: folder, env, timeout: STEP_TIMEOUT_MS, maxBuffer: Number.POSITIVE_INFINITY };
  return new Promise((resolve) => {
    exec(step, options, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.slice(-SHOWN_CHARACTERS);
      resolve(error && `${step} ended with ${error.code ?? error.signal}:\n${output}`);
    });
  });
}

function isHere(line: string): boolean {
  return spawnSync(line, { shell: true, stdio: 'ignore' }).status === 0;
}

await main(process.argv.slice(2));
