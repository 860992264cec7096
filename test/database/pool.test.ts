import { expect } from 'chai';
import { createPool } from '../../src/database/connection/pool.ts';
import { migratingConnection } from '../../src/database/connection/service-connection.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { createEmptyDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';

describe('a pool of database connections', () => {
  it('the pool logs a connection that broke under the name that the server shows for it', async () => {
    const captured = new CapturedLog();
    const url = await createEmptyDatabase();
    const pool = createPool(migratingConnection(url), 1, captured.log);
    try {
      await pool.query('select');
      await query(
        url,
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
        ['paylinks migrate'],
      );
      await until(
        () => captured.lines.length >= 2,
        () => 'nothing is logged',
      );
      expect(captured.lines.map(({ applicationName }) => applicationName)).to.deep.equal([
        'paylinks migrate',
        'paylinks migrate',
      ]);
    } finally {
      await pool.end();
    }
  });
});
