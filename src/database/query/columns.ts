import { UnderscoreNamingStrategy } from '@mikro-orm/postgresql';

const naming = new UnderscoreNamingStrategy();

/** Names of columns by the names of properties. The entities' columns follow the same rule. */
const columns = new Map<string, string>();

/**
 * Returns the JSON of a row for `json_populate_record`: one parameter instead of one per column. The names of the columns
 * follow from those of the properties, as in the entities.
 */
export function rowJson(properties: object): string {
  const row: Record<string, unknown> = {};
  for (const [property, value] of Object.entries(properties)) {
    const column = columns.get(property) ?? naming.propertyToColumnName(property);
    columns.set(property, column);
    row[column] = value;
  }
  return JSON.stringify(row);
}
