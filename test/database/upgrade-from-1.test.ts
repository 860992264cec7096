import { expect } from 'chai';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import { UnusableDatabase } from '../../src/database/connection/unusable-database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createEmptyDatabase, query } from '../harness/database.ts';
import { readDump } from './release/record.ts';

const log = createLogger('silent');
const KEPT = readDump('1.9.0');

describe('migrate, on a database of 1.x,', () => {
  let url: string;

  beforeEach(async () => {
    url = await createEmptyDatabase();
    await query(url, KEPT);
  });

  /** Expects a refusal that changes nothing, and returns its next step. */
  async function refused(): Promise<string> {
    const before = await query(url, 'select name from schema_migrations order by 1');
    const error = await migrate(url, log).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(UnusableDatabase);
    expect(await query(url, 'select name from schema_migrations order by 1')).to.deep.equal(before);
    return `${error} ${error instanceof UnusableDatabase ? error.hint : ''}`;
  }

  it('migrate upgrades 1.x while no process of 1.x runs, and refuses while a worker has a heartbeat', async () => {
    await query(url, `insert into job_runner_heartbeats values ('worker-1', clock_timestamp())`);
    expect(await refused())
      .to.include('Processes of version 1.x run')
      .and.include('Stop all of them');
    await query(url, `update job_runner_heartbeats set seen_at = clock_timestamp() - interval '11 seconds'`);
    expect(await migrate(url, log)).to.include('0061-no-moves');
    await query(url, `insert into job_runner_heartbeats values ('worker-2', clock_timestamp())`);
    expect(await migrate(url, log), 'a worker of 2.0.0 runs').to.deep.equal([]);
  });

  it('migrate refuses while an API of the last 1.x has a session', async () => {
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    await session.query('select pg_advisory_lock_shared(8042580, 12)');
    expect(await refused()).to.include('Processes of version 1.x run');
    await session.end();
  });

  for (const [state, step] of [
    ['draining', 'Finish the move, or cancel it'],
    ['frozen', 'Finish the move, or cancel it'],
    ['moved', 'paylinks practices delete-moved prac_'],
  ]) {
    it(`migrate refuses while a practice is ${state}, and says what to do with 1.x`, async () => {
      await query(url, `update practices set move_state = '${state}' where id = (select min(id) from practices)`);
      expect(await refused()).to.include(step);
    });
  }
});
