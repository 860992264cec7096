import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutAccount } from '../../scripts/failover/configuration.ts';
import { findProgram } from '../../scripts/failover/programs.ts';
import { haproxyConfiguration } from '../../src/cells/haproxy.ts';
import { type CellMap, parseCellMap } from '../../src/cells/map.ts';
import { freePort } from './free-port.ts';
import { killGroup, start, until } from './processes.ts';
import { newScratchFolder } from './scratch.ts';

/** An edge in front of cells. */
export interface RunningEdge {
  url: string;
  output(): string;
  close(): Promise<void>;
}

/** Returns the map of these cells; throws when it is not valid. */
export function mapOf(...cells: object[]): CellMap {
  return parseCellMap({ cells });
}

/** Starts HAProxy as the edge of these cells; null if it is not on this machine. */
export async function startEdge(map: CellMap): Promise<RunningEdge | null> {
  const program = findProgram('haproxy');
  if (program === undefined) return null;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const text = haproxyConfiguration({ ...map, edge: { ...map.edge, bind: `127.0.0.1:${port}` } });
  // HAProxy takes servers as healthy until their first check, so its own answer is enough.
  const answers = async () => (await (await fetch(`${url}/healthz`)).text()) !== '';
  return { url, ...(await runHaproxy(program, withoutAccount(text), answers)) };
}

/** Runs HAProxy with a configuration, and resolves when it is ready. A question that fails means that it is not. */
export async function runHaproxy(
  program: string,
  text: string,
  isReady: () => Promise<boolean>,
): Promise<Pick<RunningEdge, 'output' | 'close'>> {
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
