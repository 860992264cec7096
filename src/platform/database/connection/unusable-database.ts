import { OperatorError } from '../../base/errors.ts';
import { sqlState } from '../../base/sql-state.ts';

/** An operator has to change something. A process that starts ends; it waits for a database that is only unreachable. */
export class UnusableDatabase extends OperatorError {}

/** A pooler shares sessions or drops their settings. Work in them would affect others, so a process ends also after its start. */
export class UnsafeSession extends UnusableDatabase {}

export class UnreachableDatabase extends OperatorError {
  constructor(cause: Error) {
    const state = sqlState(cause);
    // An error of several addresses that refuse has no message.
    const name = 'code' in cause ? cause.code : cause.name;
    super(
      state === null
        ? `The database of DATABASE_URL is out of reach: ${cause.message || name}.`
        : `The database of DATABASE_URL ${state === STATEMENT_TIMEOUT ? 'cancels statements' : 'accepts no connection'} now (SQLSTATE ${state}).`,
      REFUSALS[state ?? ''] ?? 'Check host and port, that PostgreSQL runs there, and what lies between.',
      { cause },
    );
  }
}

/** PostgreSQL's `query_canceled`. The service itself cancels no statement. */
export const STATEMENT_TIMEOUT = '57014';

export const STATEMENT_TIMEOUT_HINT =
  'PostgreSQL cancels statements after statement_timeout: raise it in DATABASE_URL, or reset it for the role or database ' +
  '(alter role … reset statement_timeout). As the role, "select setting, source from pg_settings where name = ' +
  "'statement_timeout'\" shows where it comes from.";

const REFUSALS: Record<string, string | undefined> = {
  '08P01':
    'A connection pooler such as PgBouncer lets nobody through. Its log names the reason. It refuses options of DATABASE_URL: leave them out.',
  '53300': 'All connections are in use. Compare max_connections with the rule in docs/operations/install.md.',
  [STATEMENT_TIMEOUT]: STATEMENT_TIMEOUT_HINT,
  '57P03': 'PostgreSQL starts or stops. Try again, and look at its log.',
};

export const NO_SUCH_DATABASE = '3D000';

/** Message and hint by SQLSTATE. 42501 is a missing right. */
const UNUSABLE: Record<string, readonly [message: string, hint: string] | undefined> = {
  [NO_SUCH_DATABASE]: [
    'The database that DATABASE_URL names does not exist (SQLSTATE 3D000).',
    'Create it as an administrator of PostgreSQL: createdb --owner=<user> --encoding=UTF8 --template=template0 <database>',
  ],
  '42501': [
    'The user of DATABASE_URL lacks a right in the database (SQLSTATE 42501).',
    'Let it own the database: alter database <database> owner to <user>. It must own the tables as well, if there are any.',
  ],
};

/** Returns null for errors that may pass. */
export function explainUnusable(error: unknown): UnusableDatabase | null {
  const fault = UNUSABLE[sqlState(error) ?? ''];
  return fault === undefined ? null : new UnusableDatabase(...fault, { cause: error });
}
