import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkout } from '../harness/processes.ts';

const page = readFileSync(join(checkout, 'docs/security.md'), 'utf8');

/** Titles of tests in a text, each with the file that stands before it. */
function citedTests(text: string): [file: string, title: string][] {
  let file = '';
  return [...text.matchAll(/`(test\/[^`]+\.test\.ts)`|“([^”]+)”/g)].flatMap(([, path, title]) => {
    if (path !== undefined) file = path;
    const cited: [string, string][] = file === '' || title === undefined ? [] : [[file, title]];
    return cited;
  });
}

/** Returns the titles of a file's tests. A title with values is compared by a part of it. */
function titlesIn(file: string): string[] {
  const text = existsSync(join(checkout, file)) ? readFileSync(join(checkout, file), 'utf8') : '';
  return [...text.matchAll(/\bit\(\s*(['`])([\s\S]*?)\1[,)]/g)].map(([, , title = '']) => title);
}

/** Rows of the tables of attacks, without their heads. */
const attacks = (() => {
  const tables = page.split(/^\| attack \| prevented by \| proven by \|\n\|---\|---\|---\|\n/m).slice(1);
  return tables.flatMap((text) => (text.split('\n\n')[0] ?? '').split('\n'));
})();

/** Tables without data of people, secrets and addresses. Those of the sandbox have invented payments, and a secret that protects no others. */
const HARMLESS = [
  ...['schema_functions', 'job_runner_heartbeats', 'page_assets'],
  ...['locations', 'practice_logos', 'memberships', 'membership_locations', 'sent_forms', 'passkey_challenges'],
  ...['daily_link_counts', 'payment_admin_mails', 'bank_reversals', 'webhook_attempts', 'test_event_readers'],
  ...['sandbox.secret', 'sandbox.payments', 'sandbox.refunds', 'sandbox.disputes', 'sandbox.open_disputes'],
];

describe('the security model', () => {
  it('every test that the page cites is the title of a test in the named file', () => {
    const cited = citedTests(page);
    expect(cited.length).to.be.above(100);
    const lost = cited.filter(([file, title]) => !titlesIn(file).some((known) => known.includes(title)));
    expect(lost).to.deep.equal([]);
  });

  it('every attack of the page names a guard, and a test that proves it', () => {
    expect(attacks.length).to.be.above(50);
    const unproven = attacks.filter((row) => {
      const [, guard = '', proof = ''] = row.split(' | ');
      return !guard.includes('`') || citedTests(proof).length === 0;
    });
    expect(unproven).to.deep.equal([]);
  });

  it('every source that the page names as a guard exists below src/', () => {
    const named = attacks.flatMap((row) => [...row.matchAll(/`([\w/.-]+(?:\.(?:ts|sql)|\/))`/g)]);
    const paths = named.map(([, path = '']) => path).filter((path) => !path.startsWith('test/'));
    expect(paths.length).to.be.above(40);
    expect(paths.filter((path) => !existsSync(join(checkout, 'src', path)))).to.deep.equal([]);
  });

  it('the data map names every table with data that a review asks about, and no table that does not exist', () => {
    const schema = readFileSync(join(checkout, 'src/platform/database/schema.sql'), 'utf8');
    const tables = [...schema.matchAll(/^create (?:unlogged )?table ([\w.]+) \(/gm)].map(([, name = '']) => name);
    const [, map = ''] = page.split('\n## Data map\n');
    const places =
      map
        .split('\n## ')[0]
        ?.split('\n')
        .map((row) => row.split(' | ')[1] ?? '') ?? [];
    const named = places.flatMap((place) => [...place.matchAll(/`(\w+)`/g)]).map(([, name = '']) => name);
    const schemas = ['graphile_worker'];
    expect([...new Set(named)].filter((name) => !schemas.includes(name))).to.have.members(
      tables.filter((name) => !HARMLESS.includes(name)),
    );
    expect(HARMLESS.filter((name) => !tables.includes(name))).to.deep.equal([]);
  });
});
