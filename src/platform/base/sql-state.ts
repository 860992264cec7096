/** Returns the SQLSTATE of an error that the server reported, or null. */
export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  // EPIPE, Node's code of a broken connection, has the form of an SQLSTATE.
  return /^[0-9A-Z]{5}$/.test(error.code) && error.code !== 'EPIPE' ? error.code : null;
}
