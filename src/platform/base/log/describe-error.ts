import { sqlState } from '../sql-state.ts';

/** Fields of a database error that never contain values of a row. */
const DATABASE_FIELDS = ['severity', 'schema', 'table', 'column', 'constraint', 'routine'] as const;

/** Messages of the database quote rows, so it shows only code, table and constraint of those. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const state = sqlState(error);
  return {
    type: error.name,
    message: safeMessage(error),
    code: state ?? ('code' in error ? error.code : undefined),
    ...(state === null ? {} : databaseFields(error)),
    // The frames without the message at the beginning.
    stack: [...(error.stack ?? '').matchAll(/^ {4}(at .*)$/gm)].map(([, frame]) => frame),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

export function safeMessage(error: Error): string {
  const state = sqlState(error);
  if (state === null) return error.message;
  const { table, constraint } = databaseFields(error);
  const where = [table, constraint].filter((name) => name !== undefined).join(', ');
  return `the database refused a statement with SQLSTATE ${state}${where === '' ? '' : ` (${where})`}`;
}

function databaseFields(error: Error): Partial<Record<(typeof DATABASE_FIELDS)[number], unknown>> {
  const fields = DATABASE_FIELDS.map((name) => [name, Reflect.get(error, name)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
