import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { apiScopes, document } from '../../src/contract/document.ts';
import { listFields } from '../../src/contract/fields.ts';
import { valueAt } from '../../src/contract/json-pointer.ts';
import { SOURCES } from '../../src/documentation/content/downloads.ts';
import { checkout } from '../harness/processes.ts';

/** Returns the values of the contract's list, closed or open. */
function enumOf(pointer: string): string[] {
  const schema = Object(valueAt(document, `#/components/schemas/${pointer}`));
  return schema.enum ?? schema['x-extensible-enum'];
}

/** Returns the code in the first column of the guide's table whose header begins with the text. */
function firstColumn(guide: string, header: string): string[] {
  const text = readFileSync(join(checkout, 'docs/guides', `${guide}.md`), 'utf8');
  const [, table = ''] = text.split(`\n| ${header} |`);
  const [rows = ''] = table.split('\n\n');
  return [...rows.matchAll(/^\| `([^`]+)`/gm)].map(([, value = '']) => value);
}

describe('tables of the guides', () => {
  for (const [name, guide, header, values] of [
    ['statuses of a link', 'index', 'status', enumOf('PaymentLinkStatus')],
    ['scopes', 'authentication', 'scope', apiScopes],
    ['event types', 'webhooks', 'type', enumOf('EventType')],
    ['statuses of a delivery', 'webhooks', 'delivery', enumOf('WebhookDeliveryStatus')],
    ['outcomes of a simulation', 'testing', 'outcome', enumOf('SimulatePaymentLinkRequest/properties/outcome')],
    ['statuses of a transaction', 'paging', '`transaction.status`', enumOf('Transaction/properties/status')],
  ] as const) {
    it(`the table of the ${name} has the values of the contract, and no other`, () => {
      expect(firstColumn(guide, header)).to.have.members([...values]);
    });
  }

  it('the table of the sizes has the limit of every text of a link', () => {
    const limits = readFileSync(join(checkout, 'docs/guides/limits.md'), 'utf8');
    for (const { path, schema } of listFields('CreatePaymentLinkRequest')) {
      if (schema.maxLength === undefined) continue;
      const range = schema.minLength === undefined ? 'up to' : `${schema.minLength} to`;
      expect(limits).to.include(`\n| \`${path}\` | ${range} ${schema.maxLength} characters |\n`);
    }
  });
});

describe('the diagrams', () => {
  it('a diagram is shown somewhere, and its alternative text says what it shows', () => {
    const folders = ['docs/guides/*.md', '*.md'];
    const shown = folders
      .flatMap((pattern) => globSync(pattern, { cwd: checkout }))
      .flatMap((file) => [...readFileSync(join(checkout, file), 'utf8').matchAll(/!\[(.+)\]\(.*\/([\w-]+\.svg)\)/g)])
      .map(([, alternative, name]) => ({ name, alternative }));
    const made = globSync('docs/pictures/*.svg', { cwd: checkout }).map((file) => {
      const [, title, text] =
        /<title>(.+)<\/title>\n<desc>(.+)<\/desc>/.exec(readFileSync(join(checkout, file), 'utf8')) ?? [];
      return { name: basename(file), alternative: `${title}. ${text}` };
    });
    expect(made.length).to.be.greaterThan(0);
    for (const each of made) expect(shown).to.deep.include(each);
    for (const each of shown) expect(made).to.deep.include(each);
  });
});

describe('the guide to the example integration', () => {
  it('the guide to the example integration downloads every file that the service offers for it', () => {
    const text = readFileSync(join(checkout, 'docs/guides/examples.md'), 'utf8');
    const [, loop = ''] = /^for file in \\\n([\s\S]*?)^do$/m.exec(text) ?? [];
    const named = loop
      .split(/[\s\\]+/)
      .filter((word) => word !== '')
      .flatMap((word) => {
        const [, folder = '', names = ''] = /^(.*)\{(.*)\}$/.exec(word) ?? [];
        return names === '' ? [word] : names.split(',').map((name) => `${folder}${name}`);
      });
    expect(named.map((name) => `/docs/examples/${name}`)).to.have.members(
      SOURCES.map(({ path }) => path).filter((path) => path.startsWith('/docs/examples/')),
    );
  });
});
