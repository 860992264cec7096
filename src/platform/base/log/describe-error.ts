import { sqlState } from '../sql-state.ts';

/** Fields of a database error that never contain values of a row. */
const DATABASE_FIELDS = ['severity', 'schema', 'table', 'column', 'constraint', 'routine'] as const;

/**
 * Describes an error for the log. Messages of the database quote rows, so it shows only code, table and constraint of
 * those.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const state = sqlState(error);
  return {
    type: error.name,
    message: safeMessage(error),
    code: state ?? ('code' in error ? error.code : undefined),
    ...(state === null ? {} : databaseFields(error)),
    // The frames without the message at the beginning.
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^ {4}at /.test(line))
      .map((line) => line.trim()),
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
  return Object.fromEntries(
    DATABASE_FIELDS.flatMap((name) => {
      const value: unknown = Reflect.get(error, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
