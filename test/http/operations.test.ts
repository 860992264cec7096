import { expect } from 'chai';
import { document, type OperationDescription, operations } from '../../src/contract/document.ts';
import { isObject, type Json, membersAt, pointerBelow, resolve } from '../../src/contract/json-pointer.ts';
import type { Handlers } from '../../src/http/adapter.ts';
import { createOperations } from '../../src/main/processes/serve.ts';
import { linkBodyRules } from '../../src/payment-links/operations.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { ApiError } from '../../src/platform/base/errors.ts';
import type { CallerScope } from '../../src/platform/base/scope.ts';
import { checkNewUrl } from '../../src/webhooks/send/destination.ts';
import { networkSet } from '../../src/webhooks/send/networks.ts';
import { createResolver } from '../../src/webhooks/send/resolver.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';

/** Operations that copy the fields of their body. `test/payment-links/fields.test.ts` looks for each field in the link. */
const COPYING: readonly string[] = ['createPaymentLink', 'updatePaymentLink'];

describe('handlers of the contract', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let handlers: Handlers;

  before(async () => {
    const allowed = networkSet(service.config.webhookAllowedNetworks);
    const resolver = createResolver({ useSystemNames: false });
    handlers = createOperations((url) => checkNewUrl(url, allowed, resolver, 1_000), service.processor(), separately);
  });

  /** Calls a handler with every property of its contract. Returns the names of those that it did not read. */
  async function unreadBy({ operationId }: OperationDescription, input: Record<string, Json>): Promise<string[]> {
    const read = new Set<string>();
    const recorded = Object.fromEntries(
      Object.entries(input).map(([part, value]) => [part, isObject(value) ? recorder(value, `${part}.`, read) : value]),
    );
    const [caller] = await service.scope().em.execute<[{ id: string }]>('select id from api_keys where test limit 1');
    const scope: CallerScope = {
      ...service.scope(),
      caller: { apiKeyId: caller.id, practiceId: practice.practiceId, test: true, scopes: [], locationId: null },
    };
    const rule = Object.entries(linkBodyRules).find(([id]) => id === operationId)?.[1] as
      | ((body: unknown) => unknown)
      | undefined;
    const handler = handlers[operationId] as (scope: CallerScope, input: unknown) => Promise<unknown>;
    try {
      await handler(scope, { ...recorded, parsed: rule?.(recorded.body) });
    } catch (error) {
      // Nobody has the resources of the examples, and the body has been read before they are looked up.
      if (!(error instanceof ApiError)) throw error;
    }
    const isCopied = (name: string) => COPYING.includes(operationId) && name.startsWith('body.');
    const unread = namesOf(input).filter((name) => !read.has(name) && !isCopied(name));
    return unread.map((name) => `${operationId} ${name}`);
  }

  for (const operation of operations) {
    const input = inputOf(operation);
    if (namesOf(input).length === 0) continue;

    it(`${operation.operationId}: reads every property of its request`, async () => {
      const own = { ...input, ...(isObject(input.body) && 'locationId' in input.body && inOwnLocation(input.body)) };
      expect(await unreadBy(operation, own)).to.deep.equal([]);
    });
  }

  function inOwnLocation(body: Record<string, Json>) {
    return { body: { ...body, locationId: practice.locationId } };
  }
});

/** Returns the four parts of a handler's input, with a value for every property that the contract describes. */
function inputOf({ method, path }: OperationDescription): Record<'path' | 'query' | 'headers' | 'body', Json> {
  const pathItem = pointerBelow('#', 'paths', path);
  const operation = membersAt(document, pointerBelow(pathItem, method.toLowerCase()));
  const parameters = [membersAt(document, pathItem).parameters, operation.parameters].flat().map(member);
  const group = (place: string) =>
    Object.fromEntries(
      parameters.flatMap((parameter) => {
        const { name, schema, example } = parameter;
        const key = place === 'header' ? String(name).toLowerCase() : String(name);
        // The least number, because a handler may wait for so many seconds.
        const value = member(schema).type === 'integer' ? member(schema).minimum : (example ?? sample(schema));
        return parameter.in === place ? [[key, value]] : [];
      }),
    );
  const media = member(member(member(operation.requestBody).content)['application/json']);
  const body = 'schema' in media ? sample(media.schema) : undefined;
  return { path: group('path'), query: group('query'), headers: group('header'), body };
}

/** Returns a value with all properties of the schema, from its examples. */
function sample(reference: Json): Json {
  const schema = member(reference);
  if (isObject(schema.properties)) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, property]) => [name, sample(property)]));
  }
  if ('example' in schema) return schema.example;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('const' in schema) return schema.const;
  const values = schema.enum ?? schema['x-extensible-enum'];
  if (Array.isArray(values)) return values[0];
  const types = [schema.type].flat();
  if (types.includes('array')) return [sample(schema.items)];
  if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1;
  if (types.includes('boolean')) return true;
  return 'text';
}

function member(value: Json): Record<string, Json> {
  const found = resolve(document, value);
  return isObject(found) ? found : {};
}

/** Returns the dotted names of all properties; the entries of metadata have names of the client's own. */
function namesOf(value: Record<string, Json>, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = `${prefix}${name}`;
    const names = isObject(inner) && name !== 'metadata' ? namesOf(inner, `${path}.`) : [];
    return prefix === '' ? names : [path, ...names];
  });
}

/**
 * Returns the value, recording the properties that are read by name. A copy of all properties does not count, such as the
 * one from which a request's hash is made.
 */
function recorder(value: Record<string, Json>, prefix: string, read: Set<string>): object {
  const copying = new Set<string | symbol>();
  return new Proxy(value, {
    ownKeys(target) {
      for (const key of Reflect.ownKeys(target)) copying.add(key);
      return Reflect.ownKeys(target);
    },
    get(target, key, receiver) {
      const isCopied = copying.delete(key);
      const path = `${prefix}${String(key)}`;
      if (!isCopied) read.add(path);
      const inner: Json = Reflect.get(target, key, receiver);
      return isObject(inner) && key !== 'metadata' ? recorder(inner, `${path}.`, read) : inner;
    },
  });
}
