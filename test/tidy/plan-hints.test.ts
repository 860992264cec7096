import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PLAN_HINTS } from '../../src/platform/database/query/plan-hints.ts';
import { checkout } from '../harness/processes.ts';

const MODULE = 'src/platform/database/query/plan-hints.ts';

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');

describe('Plan hints', () => {
  const sources = globSync('src/**/*.{ts,sql}', { cwd: checkout }).filter((path) => path !== MODULE);
  const listed = [...read(MODULE).matchAll(/^ \* - ([A-Z_]+): /gm)].map(([, name]) => name);

  it('within statements have a name, and the list in their module is that of the names in use', () => {
    const used = sources.flatMap((path) => [...read(path).matchAll(/[Pp]lan hint ([A-Z_]+)/g)].map(([, name]) => name));
    expect(listed).to.deep.equal([...new Set(used)].toSorted());
    expect(listed).to.have.length.above(5);
  });

  it('each have a measurement, or the words "not measured", in the decision page', () => {
    const page = read('docs/decisions/0022-query-plans.md');
    const rows = new Set([...page.matchAll(/^\| `(\w+)`[^|]*\|[^|]+\|[^|\n]+\|$/gm)].map(([, name]) => name));
    const settings = Object.keys(PLAN_HINTS);
    expect([...listed, ...settings, 'rememberPlan', 'batchStatement'].filter((name) => !rows.has(name))).to.deep.equal(
      [],
    );
  });

  it('stand nowhere else: no other file sets or evades a plan without a name', () => {
    const nameless = sources.filter((path) => {
      const text = read(path);
      return (
        /\boffset 0\b|\bas materialized\b|plan_cache_mode|enable_\w+ ?=|force_\w+_plan/.test(text) &&
        !/[Pp]lan hint [A-Z_]+/.test(text)
      );
    });
    expect(nameless).to.deep.equal([]);
  });
});
