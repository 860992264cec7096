import { expect } from 'chai';
import { type Change, changesOf } from '../../scripts/contract/changes.ts';
import { complaints, releasedVersions } from '../../scripts/contract/editions.ts';

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
        - { name: pageSize, in: query, schema: { type: integer, minimum: 1, default: 50 } }
      responses:
        '200':
          description: ok
          headers: { Age: { required: true, schema: { type: string } } }
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
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Other' } } } }
    post:
      operationId: closeOthers
      deprecated: true
      x-deprecated-since: 2027-01-01
      x-sunset: 2028-06-01
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
      required: [id, status]
      properties:
        id: { type: string }
        status: { type: string, enum: [new, old] }
        kind: { type: string, x-extensible-enum: [small, large] }
        grade: { type: string, x-extensible-enum: [good, best] }
    Other: { type: object, required: [id], properties: { id: { type: string }, size: { type: integer } } }
    CreateThing:
      type: object
      additionalProperties: false
      required: [name]
      properties:
        name: { type: string }
        note: { type: string }
        mood: { type: string, x-extensible-enum: [glad, calm] }
        tone: { type: string, x-extensible-enum: [high, low] }
        code: { type: string }
    MadeEvent:
      type: object
      required: [at, by]
      properties: { at: { type: string }, by: { type: string } }
`;

const BODY = '      requestBody: { content: { application/json: { schema: { type: object } } } }\n';
const MORE = "  /more: { get: { operationId: listMore, summary: More., responses: { '200': { description: ok } } } }\n";
const TINT = '- { name: tint, in: query, schema: { type: string } }\n        ';
const CLOSE = 'operationId: closeOthers\n';
const NOTE = '        note: { type: string }\n';
const NOT_FOUND = "        '404': { description: none }\n";
const CODE = 'code: { type: string';
const PATTERN = String.raw`, pattern: '^[^\x00-\x1f\x7f]*$'`;

/** A kind of change, its edit, and a part of the complaint. Redocly has many more rules; one of each direction stands for them. */
type Kind = [title: string, from: string, to: string, complaint: string];

const BREAKING: Kind[] = [
  ['an operation id is renamed', 'operationId: createThing', 'operationId: makeThing', 'operationId'],
  ['an operation asks for another scope', 'things:read', 'things:list', 'x-required-scope was "things:read"'],
  ['an operation is for the test mode alone', 'Creates.', 'Creates.\n      x-test-mode-only: true', 'x-test-mode-only'],
  ['a tag is renamed', 'tags: [Others]', 'tags: [Rest]', 'tags was ["Others"]'],
  ['a path is removed', '  /things/{id}:', '  /stuff/{id}:', '/things/{id} was removed or renamed'],
  ['a default changes', 'default: 50', 'default: 20', '/paths/~1things/get/parameters'],
  ['a status code is removed', NOT_FOUND, '', 'response-removed'],
  ['a header of a response becomes optional', 'Age: { required: true, ', 'Age: { ', 'Age is no longer sent always'],
  ['an operation gets a required body', CLOSE, `${CLOSE}${BODY.replace('{', '{ required: true,')}`, 'a required body'],
  ['an open list of a request is closed without a value', 'x-extensible-enum: [high, low]', 'enum: [high]', '/tone'],
  ['a field of a request becomes required', '[name]', '[name, note]', 'required-properties-added'],
  ['a field of a request gets a pattern', CODE, `${CODE}, pattern: '^[a-z]+$'`, 'schema-constraint-changed'],
  ['an enumeration of a response has a new value', '[new, old]', '[new, old, lost]', 'enum-values-added'],
  ['an open list of values loses a value', '[small, large]', '[small]', 'the open list of values lost large'],
  ['an open list of a response is closed', 'x-extensible-enum: [good', 'enum: [good', 'open list of values was closed'],
  ['a type of webhook is removed', '  thing.lost:', '  thing.gone:', 'thing.lost was removed or renamed'],
  ['a header of a webhook is not sent', 'Service-Signature', 'Service-Sign', 'Service-Signature is no longer sent'],
  ['a field of a webhook is no longer sent always', '[at, by]', '[at]', 'required-properties-removed'],
  ['a scheme of authentication changes', 'bearer', 'basic', 'security-scheme-changed'],
  ['a deprecated operation ends sooner', '2028-06-01', '2028-05-01', 'it ends sooner than was announced'],
  ['all operations get another authentication', 'security: [{ apiKey: [] }]', 'security: []', 'at #/security'],
];

/** A kind of change, its edit, and the name that the changelog must have. */
const COMPATIBLE: Kind[] = [
  ['a deprecated operation', 'summary: Lists.', 'deprecated: true\n      summary: Lists.', 'listThings'],
  ['a new field', NOTE, `${NOTE}        shape: { type: string }\n`, 'shape'],
  ['a new optional parameter', '- { name: p', `${TINT}- { name: p`, 'tint'],
  ['a new value of an open list', '[small, large]', '[small, large, huge]', 'huge'],
  ['an open list of a request that is closed with all its values', 'x-extensible-enum: [glad', 'enum: [glad', 'mood'],
  ['the pattern of single-line text, which the service always required', CODE, `${CODE}${PATTERN}`, 'code'],
  ['a change of a whole schema within a list', '[id], properties', '[id, size], properties', 'Other'],
  ['a new body that may be left out', CLOSE, `${CLOSE}${BODY}`, 'closeOthers'],
  ['a new operation', '  /others:\n', `${MORE}  /others:\n`, '/more'],
  ['a new status code', NOT_FOUND, `${NOT_FOUND}        '410': { description: gone }\n`, '410'],
];

function edited(kinds: readonly Kind[]): string {
  return kinds.reduce((text, [title, from, to]) => {
    expect(text.split(from), title).to.have.length.above(1);
    return text.replace(from, () => to);
  }, RELEASED);
}

describe('The comparison with the released contract', () => {
  let broken: Change[];
  let grown: Change[];

  before(async () => {
    [broken, grown] = await Promise.all([
      changesOf(RELEASED, edited(BREAKING)),
      changesOf(RELEASED, edited(COMPATIBLE)),
    ]);
  });

  for (const [title, , , part] of BREAKING) {
    it(`a contract in which ${title} is refused`, () => {
      const refusals = complaints(broken, '## Unreleased\n').filter((one) => one.startsWith('Breaking: '));
      const refusal = refusals.find((one) => one.includes(part));
      expect(refusal, refusals.join('\n')).to.include('Undo the change, or make it in a new version');
    });
  }

  it('a contract that only grows has no breaking change', () => {
    expect(grown.filter(({ isBreaking }) => isBreaking)).to.deep.equal([]);
  });

  for (const [title, , , name] of COMPATIBLE) {
    it(`the changelog must name ${title}`, () => {
      const changes = grown.filter((change) => change.name === name);
      expect(changes, JSON.stringify(grown, null, 1)).not.to.be.empty;
      expect(complaints(changes, `## Unreleased\n### API: added\n- \`${name}\`\n`)).to.deep.equal([]);
      // A line for operators or under an older release does not count.
      const line = `- \`${name}\`\n`;
      const missing = complaints(
        changes,
        `## Unreleased\n### Added\n${line}## 1.0.0 - 2026-11-22\n### API: added\n${line}`,
      );
      expect(missing[0]).to.include(`Name \`${name}\` in CHANGELOG.md under "Unreleased"`);
    });
  }

  it('texts and examples need no line in the changelog', async () => {
    const changes = await changesOf(RELEASED, RELEASED.replace('summary: Lists.', 'summary: Lists all.'));
    expect(changes).to.have.length(1);
    expect(complaints(changes, '')).to.deep.equal([]);
  });

  it('released contracts are ordered by the numbers of their versions', () => {
    expect(releasedVersions(['1.10.0.yaml', '1.2.0.yaml', 'README.md'])).to.deep.equal(['1.2.0', '1.10.0']);
    expect(() => releasedVersions([])).to.throw('contract/released');
  });
});
