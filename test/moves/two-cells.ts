import { createLogger } from '../../src/base/log/log.ts';
import { type RunningWorker, startWorker } from '../../src/worker.ts';
import { SettableClock } from '../harness/clock.ts';
import { query } from '../harness/database.ts';
import { startPaylinks } from '../harness/processes.ts';
import { TestService } from '../harness/service.ts';

/** Two cells: services and workers on two databases, with the same keyring. */
export class TwoCells {
  readonly source: TestService;
  readonly target: TestService;
  readonly #workers: RunningWorker[];

  private constructor(source: TestService, target: TestService, workers: RunningWorker[]) {
    this.source = source;
    this.target = target;
    this.#workers = workers;
  }

  static async start({ workers }: { workers: boolean }): Promise<TwoCells> {
    // Workers go by the real time.
    const [source, target] = await Promise.all(
      [1, 2].map(() => TestService.start({ clock: new SettableClock(new Date().toISOString()) })),
    );
    if (source === undefined || target === undefined) throw new Error('two services start');
    const running = workers ? [source, target].map(({ config }) => startWorker(config, createLogger('silent'))) : [];
    return new TwoCells(source, target, await Promise.all(running));
  }

  get urls(): { sourceUrl: string; targetUrl: string } {
    return { sourceUrl: this.source.config.databaseUrl, targetUrl: this.target.config.databaseUrl };
  }

  /** Runs `paylinks check` on a cell. Returns its findings. */
  async check({ config }: TestService): Promise<unknown[]> {
    const env = { ...process.env, DATABASE_URL: config.databaseUrl, PROCESSOR: 'sandbox' };
    const { stdout, stderr } = await startPaylinks(['check', '--json'], env).finished;
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout).data;
  }

  /** Returns the rows of a practice in a cell, by table, without the log of requests, which may be written late. */
  async rows({ config }: TestService, practiceId: string): Promise<Record<string, number>> {
    const tables = await query<{ name: string }>(
      config.databaseUrl,
      `select attrelid::regclass::text as name from pg_attribute a join pg_class c on c.oid = attrelid
       where attname = 'practice_id' and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
         and relname not in ('practice_moves', 'api_requests')`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const found = `select count(*)::integer as count from ${name} where practice_id = $1`;
      const [row] = await query<{ count: number }>(config.databaseUrl, found, [practiceId]);
      if (row !== undefined && row.count > 0) counts[name] = row.count;
    }
    return counts;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await Promise.all([this.source.close(), this.target.close()]);
  }
}
