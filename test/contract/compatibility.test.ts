import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { complaints, lastReleased } from '../../scripts/compare-contract.ts';
import { type Change, changesOf } from '../../scripts/contract/changes.ts';

/** A small contract with one place for each kind of change. */
const RELEASED = `
openapi: 3.1.0
info: { title: T, version: v1 }
servers: [{ url: http://localhost }]
security: [{ apiKey: [] }]
paths:
  /things:
    get:
      operationId: listThings
      tags: [Things]
      summary: Lists.
      x-required-scope: things:read
      parameters:
        - { name: color, in: query, schema: { type: string } }
        - { name: pageSize, in: query, schema: { type: integer, minimum: 1, default: 50 } }
      responses:
        '200':
          description: ok
          headers: { Request-Id: { schema: { type: string } }, Age: { required: true, schema: { type: string } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
        '404': { description: none }
    post:
      operationId: createThing
      tags: [Things]
      summary: Creates.
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/CreateThing' } } }
      responses: { '201': { description: created } }
  /things/{id}:
    get:
      operationId: getThing
      tags: [Things]
      summary: Reads.
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: ok } }
  /others:
    get:
      operationId: listOthers
      tags: [Others]
      summary: Lists.
      responses:
        '200':
          description: ok
          content: { application/json: { schema: { $ref: '#/components/schemas/OtherList' } } }
    post:
      operationId: closeOthers
      tags: [Others]
      summary: Closes.
      responses: { '200': { description: ok } }
webhooks:
  thing.made:
    post:
      operationId: receiveThingMade
      tags: [Events]
      summary: Made.
      parameters: [{ name: Service-Signature, in: header, required: true, schema: { type: string } }]
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/MadeEvent' } } }
      responses: { '2XX': { description: ok } }
  thing.lost:
    post:
      operationId: receiveThingLost
      tags: [Events]
      summary: Lost.
      responses: { '2XX': { description: ok } }
components:
  securitySchemes: { apiKey: { type: http, scheme: bearer } }
  schemas:
    Thing:
      type: object
      required: [id, status, madeAt]
      properties:
        id: { type: string }
        status: { type: string, enum: [new, old] }
        kind: { type: string, x-extensible-enum: [small, large] }
        grade: { type: string, x-extensible-enum: [good, best] }
        madeAt: { type: string, format: date-time }
        label: { type: string }
    OtherList:
      type: object
      properties:
        data: { type: array, items: { $ref: '#/components/schemas/Other' } }
    Other: { type: object, required: [id], properties: { id: { type: string }, size: { type: integer } } }
    CreateThing:
      type: object
      additionalProperties: false
      required: [name]
      properties:
        name: { type: string, maxLength: 100 }
        size: { type: string, enum: [s, m, l] }
        note: { type: string }
        weight: { type: number }
        mood: { type: string, x-extensible-enum: [glad, calm] }
        tone: { type: string, x-extensible-enum: [high, low] }
        code: { type: string }
    MadeEvent:
      type: object
      required: [at, by]
      properties:
        at: { type: string }
        by: { type: string }
        cents: { type: integer }
`;

/** A kind of change, its edit, and parts of the complaint. */
type Kind = [title: string, from: string, to: string, pointer: string, fact: string];

const BREAKING: Kind[] = [
  ['an operation id is renamed', 'operationId: createThing', 'operationId: makeThing', 'things/post', 'operationId'],
  ['an operation asks for another scope', 'things:read', 'things:list', 'x-required-scope', 'things:list'],
  [
    'an operation is for the test mode alone',
    'Creates.',
    'Creates.\n      x-test-mode-only: true',
    'x-test',
    'is true',
  ],
  ['a tag is renamed', 'tags: [Others]', 'tags: [Rest]', '~1others/get/tags', 'Rest'],
  ['a path is removed', '  /things/{id}:', '  /stuff/{id}:', '~1things~1{id}', 'was removed or renamed'],
  [
    'a parameter is removed',
    'color, in: query,',
    'mood, in: query, required: true,',
    '/parameters',
    'parameter-removed',
  ],
  ['a required parameter is added', '', '', '~1things/get/parameters', 'parameter-became-required'],
  ['a default changes', 'default: 50', 'default: 20', '~1things/get/parameters', ''],
  ['a status code is removed', "        '404': { description: none }\n", '', '/responses/404', 'response-removed'],
  [
    'a header of a response is removed',
    'Request-Id: { schema: { type: string } }, ',
    '',
    'Request-Id',
    'header-removed',
  ],
  [
    'a header of a response is no longer sent always',
    'Age: { required: true, ',
    'Age: { ',
    '/Age',
    'no longer sent always',
  ],
  [
    'an operation without a body gets a required one',
    'operationId: closeOthers\n',
    `operationId: closeOthers\n      requestBody: { required: true, content: { application/json: { schema: { type: object } } } }\n`,
    '~1others/post/requestBody',
    'a required body was added',
  ],
  [
    'an open list of a request is closed without a value',
    'x-extensible-enum: [high, low]',
    'enum: [high]',
    'tone',
    'values',
  ],
  [
    'a field of a request gets a pattern',
    'code: {',
    "code: { pattern: '^[a-z]+$',",
    'code',
    'schema-constraint-changed',
  ],
  ['a field of a request becomes required', '[name]', '[name, note]', 'post/requestBody', 'required-properties-added'],
  ['a limit of a request becomes narrower', 'maxLength: 100', 'maxLength: 50', '/name', 'schema-constraint-changed'],
  ['an enumeration of a request loses a value', 'enum: [s, m, l]', 'enum: [s, m]', '/size', 'enum-values-removed'],
  ['a field of a request is removed', '        weight: { type: number }\n', '', '/weight', 'property-removed'],
  [
    'a field of a response is no longer sent always',
    'status, madeAt]',
    'status]',
    '/responses/200',
    'properties-removed',
  ],
  ['an enumeration of a response has a new value', '[new, old]', '[new, old, lost]', '/status', 'enum-values-added'],
  ['an open list of values loses a value', '[small, large]', '[small]', '/properties/kind', 'large'],
  [
    'an open list of a response is closed',
    'x-extensible-enum: [good',
    'enum: [good',
    '/properties/grade',
    'was closed',
  ],
  ['a format of a response changes', 'format: date-time', 'format: date', '/madeAt', 'schema-constraint-changed'],
  ['a field of a response is removed', '        label: { type: string }\n', '', '/label', 'property-removed'],
  ['a type of webhook is removed', '  thing.lost:', '  thing.gone:', 'thing.lost', 'removed'],
  [
    'a header of a webhook is no longer sent',
    'Service-Signature',
    'Service-Sign',
    'thing.made/post',
    'Service-Signature',
  ],
  [
    'a field of a webhook is no longer sent always',
    '[at, by]',
    '[at]',
    'thing.made/post',
    'required-properties-removed',
  ],
  [
    'a field of a webhook has another type',
    'cents: { type: integer }',
    'cents: { type: string }',
    '/cents',
    'type-changed',
  ],
  ['a scheme of authentication changes', 'bearer', 'basic', 'securitySchemes/apiKey', 'security-scheme-changed'],
  ['all operations get another authentication', 'security: [{ apiKey: [] }]', 'security: []', '#/security', 'security'],
];

const NOTE = '        note: { type: string }\n';
const LABEL = '        label: { type: string }\n';
const NOT_FOUND = "        '404': { description: none }\n";

const COMPATIBLE: Kind[] = [
  ['a new field of a request', NOTE, `${NOTE}        shape: { type: string }\n`, '/properties/shape', 'shape'],
  ['a new field of a response', LABEL, `${LABEL}        tint: { type: string }\n`, '/properties/tint', 'tint'],
  [
    'a new field that a webhook always has',
    'required: [at, by]\n      properties:\n',
    'required: [at, by, of]\n      properties:\n        of: { type: string }\n',
    '/properties/of',
    'of',
  ],
  [
    'a new optional parameter',
    '- { name: color',
    '- { name: mood, in: query, schema: { type: string } }\n        - { name: color',
    '~1things/get/parameters',
    'mood',
  ],
  ['a new value of an open list', '[small, large]', '[small, large, huge]', '/properties/kind', 'huge'],
  [
    'an open list of a request that is closed with all its values',
    'x-extensible-enum: [glad',
    'enum: [glad',
    '/mood',
    'mood',
  ],
  [
    'the pattern of single-line text, which the service always required',
    'code: {',
    String.raw`code: { pattern: '^[^\x00-\x1f\x7f]*$',`,
    '/properties/code',
    'code',
  ],
  ['a change of a whole schema within a list', '[id], properties', '[id, size], properties', '/data/items', 'Other'],
  [
    'a new body that may be left out',
    'operationId: closeOthers\n',
    `operationId: closeOthers\n      requestBody: { content: { application/json: { schema: { type: object } } } }\n`,
    '~1others/post/requestBody',
    'closeOthers',
  ],
  [
    'a new operation',
    '  /others:\n',
    '  /more:\n    get:\n      operationId: listMore\n      summary: More.\n      responses: { "200": { description: ok } }\n  /others:\n',
    '~1more',
    '/more',
  ],
  ['a new status code', NOT_FOUND, `${NOT_FOUND}        '410': { description: gone }\n`, '/responses/410', '410'],
];

function edited(kinds: readonly Kind[]): string {
  return kinds.reduce((text, [title, from, to]) => {
    expect(text.split(from), title).to.have.length.above(1);
    return text.replace(from, () => to);
  }, RELEASED);
}

describe('The comparison with the released contract', function () {
  this.timeout(120_000);
  let broken: Change[];
  let grown: Change[];

  before(async () => {
    [broken, grown] = await Promise.all([
      changesOf(RELEASED, edited(BREAKING.filter(([, from]) => from !== ''))),
      changesOf(RELEASED, edited(COMPATIBLE)),
    ]);
  });

  for (const [title, , , pointer, fact] of BREAKING) {
    it(`a contract in which ${title} is refused`, () => {
      const sentences = complaints(
        broken.filter((change) => change.pointer.includes(pointer)),
        '## Unreleased\n',
      );
      const sentence = sentences.find((one) => one.startsWith('Breaking: ') && one.includes(fact));
      expect(sentence, JSON.stringify(broken, null, 1)).to.include('Undo the change, or make it in a new version');
    });
  }

  it('a contract that only grows has no breaking change', () => {
    expect(grown.filter(({ isBreaking }) => isBreaking)).to.deep.equal([]);
  });

  for (const [title, , , pointer, name] of COMPATIBLE) {
    it(`the changelog must name ${title}`, () => {
      const changes = grown.filter((change) => change.pointer.includes(pointer) && change.name === name);
      expect(changes, JSON.stringify(grown, null, 1)).not.to.be.empty;
      expect(complaints(changes, `## Unreleased\n- \`${name}\`\n`)).to.deep.equal([]);
      // A line under an older release does not count.
      const missing = complaints(changes, `## Unreleased\n\n## 1.0.0\n- \`${name}\`\n`);
      expect(missing[0]).to.include(`Name \`${name}\` in CHANGELOG.md under "Unreleased"`);
    });
  }

  it('texts and examples need no line in the changelog', async () => {
    const changes = await changesOf(RELEASED, RELEASED.replace('summary: Lists.', 'summary: Lists all.'));
    expect(changes).to.have.length(1);
    expect(complaints(changes, '')).to.deep.equal([]);
  });

  it('the released contract is the one with the highest version', () => {
    expect(lastReleased(['1.2.0.yaml', '1.10.0.yaml', 'README.md'])).to.equal('1.10.0.yaml');
    expect(() => lastReleased([])).to.throw('contract/released');
    expect(lastReleased(readdirSync(new URL('../../contract/released', import.meta.url)))).to.match(/^1\./);
  });
});
