import { document } from './document.ts';
import { isObject, type Json, membersAt, resolve } from './json-pointer.ts';
import type { EventOf, EventType } from './operations-type.ts';

/** The types of events, in the order of the contract. The keys are those of the type. */
export const EVENT_TYPES = Object.keys(document.webhooks ?? {}) as EventType[];

/** A field of an event, such as `data.paymentLink.refunds[].amount`. */
export interface EventField {
  path: string;
  /** Type as in JSON Schema, with its format or its values, such as `string (date-time) | null`. */
  type: string;
  isOptional: boolean;
  /** English text of the contract, in Markdown. */
  description: string;
}

/** Returns the example of an event in the contract. The linter checks examples against their schemas. */
export function exampleOf<Type extends EventType>(type: Type): EventOf<Type> {
  const [example] = Object.values(Object(bodyOf(type).examples));
  return Object(resolve(document, example)).value;
}

/** Returns all fields of an event, each object before its fields. */
export function fieldsOf(type: EventType): EventField[] {
  return fieldsBelow(bodyOf(type).schema, '');
}

function bodyOf(type: EventType) {
  // A pointer would escape no name of a type.
  return membersAt(document, `#/webhooks/${type}/post/requestBody/content/application~1json`);
}

function fieldsBelow(schema: Json, path: string): EventField[] {
  const { properties = {}, required = [] } = objectOf(schema);
  return Object.entries(Object(properties)).flatMap(([name, property]) => {
    const field = resolved(property);
    const own = `${path}${name}`;
    const isList = field.type === 'array';
    const isOptional = Array.isArray(required) && !required.includes(name);
    const below = fieldsBelow(isList ? field.items : field, `${own}${isList ? '[]' : ''}.`);
    return [{ path: own, type: typeText(field), isOptional, description: `${field.description ?? ''}` }, ...below];
  });
}

/** Returns the schema with the fields: itself, or the one of its alternatives that is not null. */
function objectOf(schema: Json): Record<string, Json> {
  const found = resolved(schema);
  const [first = found] = alternativesOf(found).filter(({ type }) => type !== 'null');
  return first;
}

function alternativesOf({ oneOf }: Record<string, Json>): Record<string, Json>[] {
  return Array.isArray(oneOf) ? oneOf.map(resolved) : [];
}

function typeText(schema: Record<string, Json>): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const values = schema.enum ?? schema['x-extensible-enum'];
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return alternatives.map(typeText).join(' | ');
  const [first, ...others] = [schema.type].flat();
  return [schema.format === undefined ? first : `${first} (${schema.format})`, ...others].join(' | ');
}

function resolved(schema: Json): Record<string, Json> {
  const target = resolve(document, schema);
  // A description beside a reference takes precedence over that of the target.
  return isObject(target) ? { ...target, ...(isObject(schema) ? schema : {}) } : {};
}
