/**
 * Base of all errors of the embedded server. The message names the fault, and the hint names the next step. Both are
 * complete sentences for a terminal.
 */
export class EmbeddedPostgresError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.hint = hint;
  }
}

/** The PostgreSQL programs are missing, or this machine can't execute them. */
export class BinariesUnusable extends EmbeddedPostgresError {}

/** The account this process runs under can't use the folder, or root finds no account that could run the server. */
export class AccountUnusable extends EmbeddedPostgresError {}

/** The server did not start or stop in time. The message ends with the last lines of its log. */
export class ServerFailed extends EmbeddedPostgresError {}
