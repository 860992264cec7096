/** Returns the `code` of an error of Node (`ECONNRESET`, `ESERVFAIL`); an empty string without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
