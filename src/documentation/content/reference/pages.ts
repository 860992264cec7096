import type { ContractDocument } from '../../../contract/document.ts';
import { DOCS_URL, EXAMPLE_URL } from '../guides.ts';
import {
  type Body,
  type Described,
  type DescribedReply,
  describeContract,
  type Example,
  listErrors,
  listSuccesses,
} from './described.ts';
import { createFieldWriter, describeEnd, type FieldWriter, listResources } from './fields.ts';

/** Writers for what clients send, and for what the service sends. */
type Fields = Record<'request' | 'reply', FieldWriter>;

/** Group of the pages of resources. */
const RESOURCES = 'Resources';

/** Returns the pages of all operations, events and resources of a contract, each with its group in the navigation. */
export function referencePages(document: ContractDocument) {
  const fields = { request: createFieldWriter(document, false), reply: createFieldWriter(document, true) };
  const operations = describeContract(document).map((one) => ({
    name: one.id,
    title: one.isEvent ? one.id : one.summary,
    group: one.tag,
    make: () => (one.isEvent ? eventPage(one, fields) : operationPage(one, fields)),
  }));
  const resources = listResources(document).map((name) => ({
    name,
    title: name,
    group: RESOURCES,
    make: () => resourcePage(document, name, fields.reply),
  }));
  return [...operations, ...resources];
}

/** Returns the list of all operations, events and resources as Markdown. */
export function referenceIndex(document: ContractDocument): string {
  const operations = describeContract(document);
  const groups = (document.tags ?? []).map(({ name, description = '' }) => {
    const members = operations.filter(({ tag }) => tag === name);
    const rows = members.map(({ id, isEvent, method, path, summary }) =>
      isEvent
        ? `| [\`${id}\`](${DOCS_URL}/reference/${id}) | ${summary.replace(`${id}: `, '')} |`
        : `| [${summary}](${DOCS_URL}/reference/${id}) | \`${method} ${path}\` |`,
    );
    const head = members[0]?.isEvent ? '| event | meaning |' : '| operation | request |';
    return `## ${name}\n\n${[head, '|---|---|', ...rows].join('\n')}\n\n${description.trim()}`;
  });
  const resources = listResources(document).map((name) => `- [\`${name}\`](${DOCS_URL}/reference/${name})`);
  return `# Reference

All operations, events and resources of the API, each on a page of its own. They are made from the contract, which is also there as
[OpenAPI 3.1](${EXAMPLE_URL}/openapi.yaml).

${groups.join('\n\n')}

## ${RESOURCES}

${resources.join('\n')}
`;
}

function operationPage(operation: Described, fields: Fields): string {
  const { method, path, summary, description, samples, parameters, body } = operation;
  const parametersIn = (place: string, title: string) => {
    const items = parameters.flatMap((one) => {
      if (one.in !== place) return [];
      const description = `${one.description?.trim()} Example: \`${one.example}\`.`;
      const look = { isRequired: one.required === true, description, end: describeEnd({ ...one }) };
      return [fields.request.item(one.name, one.schema, look)];
    });
    return section(title, items);
  };
  return joinParts([
    `# ${summary}`,
    fence('http', `${method} ${path}`),
    ...samples.map(({ lang, label, source }) => fence(`${lang} tab="${label}"`, source)),
    description.trim(),
    facts(operation),
    parametersIn('path', 'Path'),
    parametersIn('query', 'Query'),
    parametersIn('header', 'Headers'),
    ...(body === null ? [] : [bodySection('Body', body, fields.request)]),
    ...listSuccesses(operation).map((answer) => answerSection(answer, fields.reply)),
    errorSection(operation),
  ]);
}

function joinParts(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function eventPage({ id, description, guide, parameters, body }: Described, fields: Fields): string {
  const headers = parameters.map(({ name, schema, description }) =>
    fields.reply.item(name, schema, { isRequired: true, description }),
  );
  const guideLine = `- **Guide**: [${guide.description}](${guide.url})`;
  return joinParts([
    `# ${id}`,
    renderExamples(body?.examples ?? []),
    description.trim(),
    `${guideLine}\n- **Fields that all events have**: [\`WebhookEvent\`](${DOCS_URL}/reference/WebhookEvent)`,
    section('Headers', headers),
    section('Body', [fields.reply.list(body?.schema)]),
  ]);
}

function resourcePage(document: ContractDocument, name: string, fields: FieldWriter): string {
  const schema = Object(document.components?.schemas?.[name]);
  const bodies = describeContract(document).flatMap((one) => listSuccesses(one).flatMap(({ body }) => body ?? []));
  const ownBodies = bodies.filter((body) => Object(body.schema).$ref === `#/components/schemas/${name}`);
  // Operations share examples.
  const examples = new Map(ownBodies.flatMap(({ examples }) => examples.map((example) => [example.summary, example])));
  const parts = [`# ${name}`, renderExamples([...examples.values()]), schema.description.trim()];
  return joinParts([...parts, section('Fields', [fields.list(schema)])]);
}

/** Returns key, limits and guide of an operation. */
function facts(operation: Described): string {
  const { scope, isTestModeOnly, guide } = operation;
  const key = isTestModeOnly ? 'a test key' : 'a test or live key';
  const keyScope = scope === null ? 'any scope' : `the scope [\`${scope}\`](${DOCS_URL}/authentication#scopes)`;
  const header = operation.parameters.find(({ name }) => name === 'Idempotency-Key');
  const isNeeded = header?.required === true ? 'is required' : 'may be left out';
  const limitErrors = listErrors(operation).filter(({ status, code }) => status === '429' && code !== 'rate_limited');
  return [
    ...operation.end.map((end) => `- **[${end.replace('d', 'D')}](${DOCS_URL}/versioning#deprecation)**`),
    `- **Key**: ${key} with ${keyScope}`,
    `- **Limits**: [rate of the key](${DOCS_URL}/limits#rates)${limitErrors.map(({ code }) => `, ${linkTo(code)}`).join('')}`,
    ...(header === undefined
      ? []
      : [`- **Repeat**: safe with [the same \`Idempotency-Key\`](${DOCS_URL}/idempotency), which ${isNeeded}`]),
    `- **Guide**: [${guide.description}](${guide.url})`,
    '- **Ids** in the samples are examples. Use your own, from lists and replies.',
  ].join('\n');
}

function answerSection({ status, description, headers, body }: DescribedReply, fields: FieldWriter): string {
  const text = `${description.trim()}\n\nHeaders: ${headers.map((name) => `\`${name}\``).join(', ')}.`;
  if (body === null) return section(`Answer ${status}`, [text]);
  return bodySection(`Answer ${status}`, { ...body, description: text }, fields);
}

function bodySection(title: string, { description, schema, examples }: Body, fields: FieldWriter): string {
  const type = fields.describeType(schema);
  const link = type.startsWith('[') ? `The body is a ${type}.` : fields.list(schema);
  return section(
    title,
    [description.trim(), renderExamples(examples), link].map((part) => `${part}\n`),
  );
}

function errorSection(operation: Described): string {
  const rows = listErrors(operation).map(
    ({ status, code, example }) => `| ${status} | ${linkTo(code)} | ${example.summary} |`,
  );
  return section('Errors', ['| status | code | example |', '|---|---|---|', ...rows]);
}

function linkTo(code: string): string {
  return `[\`${code}\`](${DOCS_URL}/errors/${code})`;
}

function renderExamples(examples: readonly Example[]): string {
  return examples
    .map(({ summary, value }) => fence(`json tab="${summary}"`, JSON.stringify(value, null, 2)))
    .join('\n\n');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`;
}

function fence(info: string, code: string): string {
  return `\`\`\`${info}\n${code}\n\`\`\``;
}
