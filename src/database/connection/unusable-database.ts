/**
 * The database, as DATABASE_URL reaches it, can't be worked with, and won't be until somebody changes something: the
 * process ends. One that is merely out of reach is waited for.
 */
export class UnusableDatabase extends Error {
  /** What to do next. */
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnusableDatabase';
    this.hint = hint;
  }
}
