import { join } from 'node:path';
import { residentMb } from '../../proc.ts';
import { NODE_FLAGS } from '../../service.ts';
import { freePorts, serviceEnvironment, startProcess, untilAnswering, untilUp } from '../../trial/process.ts';
import { createRandom } from '../../trial/random.ts';

/** More than any run sends in a minute: the windows are kept and looked at as always, and never full. */
export const UNLIMITED_PER_MINUTE = 1_000_000;

/** Time in which a process must start or stop: more than an attempt's deadline. */
const START_STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 3;

const random = createRandom(process.pid);

/** A `paylinks serve` or `paylinks worker`, started as in production. */
export type ServiceProcess = Awaited<ReturnType<typeof startService>>;

/**
 * Starts a process and resolves when it is ready: `serve` answers `/readyz`, `worker` says that it works. Its log, at
 * info as in production, goes to a file. PROFILE=1 writes its CPU profile beside that when it stops.
 */
export async function startService(
  command: 'serve' | 'worker',
  databaseUrl: string,
  folder: string,
  environment: Record<string, string> = {},
) {
  const [port = 0] = await freePorts(1, random);
  const profile = process.env.PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
  const env = serviceEnvironment(databaseUrl, {
    NODE_ENV: 'production',
    PORT: `${port}`,
    // As operators have it.
    WEBHOOK_RETRY_SECONDS: undefined,
    WEBHOOK_TIMEOUT_MS: undefined,
    ...environment,
  });
  const running = startProcess(command, env, {
    directory: folder,
    logFile: join(folder, `${command}-${port}.log`),
    nodeArguments: [...NODE_FLAGS, ...profile],
  });
  await untilUp(running, command === 'serve' ? untilAnswering(port, START_STOP_TIMEOUT_MS, POLL_MS) : running.ready);
  const { pid } = running;
  return { pid, port, residentMb: () => residentMb(pid), stop: () => running.stop(START_STOP_TIMEOUT_MS) };
}
