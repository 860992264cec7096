import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Query } from '../trial/evidence.ts';
import type { Character } from '../trial/receivers.ts';
import { type ChaosPractice, UNLIMITED } from '../trial/setup.ts';
import type { Version } from './version.ts';

/** Receivers of the run, and their shares of the load. */
const CHARACTERS: readonly (readonly [Character, number])[] = [
  ['fast', 4],
  ['late', 2],
  ['flaky', 2],
  ['resetting', 1],
];

/** Runs a command of a version and returns its output. @throws if it fails */
export async function runCommand(version: Version, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  // The message of its error has what the command wrote to stderr.
  return (await promisify(execFile)(process.execPath, [version.program, ...args], { env })).stdout;
}

/** Creates practices by the commands of a version, because the code of another one may need other columns. */
export async function createPracticesBy(version: Version, env: NodeJS.ProcessEnv): Promise<ChaosPractice[]> {
  const run = async (args: string[]) => JSON.parse(await runCommand(version, [...args, '--json'], env));
  const create = async ([character, share]: (typeof CHARACTERS)[number]): Promise<ChaosPractice> => {
    const { id } = await run([
      ...['practices', 'create', '--name', `Practice of ${character} receivers`],
      ...['--admin-email', 'admin@elm.example', '--payments-enabled'],
    ]);
    await run([
      ...['locations', 'create', '--practice', id, '--name', 'Downtown', '--city', 'Springfield', '--state', 'IL'],
      ...['--time-zone', 'America/Chicago'],
    ]);
    const { key } = await run([
      ...['keys', 'create', '--practice', id, '--mode', 'test'],
      ...['--requests-per-minute', `${UNLIMITED}`],
    ]);
    return { practiceId: id, character, testKey: key, share };
  };
  return Promise.all(CHARACTERS.map(create));
}

/** Rows per statement. Each statement writes the counts of the list once per row. */
const ROWS = 20_000;

/** Copies a link many times, in live mode, so that migrations have work. The copies are active for a month. */
export async function createHistory(query: Query, links: number): Promise<void> {
  for (let from = 0; from < links; from += ROWS) {
    await query(
      `insert into payment_links
       select (json_populate_record(l, json_build_object('id', 'plink_history_' || n, 'token', 'history_' || n, 'test', false,
         'status', 'active', 'closed_at', null, 'closed_by', null, 'paid_at', null, 'open_attempt_id', null,
         'external_reference', null, 'patient_id', null, 'patient_last_name', 'Byron ' || n, 'patient_phone', '+1202555' || n,
         'patient_email', 'patient' || n || '@elm.example', 'patient_external_id', 'chart-' || n,
         'expires_at', now() + interval '30 days', 'created_at', now() - interval '1 day'))).*
       from payment_links l, generate_series($1::integer, $2::integer) as n
       where l.id = (select min(id) from payment_links where id not like 'plink_history_%')`,
      [from + 1, Math.min(from + ROWS, links)],
    );
  }
}
