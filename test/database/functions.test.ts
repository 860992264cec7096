import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { FUNCTION_FILES, REPLACEABLE_FILES, SCHEMA } from '../../src/platform/database/schema-files.ts';
import { createDatabase, query } from '../harness/database.ts';
import { checkout } from '../harness/processes.ts';

/** Parts of the header of an SQL function, in their order. */
const HEADER = [
  /^-- \S/,
  /^-- Arguments:/m,
  /^-- Returns:/m,
  /^-- Locks[:,]/m,
  /^-- Callers: /m,
  /^-- Why in the database: /m,
];

interface FunctionFile {
  path: string;
  /** Name of the function that the file must define. */
  name: string;
  header: string;
  statement: string;
}

/** Functions that processes of 2.0.0 still call. */
const { text: FORMER = '' } = REPLACEABLE_FILES.find(({ name }) => name === 'database/release-2.0.0') ?? {};

const files: FunctionFile[] = FUNCTION_FILES.map(({ name: path, text }) => {
  const start = text.search(/^(?!--)/m);
  const name = basename(path).replaceAll('-', '_');
  return { path, name, header: text.slice(0, start), statement: text.slice(start) };
});

describe('SQL functions', () => {
  it('SQL functions have one file each, named as the function and without any other statement', () => {
    const offences = files.filter(({ name, statement }) => {
      const starts = statement.match(/^create\b.*$/gm) ?? [];
      return !statement.startsWith(`create or replace function ${name}(`) || starts.length !== 1;
    });
    expect(offences.map(({ path }) => path)).to.deep.equal([]);
    expect(files.length).to.be.above(9);
  });

  it('SQL functions state arguments, results, locks, callers and the reason to be in the database', () => {
    const offences = files.flatMap(({ path, header }) => {
      const places = HEADER.map((part) => header.search(part));
      return places.every((place, i) => place >= 0 && (i === 0 || place > (places[i - 1] ?? 0))) ? [] : [path];
    });
    expect(offences).to.deep.equal([]);
  });

  it('SQL functions name exactly the files and functions that call them', () => {
    const sources = globSync('src/**/*.ts', { cwd: checkout }).map((path) => ({
      path,
      text: readFileSync(join(checkout, path), 'utf8').replaceAll(/^\s*(\/?\*|\/\/).*$/gm, ''),
    }));
    const triggers = {
      path: 'src/platform/database/triggers.sql',
      text: readFileSync(join(checkout, 'src/platform/database/triggers.sql'), 'utf8'),
    };
    const offences = files.flatMap(({ path, name, header }) => {
      const isCalled = new RegExp(`\\b${name}\\(`);
      const callers = [
        ...files.filter((other) => other.name !== name && isCalled.test(other.statement)).map((other) => other.name),
        ...[...sources, triggers].filter(({ text }) => isCalled.test(text)).map((source) => source.path),
      ];
      const [, named = ''] = /^-- Callers: (.*(?:\n-- {3}.*)*)/m.exec(header) ?? [];
      const stated = named.replaceAll(/\n-- +/g, ' ').split(/, /);
      return stated.toSorted().join() === callers.toSorted().join() && callers.length > 0
        ? []
        : [`${path} states ${stated.join()}; callers are ${callers.join()}`];
    });
    expect(offences).to.deep.equal([]);
  });

  it('SQL functions of a migrated database are those of the files', async () => {
    const deployed = await query<{ name: string }>(
      await createDatabase(),
      `select proname as name from pg_proc where pronamespace = 'public'::regnamespace`,
    );
    const [, ...former] = FORMER.split('create or replace function ').map((text) => text.split('(')[0] ?? '');
    const ofSchema = [...SCHEMA.text.matchAll(/^create function (\w+)/gm)].map(([, name]) => name);
    const written = [...files.map(({ name }) => name), ...former, ...ofSchema];
    expect(deployed.map(({ name }) => name).toSorted()).to.deep.equal(written.toSorted());
  });

  it('SQL functions have bodies that PostgreSQL accepts, whatever the order of their creation', async () => {
    const url = await createDatabase();
    await query(url, `set check_function_bodies = on; ${files.map(({ statement }) => statement).join('\n')}`);
  });
});

describe('Triggers', () => {
  it('triggers of a migrated database are those of the file', async () => {
    const { text = '' } = REPLACEABLE_FILES.find(({ name }) => name === 'database/triggers') ?? {};
    const deployed = await query<{ name: string }>(
      await createDatabase(),
      `select tgname as name from pg_trigger t join pg_class c on c.oid = tgrelid
       where not tgisinternal and relnamespace = 'public'::regnamespace`,
    );
    const written = [...text.matchAll(/^create or replace trigger (\w+)/gm)].map(([, name]) => name);
    expect(deployed.map(({ name }) => name).toSorted()).to.deep.equal(written.toSorted());
    expect(written).to.have.length.above(1);
  });
});
