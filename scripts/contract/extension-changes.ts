import { isObject, type Json, membersAt, pointerBelow, resolve, valueAt } from '../../src/contract/json-pointer.ts';
import type { Change } from './changes.ts';

/** Members of an operation that a client relies on and that a comparison of plain OpenAPI does not judge. */
const OPERATION_MEMBERS = ['x-required-scope', 'x-test-mode-only', 'tags', 'security'];

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

/**
 * Returns changes of this contract's extensions, of the headers of webhooks, and of names from which SDKs derive theirs: path
 * templates, tags and schemas.
 */
export function extensionChanges(before: Json, after: Json): Change[] {
  return [
    ...missingNames(before, after, '#/components/schemas'),
    ...missingNames(before, after, '#/paths'),
    ...missingNames(before, after, '#/webhooks'),
    ...operationChanges(before, after),
    ...webhookHeaderChanges(before, after),
    ...openListChanges(before, after, '#'),
    ...earlierEnds(before, after, '#'),
    ...differing(before, after, '#', 'security'),
  ];
}

function breaking(pointer: string, fact: string): Change {
  return { isBreaking: true, pointer: decodeURIComponent(pointer), fact, name: pointer.split('/').at(-1) ?? pointer };
}

function missingNames(before: Json, after: Json, pointer: string): Change[] {
  const present = membersAt(after, pointer);
  const missing = Object.keys(membersAt(before, pointer)).filter((name) => !Object.hasOwn(present, name));
  return missing.map((name) =>
    breaking(pointerBelow(pointer, name), `${name} was removed or renamed, and receivers or SDKs rely on the name`),
  );
}

function operationsOf(document: Json): string[] {
  return ['paths', 'webhooks'].flatMap((kind) =>
    Object.entries(membersAt(document, `#/${kind}`)).flatMap(([path, item]) =>
      METHODS.filter((method) => isObject(item) && item[method] !== undefined).map((method) =>
        pointerBelow('#', kind, path, method),
      ),
    ),
  );
}

function operationChanges(before: Json, after: Json): Change[] {
  return operationsOf(before)
    .filter((pointer) => valueAt(after, pointer) !== undefined)
    .flatMap((pointer) => OPERATION_MEMBERS.flatMap((member) => differing(before, after, pointer, member)));
}

function differing(before: Json, after: Json, pointer: string, member: string): Change[] {
  const [old, now] = [membersAtRoot(before, pointer)[member], membersAtRoot(after, pointer)[member]];
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  return [
    breaking(pointerBelow(pointer, member), `${member} was ${JSON.stringify(old)} and is ${JSON.stringify(now)}`),
  ];
}

/** Returns the members of an object, which may be the document itself. */
function membersAtRoot(document: Json, pointer: string): Record<string, Json> {
  if (pointer !== '#') return membersAt(document, pointer);
  return isObject(document) ? document : {};
}

/** Compares the headers of webhooks. The service sends them, so a receiver may rely on each that is required. */
function webhookHeaderChanges(before: Json, after: Json): Change[] {
  return operationsOf(before)
    .filter((pointer) => pointer.startsWith('#/webhooks/') && valueAt(after, pointer) !== undefined)
    .flatMap((pointer) => {
      const sent = requiredParameters(after, pointer);
      const missing = requiredParameters(before, pointer).filter((name) => !sent.includes(name));
      return missing.map((name) =>
        breaking(pointerBelow(pointer, 'parameters', name), `the header ${name} is no longer sent`),
      );
    });
}

function requiredParameters(document: Json, pointer: string): string[] {
  const { parameters } = membersAt(document, pointer);
  const all: Json[] = Array.isArray(parameters) ? parameters.map((parameter) => resolve(document, parameter)) : [];
  return all.flatMap((parameter) =>
    isObject(parameter) && parameter.required === true ? [String(parameter.name)] : [],
  );
}

/** Compares open lists of values, which may grow and not shrink. */
function openListChanges(before: Json, after: Json, pointer: string): Change[] {
  if (!isObject(before) || !isObject(after)) return [];
  const changes: Change[] = [];
  const { 'x-extensible-enum': old } = before;
  const { 'x-extensible-enum': now } = after;
  // The direction decides if a list may be closed; `changesOf` knows it.
  if (Array.isArray(old) && !Array.isArray(after.enum)) {
    const values: Json[] = Array.isArray(now) ? now : [];
    const gone = old.filter((value) => !values.includes(value));
    const added = values.filter((value) => !old.includes(value));
    if (gone.length > 0) changes.push(breaking(pointer, `the open list of values lost ${gone.join(', ')}`));
    for (const value of added) {
      changes.push({ isBreaking: false, pointer, fact: `the open list of values has ${value}`, name: String(value) });
    }
  }
  for (const [key, value] of Object.entries(before)) {
    if (key === 'example' || key === 'examples') continue;
    changes.push(...openListChanges(value, after[key], pointerBelow(pointer, key)));
  }
  return changes;
}

/** Returns deprecated parts that end sooner than was announced. */
function earlierEnds(before: Json, after: Json, pointer: string): Change[] {
  if (!isObject(before) || !isObject(after)) return [];
  const [old, now] = [before['x-sunset'], after['x-sunset']].map((day) => new Date(`${day}`).getTime());
  const inside = Object.entries(before).flatMap(([key, value]) =>
    earlierEnds(value, after[key], pointerBelow(pointer, key)),
  );
  const isEarlier = old !== undefined && now !== undefined && now < old;
  return isEarlier
    ? [breaking(pointerBelow(pointer, 'x-sunset'), 'it ends sooner than was announced'), ...inside]
    : inside;
}
