import type { Context } from 'mocha';

/** Finds the reason in the full title of a test that was left out. */
export const LEFT_OUT = /\(left out: ([^()]*)\)/;

/**
 * Leaves out the test, or after a `before` all tests of its `describe`. `make test` repeats the reason at its end.
 *
 * @param reason what is missing; without parentheses
 */
export function leaveOut(context: Context, reason: string): never {
  const { test } = context;
  const part = test !== undefined && 'type' in test && test.type === 'hook' ? test.parent : test;
  if (part !== undefined) part.title += ` (left out: ${reason})`;
  // The title has the reason of the caller.
  return context.skip();
}
