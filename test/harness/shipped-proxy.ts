import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { checkout, killGroup, start, until } from './processes.ts';
import { findProgram, withoutAccount } from './programs.ts';
import { newScratchFolder } from './scratch.ts';

export interface ShippedProxy {
  url: string;
  /** Address without TLS that redirects. */
  plainUrl: string;
  output(): string;
  close(): Promise<void>;
}

/**
 * Starts HAProxy with a file of `operations/`, in front of these APIs; null if the program is missing. Its account, certificate and
 * Docker's name server are unknown here.
 *
 * @param change further changes of the text, such as a shorter timeout
 */
export async function startShippedProxy(
  file: string,
  apis: readonly string[],
  change = (text: string) => text,
): Promise<ShippedProxy | null> {
  const program = findProgram('haproxy');
  if (program === undefined) return null;
  const [port, plainPort] = [await freePort(), await freePort()];
  let servers = 0;
  const text = withoutAccount(readFileSync(join(checkout, file), 'utf8'))
    .replace(/bind :80$/m, `bind 127.0.0.1:${plainPort}`)
    .replace(/bind :(443|8080).*/, `bind 127.0.0.1:${port}`)
    .replace(/10\.0\.1\.\d:300\d|api:3000/g, () => apis[servers++ % apis.length] ?? '')
    .replaceAll(' resolvers docker init-addr none', '')
    .replace(/resolvers docker\n(?: .*\n)+/, '');
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/readyz`)).status === 200;
  return { url, plainUrl: `http://127.0.0.1:${plainPort}`, ...(await runHaproxy(program, change(text), isReady)) };
}

/** Runs HAProxy with a configuration, and resolves when it is ready. A question that fails means that it is not. */
async function runHaproxy(
  program: string,
  text: string,
  isReady: () => Promise<boolean>,
): Promise<Pick<ShippedProxy, 'output' | 'close'>> {
  const folder = newScratchFolder('haproxy');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, text);
  const running = start(program, ['-db', '-f', file], { env: {} });
  const close = async () => {
    killGroup(running, 'SIGKILL');
    await running.finished;
    rmSync(folder, { recursive: true });
  };
  await until(() => isReady().catch(() => false), running.output).catch(async (error) => {
    await close();
    throw error;
  });
  return { output: running.output, close };
}
