/** Work for the end of a run in one process. */
const closers: (() => Promise<void>)[] = [];

/**
 * Runs the function after the last test file. In a parallel run, a process does not learn which file is its last: there
 * it ends without the call.
 */
export function atEnd(close: () => Promise<void>): void {
  closers.push(close);
}

export async function closeAtEnd(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}
