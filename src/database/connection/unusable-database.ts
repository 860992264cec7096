/**
 * Thrown if the database at DATABASE_URL is unusable until an operator changes something. The process ends. For a database
 * that is only unreachable, the process waits.
 */
export class UnusableDatabase extends Error {
  /** The next step for the operator. */
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnusableDatabase';
    this.hint = hint;
  }
}
