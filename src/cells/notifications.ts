import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { request } from 'undici';
import { OFFERED_HEADER, type OtherCells, UNKNOWN_ACCOUNT } from '../http/notifications.ts';
import type { CellMap } from './map.ts';

/** Longest time that the other cells have for their answers. The request that asks them ends later. */
const TIMEOUT_MS = 5_000;

/** Answer of one cell: it has the account, it does not, or it cannot say. */
type Answer = 'taken' | 'unknown_account' | 'unreachable';

/**
 * Creates the port by which a cell offers notifications of unknown accounts to all other cells.
 *
 * @param own name of this cell
 */
export function createOtherCells({ cells }: CellMap, own: string, log: Logger): OtherCells {
  const others = cells.filter(({ name }) => name !== own);
  return {
    async offer(notification) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answers = await Promise.all(others.map(({ addresses }) => askCell(addresses, notification, signal)));
      if (answers.includes('taken')) return 'taken';
      if (!answers.includes('unreachable')) return 'unknown_account';
      log.warn(
        { cells: others.filter((_, index) => answers[index] === 'unreachable').map(({ name }) => name) },
        'cells could not be asked about a notification; the processor sends it again',
      );
      return 'unreachable';
    },
  };
}

/** Asks the APIs of a cell one after the other, until one of them can say. */
async function askCell(
  addresses: readonly string[],
  { path, raw, headers }: { path: string; raw: Buffer; headers: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Answer> {
  for (const address of addresses) {
    const offered = { ...headers, [OFFERED_HEADER]: '1' };
    const answer = await request(`http://${address}${path}`, {
      method: 'POST',
      headers: offered,
      body: raw,
      signal,
    }).then(
      async ({ statusCode, headers, body }) => {
        await body.dump();
        return answerOf(statusCode, headers);
      },
      () => 'unreachable' as const,
    );
    if (answer !== 'unreachable') return answer;
  }
  return 'unreachable';
}

function answerOf(status: number, headers: IncomingHttpHeaders): Answer {
  if (status === 200) return 'taken';
  const isRefusal = Object.entries(UNKNOWN_ACCOUNT).every(([name, value]) => headers[name.toLowerCase()] === value);
  return status === 404 && isRefusal ? 'unknown_account' : 'unreachable';
}
