import type { FieldFault } from '../../payment-links/office/input.ts';

/** The person who acts lost the right during the request, before it could lock what it changes. */
export class RightLost extends Error {}

/** Refuses a form. The message is the sentence that the page of the form shows; empty if its wrong fields say all. */
export class Refused extends Error {
  readonly faults: readonly FieldFault[];

  constructor(sentence: string, faults: readonly FieldFault[] = []) {
    super(sentence);
    this.faults = faults;
  }
}

/** Pages that answer instead of the one that was asked for, with their usual statuses. */
export const PROBLEMS = {
  not_found: 404,
  forbidden: 403,
  method_not_allowed: 405,
  invalid_form: 400,
  not_confirmed: 422,
  file_too_large: 413,
  foreign_form: 403,
  old_sign_in: 403,
  too_many: 429,
  failure: 500,
  unavailable: 503,
} as const;

export type Problem = keyof typeof PROBLEMS;
