import type { ContractDocument } from '../../../contract/document.ts';
import { isObject, type Json, resolve } from '../../../contract/json-pointer.ts';
import { DOCS_URL } from '../guides.ts';

/** A schema as the contract writes it. */
type Schema = Record<string, Json>;

interface ItemLook {
  isRequired: boolean;
  indent?: string;
  /** Stands in place of the schema's description, like `end`. */
  description?: string;
  end?: string[];
}

export type FieldWriter = ReturnType<typeof createFieldWriter>;

/** Creates the functions that write fields as Markdown. `isSent`: the service sends them, and most are always there. Resources are linked. */
export function createFieldWriter(document: ContractDocument, isSent: boolean) {
  /** Returns the fields of an object or of the members of a list, one item each. */
  const list = (value: Json, indent = ''): string => {
    const schema = findObject(document, value);
    const required = Array.isArray(schema.required) ? schema.required : [];
    return Object.entries(Object(schema.properties))
      .map(([name, field]) => item(name, field, { isRequired: required.includes(name), indent }))
      .join('\n');
  };

  /** Returns the item of one field or parameter, with its own fields below it. */
  const item = (name: string, value: Json, look: ItemLook): string => {
    const { isRequired, indent = '', description, end } = look;
    const schema = Object(resolve(document, value));
    const presence = isSent ? !isRequired && 'may be absent' : isRequired && 'required';
    const parts = [describeType(value), presence, ...describeLimits(schema), ...(end ?? describeEnd(schema))];
    const facts = parts.filter((fact) => fact !== false).join(', ');
    const text = `${description ?? schema.description ?? ''}`.replaceAll(/\s+/g, ' ').trim();
    const inner = list(isLinked(document, value) ? {} : value, `${indent}  `);
    return `${indent}- \`${name}\` *${facts}*  \n${indent}  ${text}${inner === '' ? '' : `\n${inner}`}`;
  };

  /** Returns the type of a value in words, as Markdown. */
  const describeType = (value: Json): string => {
    const { items, type, oneOf, ...schema } = Object(resolve(document, value));
    if (isLinked(document, value))
      return `[${readSchemaName(value)}](${DOCS_URL}/reference/${findPage(document, readSchemaName(value))})`;
    if (Array.isArray(oneOf)) return oneOf.map(describeType).join(' or ');
    if (schema.const !== undefined) return `\`${schema.const}\``;
    if (items !== undefined) return `list of ${describeType(items)}`;
    const { enum: closed, 'x-extensible-enum': extensible } = schema;
    const values = (list: Json[]) => list.map((one) => `\`${one}\``).join(', ');
    if (Array.isArray(closed)) return `one of ${values(closed)}`;
    if (Array.isArray(extensible)) return `open: ${values(extensible)}`;
    // Formats of numbers are for generators.
    const format = [type].flat().includes('string') && schema.format !== undefined ? ` (${schema.format})` : '';
    return `${[type].flat().join(' or ')}${format}`;
  };

  return { list, item, describeType };
}

/** Follows references, lists and alternatives to the object whose fields are written. */
function findObject(document: ContractDocument, value: Json): Schema {
  const schema = resolve(document, value);
  if (!isObject(schema)) return {};
  if (schema.items !== undefined) return isLinked(document, schema.items) ? {} : findObject(document, schema.items);
  if (!Array.isArray(schema.oneOf)) return schema;
  const reference = schema.oneOf.find((one) => isObject(one) && '$ref' in one);
  return findObject(document, reference);
}

function isLinked(document: ContractDocument, value: Json): boolean {
  return readSchemaName(value) !== '' && isResource(resolve(document, value));
}

/** Returns the names of all resources that have a page, in the order of the contract. Events are pages already. */
export function listResources(document: ContractDocument): string[] {
  const schemas = document.components?.schemas ?? {};
  return Object.keys(schemas).filter((name) => isResource(schemas[name]) && findPage(document, name) === name);
}

/** Returns the page of a resource: its name, or the type of an event. */
function findPage(document: ContractDocument, name: string): string {
  const { type } = Object(Object(document.components?.schemas?.[name]).properties);
  return `${Object(type).const ?? name}`;
}

function readSchemaName(value: Json): string {
  return /^#\/components\/schemas\/(.*)$/.exec(`${Object(value).$ref}`)?.[1] ?? '';
}

/** A resource has an id and says what it is. */
function isResource(schema: Json): boolean {
  const { id, object } = Object(Object(schema).properties);
  return id !== undefined && object !== undefined;
}

/** Returns since when and until when a deprecated part is there, in words. */
export function describeEnd({ deprecated, 'x-deprecated-since': since, 'x-sunset': sunset }: Schema): string[] {
  if (deprecated !== true) return [];
  return [`deprecated since ${since}${sunset === undefined ? '' : `, ends ${sunset}`}`];
}

/** Returns the limits of a value in words. */
function describeLimits(schema: Schema): string[] {
  const range = (low: Json, high: Json, unit: string) => {
    if (low === undefined && high === undefined) return [];
    if (low === undefined) return [`at most ${high}${unit}`];
    return [high === undefined ? `at least ${low}${unit}` : `${low} to ${high}${unit}`];
  };
  return [
    ...range(schema.minimum, schema.maximum, ''),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...range(undefined, schema.maxProperties, ' members'),
    ...(schema.default === undefined ? [] : [`${schema.default} by default`]),
  ];
}
