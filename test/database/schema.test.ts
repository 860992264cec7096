import type { MikroORM } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import pg from 'pg';
import { createOrm } from '../../src/main/processes/shared.ts';
import { ATTEMPT, DISPUTE, LINK, REFUND, TRANSACTION } from '../../src/payment-links/model/transitions.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { statesBefore } from '../../src/platform/base/state-machine.ts';
import { migrate, readUsableSchema } from '../../src/platform/database/migrate.ts';
import { listColumns as entityColumns } from '../../src/platform/database/query/columns.ts';
import { DELIVERY, ENDPOINT } from '../../src/webhooks/model/transitions.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createDatabase, createEmptyDatabase, MIGRATED_NAMES, query } from '../harness/database.ts';
import { GLOBAL_TABLES, ROWS } from './tenant-tables.ts';

interface Column {
  table_name: string;
  column_name: string;
  is_nullable: string;
  data_type: string;
  column_default: string | null;
}

const log = createLogger('silent');

/** Column types in which a property of an entity may be stored. */
const STORED_AS: Record<string, string[]> = {
  string: ['text'],
  Buffer: ['bytea'],
  number: ['integer', 'smallint'],
  bigint: ['bigint'],
  boolean: ['boolean'],
  Date: ['timestamp with time zone'],
  array: ['ARRAY'],
  'string[]': ['ARRAY'],
  object: ['json'],
  any: ['json'],
};

describe('the schema', () => {
  let url: string;
  let orm: MikroORM;
  let columns: Column[];

  before(async () => {
    url = await createDatabase();
    orm = createOrm(url, log, 1);
    columns = await query<Column & Record<string, string>>(
      url,
      `select table_name, column_name, is_nullable, data_type, column_default
       from information_schema.columns where table_schema = 'public'`,
    );
  });

  after(() => orm.close());

  const entities = () => [...orm.getMetadata().getAll().values()].filter(({ tableName }) => tableName !== undefined);
  const listColumns = (table: string) =>
    new Map(columns.filter(({ table_name }) => table_name === table).map((column) => [column.column_name, column]));

  it('statements name the columns of each entity as the ORM does', () => {
    for (const { class: entity, tableName, props } of entities()) {
      if (props.some(({ kind }) => kind !== 'scalar')) continue;
      const mapped = props
        .filter(({ fieldNames }) => fieldNames !== undefined)
        .map(({ name, fieldNames, runtimeType }) => [name, fieldNames[0], runtimeType === 'Date']);
      const listed = entityColumns(entity).map(({ property, name, isTime }) => [property, name, isTime]);
      expect(listed, tableName).to.have.deep.members(mapped);
    }
  });

  it('the schema has every mapped column, of a fitting type, null where the entity says so and nowhere else', () => {
    const faults: string[] = [];
    expect(entities().length).to.be.above(10);
    for (const { tableName, props } of entities()) {
      const own = listColumns(tableName);
      for (const { fieldNames, nullable = false, runtimeType } of props.filter(({ persist }) => persist !== false)) {
        const [name = ''] = fieldNames ?? [];
        const column = own.get(name);
        if (column === undefined) faults.push(`${tableName}.${name} is missing`);
        else {
          if ((column.is_nullable === 'YES') !== nullable) faults.push(`${tableName}.${name}: nullable differs`);
          if (!STORED_AS[runtimeType]?.includes(column.data_type)) {
            faults.push(`${tableName}.${name}: ${runtimeType} in ${column.data_type}`);
          }
        }
      }
    }
    expect(faults).to.deep.equal([]);
  });

  it('the schema asks for no column of an entity’s table that the entity does not know, unless it has a default or is written by SQL', () => {
    const writtenBySql = [
      'webhook_deliveries.delivery_run',
      'webhook_attempts.endpoint_id',
      'webhook_attempts.lease_epoch',
      'webhook_attempts.practice_id',
    ];
    const demanding = entities().flatMap(({ tableName, props }) => {
      const known = new Set(props.flatMap(({ fieldNames }) => fieldNames ?? []));
      return [...listColumns(tableName).values()]
        .filter(
          (column) => !known.has(column.column_name) && column.is_nullable === 'NO' && column.column_default === null,
        )
        .map((column) => `${tableName}.${column.column_name}`);
    });
    expect(demanding.toSorted()).to.deep.equal(writtenBySql.toSorted());
  });

  for (const [table, machine] of [
    ['payment_links', LINK],
    ['payment_attempts', ATTEMPT],
    ['transactions', TRANSACTION],
    ['refunds', REFUND],
    ['disputes', DISPUTE],
    ['webhook_endpoints', ENDPOINT],
    ['webhook_deliveries', DELIVERY],
  ] as const) {
    it(`${table} admits the states of its machine and no others`, async () => {
      const checks = await query<{ rule: string }>(
        url,
        `select pg_get_constraintdef(oid) as rule from pg_constraint
         where conrelid = $1::regclass and contype = 'c' and pg_get_constraintdef(oid) ~ '^CHECK \\(\\(status = ANY'`,
        [table],
      );
      const states = [...(checks[0]?.rule ?? '').matchAll(/'(\w+)'::text/g)].map(([, state]) => state);
      expect(states.toSorted()).to.deep.equal(Object.keys(machine).toSorted());
    });
  }

  it('the schema allows a link one open attempt, one payment that did not fail, and one open dispute without a processor', async () => {
    const rows = await query<{ name: string; columns: string; rule: string }>(
      url,
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as columns,
         pg_get_expr(indpred, indrelid) as rule
       from pg_index where indisunique and indpred is not null`,
    );
    const statesOf = (name: string) => {
      const { columns = '', rule = '' } = rows.find((row) => row.name === name) ?? {};
      expect(columns, name).to.match(/^CREATE UNIQUE INDEX .* \(payment_link_id\) WHERE/);
      return [...rule.matchAll(/'(\w+)'::text/g)].map(([, state]) => state).toSorted();
    };
    expect(statesOf('payment_attempts_one_open')).to.deep.equal(statesBefore(ATTEMPT, 'accept').toSorted());
    expect(statesOf('transactions_one_payment'), 'all but this').to.deep.equal(['failed']);
    expect(statesOf('disputes_one_open')).to.deep.equal(['open']);
  });

  it('the index of what is due covers exactly the states that wait for an attempt', async () => {
    const [row] = await query<{ rule: string }>(
      url,
      `select pg_get_expr(indpred, indrelid) as rule from pg_index where indexrelid = 'webhook_deliveries_due'::regclass`,
    );
    const states = [...(row?.rule ?? '').matchAll(/'(\w+)'::text/g)].map(([, state]) => state);
    expect(states.toSorted()).to.deep.equal(statesBefore(DELIVERY, 'succeed').toSorted());
  });

  it('each table carries its practice, never null, or has a written reason why not', async () => {
    const tables = await query<{ name: string; carries: boolean | null }>(
      url,
      `select c.oid::regclass::text as name, a.attnotnull as carries
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
         left join pg_attribute a on a.attrelid = c.oid and a.attname = 'practice_id' and not a.attisdropped
       where n.nspname in ('public', 'sandbox') and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'practices'`,
    );
    const without = tables.filter(({ carries }) => carries !== true).map(({ name }) => name);
    expect(without.toSorted()).to.deep.equal(Object.keys(GLOBAL_TABLES).toSorted());
    for (const [name, reason] of Object.entries(GLOBAL_TABLES)) expect(reason, name).to.have.length.above(10);
    expect(tables.length).to.be.above(40);
  });

  it('the rows of a practice are found through an index in each table', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    afterThisTest(() => client.end());
    const { rows: tables } = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname in ('public', 'sandbox') and c.relkind in ('r', 'p') and not c.relispartition`,
    );
    await client.query('set enable_seqscan = off');
    const scanned: string[] = [];
    for (const { name } of tables) {
      if (name in GLOBAL_TABLES) continue;
      const plan = await client.query(`explain select from ${name} where ${ROWS[name] ?? 'practice_id = $1'}`, [
        'prac_1',
      ]);
      if (/Seq Scan on (?!practices|api_keys)/.test(JSON.stringify(plan.rows))) scanned.push(name);
    }
    expect(scanned).to.deep.equal([]);
  });

  it('migrations bring an empty database up to date, once when three calls apply them at the same time', async () => {
    const empty = await createEmptyDatabase();
    const applied = await Promise.all([migrate(empty, log), migrate(empty, log), migrate(empty, log)]);
    expect(applied.flat()).to.deep.equal(MIGRATED_NAMES);
    const own = createOrm(empty, log, 1);
    afterThisTest(() => own.close());
    expect(await readUsableSchema(own.em.fork())).to.deep.include({ pendingMigrations: [], changedFiles: [] });
  });
});
