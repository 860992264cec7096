import { expect } from 'chai';
import { databaseFigures, type Figures, growthViolations } from '../../scripts/soak/figures.ts';
import { readTables, type TableFigures } from '../../scripts/soak/tables.ts';
import { queryOn } from '../../scripts/trial/setup.ts';
import { createDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';

const LINKS_PER_MINUTE = 600;

const calm: Figures = {
  ...{ minute: 1, links: 600, createP99Ms: 25, apiMb: 150, workerMb: 160, waiting: 40 },
  ...{ databaseMb: 90, deadRows: 20_000, vacuums: 9, tables: {} },
};

const hour = (last: Partial<Figures>) =>
  Array.from({ length: 60 }, (_, index) => ({
    ...{ ...calm, minute: index + 1, links: (index + 1) * LINKS_PER_MINUTE },
    ...(index >= 45 ? last : {}),
  }));

/** An hour of one table, minute by minute. Without another value, it grows by 6 kB per link, and is vacuumed each minute. */
const hourOf = (figuresAt: (minute: number) => Partial<TableFigures>) =>
  hour({}).map((row) => ({
    ...row,
    tables: {
      deliveries: {
        ...{ bytes: row.links * 6_000, deadRows: 900, threshold: 1_000, vacuums: row.minute },
        ...figuresAt(row.minute),
      },
    },
  }));

describe('figures of make soak', function () {
  this.timeout(120_000);

  it('figures of an hour that stays as it is are flat, whatever their size', () => {
    expect(growthViolations(hour({}))).to.deep.equal([]);
    expect(growthViolations(hour({ databaseMb: 9_000, deadRows: 900_000 }))).to.deep.equal([]);
    expect(growthViolations(hourOf(() => ({})))).to.deep.equal([]);
  });

  it('figures that grow are named with both values', () => {
    expect(growthViolations(hour({ apiMb: 250 }))).to.deep.equal(['apiMb grew from 150 to 250']);
    expect(growthViolations(hour({ createP99Ms: 500, waiting: 5_000 }))).to.deep.equal([
      'createP99Ms grew from 25 to 500',
      'waiting grew from 40 to 5000',
    ]);
    expect(growthViolations(hour({ vacuums: 60 }))).to.deep.equal(['vacuums grew from 9 to 60']);
  });

  it('a table may grow with the links, and is named if it grows faster', () => {
    const faster = hourOf((minute) => ({ bytes: 6_000 * LINKS_PER_MINUTE * (minute + 2 * Math.max(0, minute - 45)) }));
    expect(growthViolations(faster)).to.deep.equal(['deliveries grew by 6000, and later by 18000 bytes per link']);
    const smaller = hourOf((minute) => ({ bytes: minute < 40 ? 9_000_000 : 8_192 }));
    expect(growthViolations(smaller)).to.deep.equal([]);
    const leaking = hourOf((minute) => ({ bytes: minute <= 30 ? 0 : (minute - 30) * LINKS_PER_MINUTE * 501 }));
    expect(growthViolations(leaking)).to.deep.equal(['deliveries grew by 0, and later by 501 bytes per link']);
  });

  it('a table is named if it has too many dead rows for more than ten minutes, and autovacuum does not come', () => {
    const vacuums = (minute: number) => Math.min(minute, 20) + (minute > 31 ? 1 : 0);
    const late = hourOf((minute) => ({ deadRows: minute > 20 && minute < 45 ? 5_000 : 0, vacuums: vacuums(minute) }));
    expect(growthViolations(late)).to.deep.equal(['deliveries waited for autovacuum for 12 minutes']);
    const inTime = hourOf((minute) => ({ deadRows: minute > 20 && minute <= 30 ? 5_000 : 0, vacuums: 0 }));
    expect(growthViolations(inTime)).to.deep.equal([]);
    const alwaysBusy = hourOf((minute) => ({ deadRows: 5_000, vacuums: Math.floor(minute / 10) }));
    expect(growthViolations(alwaysBusy)).to.deep.equal([]);
  });

  it('figures of tables are read from the database, with the settings of each table', async () => {
    const url = await createDatabase();
    const read = () => readTables(queryOn(url));
    const before = await read();
    await query(url, 'create table usual (id integer primary key)');
    await query(
      url,
      `create table own (id integer) with (autovacuum_enabled = off, autovacuum_vacuum_threshold = 7,
         autovacuum_vacuum_scale_factor = 0.5)`,
    );
    await query(url, 'insert into own select generate_series(1, 1000)');
    await query(url, 'analyze own');
    await query(url, 'delete from own');
    await until(async () => (await read()).own?.deadRows === 1_000, 'the dead rows are not reported');
    const after = await read();
    expect(after.usual).to.deep.equal({ bytes: 8_192, deadRows: 0, threshold: 50, vacuums: 0 });
    expect(after.own).to.include({ deadRows: 1_000, threshold: 507, vacuums: 0 });
    expect(after).to.include.keys('pg_catalog.pg_class', 'graphile_worker._private_jobs', 'payment_links');
    expect(databaseFigures(after, before).databaseMb).to.be.above(1);
  });
});
