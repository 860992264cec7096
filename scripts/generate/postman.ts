import type { OpenAPIV3_1 } from 'openapi-types';
import { isObject, resolve } from '../../src/contract/json-pointer.ts';

const METHODS = ['get', 'post', 'patch', 'delete'] as const;

type Operation = OpenAPIV3_1.OperationObject;

/** A request in Postman's format 2.1. */
interface Item {
  name: string;
  request: {
    method: string;
    description: string;
    header: { key: string; value: string; disabled?: boolean }[];
    url: {
      raw: string;
      host: string[];
      path: string[];
      query: { key: string; value: string; description: string; disabled: true }[];
      variable: { key: string; value: string }[];
    };
    body?: { mode: 'raw'; raw: string; options: { raw: { language: 'json' } } };
  };
}

/** Returns the contract as a Postman collection, one folder per tag. `baseUrl` and `apiKey` are its variables. */
export function asPostmanCollection(document: OpenAPIV3_1.Document): object {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
  const folders = (document.tags ?? []).map(({ name, description }) => ({
    name,
    description,
    item: operations
      .filter(({ operation }) => operation.tags?.includes(name) === true)
      .map(({ path, method, operation }) => itemOf(document, path, method, operation)),
  }));
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: '' },
      { key: 'apiKey', value: '' },
    ],
    item: folders.filter(({ item }) => item.length > 0),
  };
}

function itemOf(document: OpenAPIV3_1.Document, path: string, method: string, operation: Operation): Item {
  const parameters = (operation.parameters ?? []).map(
    (parameter) => resolve(document, parameter) as OpenAPIV3_1.ParameterObject,
  );
  const template = path.replaceAll(/\{(\w+)\}/g, ':$1');
  const example = exampleBody(document, operation);
  return {
    name: operation.summary ?? path,
    request: {
      method: method.toUpperCase(),
      description: operation.description ?? '',
      header: [
        ...(example === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...parameters
          .filter((parameter) => parameter.in === 'header')
          // Postman makes a new identifier for each request.
          .map(({ name, required }) => ({ key: name, value: '{{$guid}}', disabled: required !== true })),
      ],
      url: {
        raw: `{{baseUrl}}${template}`,
        host: ['{{baseUrl}}'],
        path: template.slice(1).split('/'),
        query: parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, description }) => ({
            key: name,
            value: '',
            description: description ?? '',
            disabled: true as const,
          })),
        variable: parameters
          .filter((parameter) => parameter.in === 'path')
          .map(({ name, example: value }) => ({ key: name, value: `${value ?? ''}` })),
      },
      ...(example === undefined
        ? {}
        : { body: { mode: 'raw', raw: JSON.stringify(example, null, 2), options: { raw: { language: 'json' } } } }),
    },
  };
}

/** Returns the first example of the operation's JSON body; undefined if it has no body. */
function exampleBody(document: OpenAPIV3_1.Document, operation: Operation): unknown {
  const body = resolve(document, operation.requestBody);
  if (!isObject(body)) return undefined;
  const { examples } = Object(Object(body.content)['application/json']);
  const [first] = Object.values(Object(examples));
  return Object(resolve(document, first)).value;
}
