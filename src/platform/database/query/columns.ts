import { DateTimeType, type EntityClass, EntitySchema, UnderscoreNamingStrategy } from '@mikro-orm/postgresql';

/* No select, insert or update names the columns of a link by hand, so a new property of an entity is read and written everywhere. */

export type PropertyOf<E> = Extract<keyof E, string>;

export interface Column<E> {
  property: PropertyOf<E>;
  name: string;
  isTime: boolean;
  isNullable: boolean;
  /** True if the database gives a new row its value, and no update names it. */
  isSetByDatabase: boolean;
}

export type Texts<T> = { [K in keyof T]: Date extends T[K] ? Exclude<T[K], Date> | string : T[K] };

const naming = new UnderscoreNamingStrategy();

export function tableName<E extends object>(entity: EntityClass<E>): string {
  return findSchema(entity).tableName;
}

/** Returns null for each property that may be null: a new row before its values. */
export function makeNulls<E extends object>(entity: EntityClass<E>) {
  const nullable = listColumns(entity).filter(({ isNullable }) => isNullable);
  // The type of the entity comes from the same properties.
  return Object.fromEntries(nullable.map(({ property }) => [property, null])) as {
    [Property in keyof E as null extends E[Property] ? Property : never]: null;
  };
}

export function listColumns<E extends object>(entity: EntityClass<E>): Column<E>[] {
  const properties: Record<string, { type: unknown; defaultRaw?: string; nullable?: boolean }> =
    findSchema(entity).properties;
  return Object.entries(properties).map(([property, { type, defaultRaw, nullable }]) => ({
    // The metadata names the properties of its own entity.
    property: property as PropertyOf<E>,
    name: naming.propertyToColumnName(property),
    isTime: type === DateTimeType,
    isNullable: nullable === true,
    isSetByDatabase: defaultRaw !== undefined,
  }));
}

/** It is there when the module is loaded, before a database is known. */
function findSchema<E extends object>(entity: EntityClass<E>): EntitySchema {
  const schema = EntitySchema.REGISTRY.get(entity);
  if (schema === undefined) throw new Error(`${entity.name} is no entity`);
  return schema;
}

export function propertiesWithout<E extends object>(
  entity: EntityClass<E>,
  omitted: readonly PropertyOf<E>[],
): PropertyOf<E>[] {
  return listColumns(entity).flatMap(({ property }) => (omitted.includes(property) ? [] : [property]));
}

/** Returns a select list of all columns, or of these, named as their properties. */
export function selectList<E extends object>(
  entity: EntityClass<E>,
  alias: string,
  properties?: readonly PropertyOf<E>[],
): string {
  return chooseColumns(entity, properties)
    .map(({ property, name }) => `${alias}.${name} as "${property}"`)
    .join(', ');
}

/** Returns an expression for a JSON object of all columns, or of these, named as their properties. */
export function jsonObject<E extends object>(
  entity: EntityClass<E>,
  alias: string,
  properties?: readonly PropertyOf<E>[],
): string {
  const members = chooseColumns(entity, properties).map(({ property, name }) => `'${property}', ${alias}.${name}`);
  return `json_build_object(${members.join(', ')})`;
}

function chooseColumns<E extends object>(entity: EntityClass<E>, properties?: readonly PropertyOf<E>[]): Column<E>[] {
  return listColumns(entity).filter(({ property }) => properties?.includes(property) ?? true);
}

export function parseTime(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** Returns a function that makes rows of what `selectList` or `jsonObject` reads. */
export function rowReader<E extends object>(entity: EntityClass<E>): <T extends Partial<E>>(row: Texts<T>) => T {
  const times = new Set<string>(listColumns(entity).flatMap(({ property, isTime }) => (isTime ? [property] : [])));
  return <T extends Partial<E>>(row: Texts<T>) => {
    const entries = Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && times.has(name) ? new Date(value) : value,
    ]);
    // Exactly the times are text in the row.
    return Object.fromEntries(entries) as T;
  };
}

/** Returns a row for `json_populate_record`. @throws Error for an undefined value, which JSON would leave out */
export function jsonRow(properties: object): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [property, value] of Object.entries(properties)) {
    if (value === undefined) throw new Error(`${property} has no value`);
    // The text of a byte array in PostgreSQL.
    row[naming.propertyToColumnName(property)] = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value;
  }
  return row;
}
