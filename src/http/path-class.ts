/** Names of requests without a route, by the beginning of their path. */
const CLASSES: readonly [RegExp, string][] = [
  [/^\/(healthz|readyz)$/, 'health'],
  [/^\/api(\/|$)/, 'unknown_api'],
  [/^\/(pay|console|docs|processor)(\/|$)/, 'unknown_$1'],
];

/** Methods of operations and pages. All others share a label, because clients could send any number of them. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PATCH', 'DELETE']);

/**
 * Returns the name of a request that reached no operation or page, for metrics and log. Its path is unknown, or the
 * request was refused. The path itself may be the secret address of a page.
 */
export function pathClass(path: string): string {
  for (const [pattern, name] of CLASSES) {
    const match = pattern.exec(path);
    if (match !== null) return name.replace('$1', match[1] ?? '');
  }
  return 'unknown';
}

/** Returns the method as metrics and traces have it. */
export function methodClass(method: string): string {
  return METHODS.has(method) ? method : 'other';
}
