import type { OpenAPIV3_1 } from 'openapi-types';
import { type ContractDocument, METHODS } from '../../../contract/document.ts';
import { isObject, type Json, resolve } from '../../../contract/json-pointer.ts';
import { describeEnd } from './fields.ts';

export interface Example {
  summary: string;
  value: Json;
}

export interface Body {
  description: string;
  schema: Json;
  examples: Example[];
}

/** One operation or event of the contract, with its references followed. */
export type Described = ReturnType<typeof describeContract>[number];

export type DescribedReply = Described['answers'][number];

/** Returns all operations and events of a contract, in its order. @throws Error for one that no guide explains */
export function describeContract(document: ContractDocument) {
  const paths = Object.entries(document.paths ?? {}).map(([name, item]) => ({ name, item, isEvent: false }));
  const events = Object.entries(document.webhooks ?? {}).map(([name, item]) => ({ name, item, isEvent: true }));
  return [...paths, ...events].flatMap(({ name, item: reference, isEvent }) => {
    const item: ContractItem = follow(document, reference ?? {});
    return METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const tag = operation.tags?.[0] ?? '';
      const guide = operation.externalDocs ?? document.tags?.find((one) => one.name === tag)?.externalDocs;
      if (guide === undefined) throw new Error(`openapi.yaml must name a guide in externalDocs of ${name} or its tag`);
      const entry = {
        /** Id of the operation, or type of the event. */
        id: isEvent ? name : `${operation.operationId}`,
        isEvent,
        method: method.toUpperCase(),
        /** Path template with `{id}`; empty for an event. */
        path: isEvent ? '' : name,
        tag,
        summary: operation.summary ?? name,
        description: operation.description ?? '',
        scope: operation['x-required-scope'] ?? null,
        isTestModeOnly: operation['x-test-mode-only'] ?? false,
        /** States since when the operation is deprecated; empty for most. */
        end: describeEnd({ ...operation }),
        guide,
        samples: operation['x-codeSamples'] ?? [],
        parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
          follow<OpenAPIV3_1.ParameterObject>(document, one),
        ),
        body: operation.requestBody === undefined ? null : readBody(document, operation.requestBody),
        /** Statuses are such as `200`, `404` or `2XX`. Headers have their names only. */
        answers: Object.entries(operation.responses ?? {}).map(([status, reference]) => {
          const answer: OpenAPIV3_1.ResponseObject = follow(document, reference);
          const headers = Object.keys(answer.headers ?? {});
          return { status, description: answer.description, headers, body: readBody(document, answer) };
        }),
      };
      return [entry];
    });
  });
}

type ContractItem = NonNullable<NonNullable<ContractDocument['paths']>[string]>;

function readBody(
  document: ContractDocument,
  reference: OpenAPIV3_1.RequestBodyObject | OpenAPIV3_1.ResponseObject | OpenAPIV3_1.ReferenceObject,
): Body | null {
  const { description = '', content } = Object(follow(document, reference));
  const media = Object(content)['application/json'];
  if (!isObject(media)) return null;
  const namedExamples = Object.values(Object(media.examples)).map((one) => Object(resolve(document, one)));
  const examples = 'example' in media ? [{ summary: 'An answer', value: media.example }] : namedExamples;
  return { description, schema: media.schema, examples };
}

/** Follows a reference. The linter checks that each leads to an object of the kind of its place. */
function follow<Kind extends object>(document: ContractDocument, value: object): Kind {
  return resolve(document, value) as Kind;
}

/** Returns the errors of an operation, each code once, in the order of their statuses. */
export function listErrors({ answers }: Described) {
  const errors = answers.flatMap(({ status, body }) =>
    (body?.examples ?? []).flatMap((example) => {
      const code: unknown = Object(Object(example.value).error).code;
      return typeof code === 'string' ? [{ status, code, example }] : [];
    }),
  );
  return errors.filter(({ code }, index) => errors.findIndex((other) => other.code === code) === index);
}

/** Returns the answers of an operation that are no errors. */
export function listSuccesses({ answers }: Described): DescribedReply[] {
  return answers.filter(({ status }) => status.startsWith('2'));
}
