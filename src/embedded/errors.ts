/**
 * Thrown by the embedded server. The message names the fault, and the hint names the next step. Both are complete sentences
 * for a terminal.
 */
export class EmbeddedPostgresError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
    this.hint = hint;
  }
}
