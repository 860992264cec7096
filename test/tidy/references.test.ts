import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('docs/**/*.md', { cwd: root }),
];

/** Names and versions of the packages that the project declares. */
const PACKAGES = [manifest.dependencies, manifest.optionalDependencies, manifest.devDependencies].flatMap((group) =>
  Object.entries<string>(group),
);

const TOP_FOLDERS = ['src', 'test', 'scripts', 'proofs', 'docs', 'examples', 'generated', 'packages', '.ci'];

/** A path without blanks, placeholders or wildcards. Addresses of a service begin with a slash, so they do not match. */
const PATH = /^[\w.@-]+(\/[\w.@-]+)*\/?$/;

/** Extensions that only our own files have. */
const OUR_EXTENSION = /\.(ts|md|sql)$/;

/** Names of all our files, for references that name a file without its folder. */
const names = new Set(
  globSync([...TOP_FOLDERS.map((folder) => `${folder}/**/*`), '*'], { cwd: root }).map((path) => basename(path)),
);

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Paths between backticks: those that begin with a folder of ours, and those that end like a file of ours. */
function quotedPaths(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)]
    .map(([, quoted = '']) => quoted)
    .filter((quoted) => PATH.test(quoted))
    .filter((quoted) => OUR_EXTENSION.test(quoted) || TOP_FOLDERS.some((folder) => quoted.startsWith(`${folder}/`)));
}

/** Links to files and headings, as the page has them. */
function linkTargets(text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** Returns the parts of a page to which links can lead. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('References to files', () => {
  it('references in the documentation name paths that exist, from the root, from src/ or from their own folder', () => {
    const missing = PAGES.flatMap((page) =>
      quotedPaths(read(page))
        .filter((path) => !['.', 'src', dirname(page)].some((folder) => existsSync(join(root, folder, path))))
        .filter((path) => path.includes('/') || !names.has(path))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('links in the documentation lead to files and headings that exist', () => {
    const missing = PAGES.flatMap((page) =>
      linkTargets(read(page))
        .filter((target) => {
          const [path = '', anchor] = target.split('#');
          const file = path === '' ? page : join(dirname(page), path);
          if (!existsSync(join(root, file))) return true;
          // The site adds parts to guides, and its own test follows the links between them.
          if (anchor === undefined || !file.endsWith('.md') || file.startsWith('docs/guides/')) return false;
          return !anchorsOf(file).includes(anchor);
        })
        .map((target) => `${page}: ${target}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('the documentation names files of operations/ and targets of make that exist', () => {
    const targets = [...read('Makefile').matchAll(/^([a-z-]+):.*##/gm)].map(([, name]) => name);
    const missing = PAGES.filter((page) => page !== 'CHANGELOG.md' && !page.startsWith('docs/decisions/')).flatMap(
      (page) => {
        const text = read(page);
        const paths = [...text.matchAll(/(?<!test\/)operations\/[\w./@-]*[\w/]/g)].map(([path]) => path);
        const made = [...text.matchAll(/`(?:\w+=\S+ )*make ([a-z-]+)/g)].map(([, name = '']) => name);
        return [
          ...paths.filter((path) => !path.endsWith('.md') && !existsSync(join(root, path))),
          ...made.filter((name) => !targets.includes(name)),
        ].map((name) => `${page}: ${name}`);
      },
    );
    expect(missing).to.deep.equal([]);
  });

  it('references to decisions, in comments and in the documentation, name pages that exist', () => {
    const files = [
      ...PAGES,
      ...globSync(['src/**/*.{ts,sql,js,css}', 'test/**/*.ts', '{scripts,proofs}/**/*.ts'], { cwd: root }),
    ];
    const missing = files.flatMap((file) =>
      [...read(file).matchAll(/\b\d{4}-[a-z][a-z0-9-]*\.md\b/g)]
        .filter(([page]) => !existsSync(join(root, 'docs/decisions', page)))
        .map(([page]) => `${file}: ${page}`),
    );
    expect(missing).to.deep.equal([]);
  });
});

describe('Lists in the documentation', () => {
  it('packages each have a line in docs/dependencies.md, and no line is about a package that is gone', () => {
    const rows = read('docs/dependencies.md').matchAll(/^\| `[^|]*/gm);
    const explained = [...rows].flatMap(([cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    expect(explained.toSorted()).to.deep.equal(PACKAGES.map(([name]) => name).toSorted());
  });

  it('packages are pinned to one exact version', () => {
    const exact = /^(npm:@?[^@]+@)?\d+\.\d+\.\d+(-[\w.]+)?$|^file:/;
    expect(PACKAGES.filter(([, version]) => !exact.test(version))).to.deep.equal([]);
  });

  it('statements by hand stand only in files that the decision page lists with a reason', () => {
    const listed = [...read('docs/decisions/0031-orm-or-sql.md').matchAll(/^\| `(src\/[\w/-]+\.ts)` \| \w/gm)];
    const usesSql = /^import \{[^}]*\bsql\b[^}]*\} from '[^']*\/sql\.ts'|\bimport\('[^']*\/sql\.ts'\)/m;
    const users = globSync('src/**/*.ts', { cwd: root }).filter((path) => usesSql.test(read(path)));
    expect(listed.map(([, path]) => path).toSorted()).to.deep.equal(users.toSorted());
  });
});
