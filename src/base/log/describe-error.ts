import { sqlState } from '../sql-state.ts';

/** What of a database's error names no value of a row. */
const DATABASE_FIELDS = ['severity', 'schema', 'table', 'column', 'constraint', 'routine'] as const;

/**
 * An error as the log may show it. What the database says of an error quotes the row it is about, names and telephone
 * numbers and page addresses included, so nothing of its text is kept: code, table and constraint tell enough.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const state = sqlState(error);
  return {
    type: error.name,
    message: safeMessage(error),
    code: state ?? ('code' in error ? error.code : undefined),
    ...(state === null ? {} : databaseFields(error)),
    stack: framesOf(error),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

/** The error's message, or for one that the database reported, a sentence of ours. */
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

/** The stack begins with the message; only the frames are ours to show. */
function framesOf(error: Error): string[] {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .map((line) => line.trim());
}
