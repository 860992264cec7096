import type { Logger } from 'pino';
import { readCommit, VERSION } from './base/log/version.ts';
import type { Config } from './config.ts';

/** Records traces of a process, if they have a collector. Without one, nothing of OpenTelemetry is even loaded. */
export async function tracesOf(
  component: 'api' | 'worker',
  { traces }: Pick<Config, 'traces'>,
  log: Logger,
): Promise<{ close(): Promise<void> } | null> {
  if (traces === null) return null;
  const { startTraces } = await import('./traces/start.ts');
  return startTraces({ component, version: VERSION, commit: readCommit(), log, ...traces });
}
