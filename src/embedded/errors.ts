/**
 * The embedded server can't do its work on this machine as it is. The message says what is wrong, the hint what a person
 * can do about it; both are whole sentences for a terminal.
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

/** The server did not start or stop in time. The message ends with the end of its log. */
export class ServerFailed extends EmbeddedPostgresError {}
