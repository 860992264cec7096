import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkout } from '../harness/processes.ts';

const PAGE = 'docs/decisions/0031-orm-or-sql.md';

describe('Statements by hand', () => {
  it('stand only in files that the decision page lists with a reason', () => {
    const page = readFileSync(join(checkout, PAGE), 'utf8');
    const listed = [...page.matchAll(/^\| `(src\/[\w/-]+\.ts)` \| \w/gm)].map(([, path]) => path);
    const users = globSync('src/**/*.ts', { cwd: checkout }).filter((path) =>
      /^import \{[^}]*\bsql\b[^}]*\} from '[^']*\/sql\.ts'|\bimport\('[^']*\/sql\.ts'\)/m.test(
        readFileSync(join(checkout, path), 'utf8'),
      ),
    );
    expect(listed.toSorted()).to.deep.equal(users.toSorted());
  });
});
