import { expect } from 'chai';
import { parseIndexes } from '../../src/platform/database/index-builds.ts';
import { MIGRATIONS } from '../../src/platform/database/schema-files.ts';

/** A statement that processes of the release before would notice, or that keeps a lock for as long as a table is large. */
interface Rule {
  name: string;
  /** Finds the breach in one statement without comments, in lower case. */
  pattern: RegExp;
  /** A statement that breaks the rule. */
  example: string;
}

/** Rules of docs/decisions/0048-migrations-under-load.md. */
const RULES: readonly Rule[] = [
  {
    name: 'drops nothing that the release before reads',
    pattern: /\bdrop (table|column|view|type|schema|index)\b|\balter table \S+ drop (?!constraint|default|not null)/,
    example: 'alter table patients drop column phone',
  },
  { name: 'renames nothing', pattern: /\brename\b/, example: 'alter table patients rename phone to telephone' },
  {
    name: 'changes no type, which rewrites the table and ends prepared statements',
    pattern: /\balter (column )?\w+ (set data )?type\b/,
    example: 'alter table patients alter column phone type varchar(20)',
  },
  {
    name: 'makes no present column mandatory, which the release before may leave out',
    pattern: /\bset not null\b/,
    example: 'alter table patients alter phone set not null',
  },
  {
    name: 'adds no mandatory column without a constant default',
    pattern: /\badd (column )?(if not exists )?\w+ [^,]*\bnot null\b(?![^,]*\bdefault\b)/,
    example: 'alter table patients add column language text not null',
  },
  {
    name: 'adds no column whose default is computed per row, which rewrites the table',
    pattern: /\badd (column )?(if not exists )?\w+ [^,]*\bdefault [\w.]+\(/,
    example: 'alter table patients add column seen_at timestamptz default clock_timestamp()',
  },
  {
    name: 'adds a constraint to a present table as "not valid", because a check of all rows keeps a lock',
    pattern:
      /^alter table .*\badd (constraint \w+ )?(check|foreign key|unique|primary key|exclude)\b(?!.*\b(not valid|using index)\b)/,
    example: 'alter table patients add constraint patients_phone check (phone like $$+%$$)',
  },
  {
    name: 'changes no rows, because one transaction would keep all of them locked',
    pattern: /^(update|delete|truncate|insert|with)\b/,
    example: 'update patients set phone = null',
  },
];

/** Breaches of released migrations, with the reason why they are bearable. */
const ACCEPTED: readonly [migration: string, rule: string, reason: string][] = [
  [
    '0119-search-index',
    'drops nothing',
    'only searches of the console read the dropped indexes, and get slower for a while',
  ],
  [
    '0143-erased-patients-owe-nothing',
    'changes no rows',
    'it adds few rows to a table that the release before does not know',
  ],
  ['0131-owed-amounts', 'drops nothing', 'the new index serves the statements that read the dropped one'],
  ['0148-narrow-audit-indexes', 'drops nothing', 'the new indexes serve the statements that read the dropped ones'],
  ['0150-narrow-indexes', 'drops nothing', 'the new indexes serve the statements that read the dropped ones'],
  ['0148-requests-by-practice', 'drops nothing', 'another index serves the list, which has at most three days'],
];

/** Returns the statements of a migration, without comments, in one line each. */
function statementsOf(text: string): string[] {
  return text
    .replaceAll(/--[^\n]*/g, '')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((statement) => statement !== '');
}

/** Returns the tables that statements of this kind name. */
function tablesOf(text: string, pattern: RegExp): string[] {
  return statementsOf(text).flatMap((statement) => pattern.exec(statement)?.[1] ?? []);
}

describe('the migrations after 2.0.0, which are installed without a stop,', () => {
  for (const { name, pattern, example } of RULES) {
    it(`a migration ${name}`, () => {
      expect(example).to.match(pattern);
      const breaches = MIGRATIONS.flatMap((migration) =>
        statementsOf(migration.text)
          .filter((statement) => pattern.test(statement))
          .filter(() => !ACCEPTED.some(([file, rule]) => file === migration.name && name.startsWith(rule)))
          .map((statement) => `${migration.name}: ${statement}`),
      );
      expect(breaches).to.deep.equal([]);
    });
  }

  it('a migration creates indexes in a form that migrate recognises, so that it can build them without locking the table', () => {
    for (const { name, text } of MIGRATIONS) {
      const created = statementsOf(text).filter((statement) => /\bcreate (unique )?index\b/.test(statement));
      expect(parseIndexes(text).length, name).to.equal(created.length);
    }
  });

  it('a migration indexes no column that it adds to a present table, because the index is built before the column is there', () => {
    for (const { name, text } of MIGRATIONS) {
      const altered = tablesOf(text, /^alter table (\w+) add (?!constraint)/);
      const created = tablesOf(text, /^create table (?:if not exists )?([\w.]+)/);
      const indexed = parseIndexes(text).map(({ table }) => table);
      expect(
        indexed.filter((table) => altered.includes(table) && !created.includes(table)),
        name,
      ).to.deep.equal([]);
    }
  });
});
