import { expect } from 'chai';
import pg from 'pg';
import { lockBriefly, retryOnLocks } from '../../src/database/query/retry-on-locks.ts';
import { createEmptyDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';

/** Enough for the slowest machine: a test waits for the other transaction itself. */
const TRIES = { tries: 1_000, pauseMs: 20 };

describe('transactions that wait briefly for locks', () => {
  let url: string;
  let own: pg.Client;
  let other: pg.Client;

  before(async () => {
    url = await createEmptyDatabase();
    await query(url, 'create table things (id integer primary key, note text)');
    await query(url, `insert into things values (1, ''), (2, '')`);
    [own, other] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
    await Promise.all([own.connect(), other.connect()]);
  });

  after(() => Promise.all([own.end(), other.end()]));

  const note = (id: number, text: string) => `update things set note = note || '${text}' where id = ${id}`;

  const notes = async () =>
    (await query<{ note: string }>(url, 'select note from things order by id')).map((row) => row.note);

  it('a transaction is repeated until the lock of a table is free, and takes effect once', async () => {
    await other.query('begin; lock table things in share mode');
    let tries = 0;
    const done = lockBriefly(
      own,
      async () => {
        tries++;
        await own.query('alter table things add column late text');
      },
      TRIES,
    );
    await until(
      () => tries > 2,
      () => 'it is not repeated',
    );
    await other.query('commit');
    await done;
    const { rows } = await own.query(
      `select from pg_attribute where attname = 'late' and attrelid = 'things'::regclass`,
    );
    expect(rows).to.have.length(1);
  });

  it('a transaction is repeated after a deadlock', async () => {
    // The first to look for deadlocks is the one that finds it, and ends.
    await own.query(`set deadlock_timeout = '10ms'`);
    await other.query(`set deadlock_timeout = '1h'`);
    await other.query('begin');
    await other.query(note(2, 'b'));
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    const codes: string[] = [];
    let waiting: Promise<unknown> | undefined;
    await retryOnLocks(async () => {
      await own.query('begin');
      try {
        await own.query(note(1, 'a'));
        waiting ??= other.query(note(1, 'b')).then(() => other.query('commit'));
        await until(
          async () =>
            codes.length > 0 ||
            (
              await query(url, `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`, [
                rows[0]?.pid,
              ])
            ).length > 0,
          () => 'the other transaction does not wait',
        );
        await own.query(note(2, 'a'));
        await own.query('commit');
      } catch (error) {
        codes.push(String((error as { code?: string }).code));
        await own.query('rollback');
        throw error;
      }
    }, TRIES);
    await waiting;
    expect(codes).to.deep.equal(['40P01']);
    expect(await notes()).to.deep.equal(['ba', 'ba']);
  });

  it('a transaction ends with the error of its last try, or with one that is not about locks, and leaves nothing open', async () => {
    await other.query('begin; lock table things in share mode');
    const locked = await lockBriefly(own, () => own.query(note(1, 'c')), { tries: 2, pauseMs: 1 }).catch(
      (error: Error) => error,
    );
    expect(locked).to.have.property('code', '55P03');
    await other.query('rollback');
    let tries = 0;
    const failed = await retryOnLocks(async () => {
      tries++;
      await own.query('select 1 / 0');
    }, TRIES).catch((error: Error) => error);
    expect(failed).to.have.property('code', '22012');
    expect(tries).to.equal(1);
    const { rows } = await own.query<{ unchanged: boolean }>(
      `select current_setting('lock_timeout') = '0' as unchanged`,
    );
    expect(rows).to.deep.equal([{ unchanged: true }]);
  });
});
