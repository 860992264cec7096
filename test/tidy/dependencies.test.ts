import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };

/** Names in the first column of the page's tables. */
function explained(): string[] {
  const page = readFileSync(new URL('../../docs/dependencies.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

const groups = [manifest.dependencies, manifest.optionalDependencies, manifest.devDependencies];

describe('Dependencies', () => {
  it('packages each have a line in docs/dependencies.md, and no line is about a package that is gone', () => {
    const declared = groups.flatMap((group) => Object.keys(group));
    expect(explained().toSorted()).to.deep.equal(declared.toSorted());
  });

  it('packages are pinned to one exact version', () => {
    const loose = groups.flatMap((group) =>
      Object.entries(group).filter(([, version]) => !/^(npm:@?[^@]+@)?\d+\.\d+\.\d+(-[\w.]+)?$|^file:/.test(version)),
    );
    expect(loose).to.deep.equal([]);
  });
});
