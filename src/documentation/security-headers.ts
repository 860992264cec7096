/**
 * Hashes of the style elements of Redoc: an empty one, which it fills through the object model, and the one of its scroll
 * bars. A policy with hashes allows these texts and no other.
 */
const REDOC_STYLES =
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='";

/** Headers of every file. */
export const SHARED_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000',
} as const;

/** Headers of the contract's texts. Editors and viewers of OpenAPI run in browsers, on other origins. */
export const CONTRACT_HEADERS = {
  ...SHARED_HEADERS,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
} as const;

/**
 * Headers of a page. Scripts and styles come from files of our own origin only. The reference also has the style elements
 * of Redoc.
 */
export function pageHeaders(kind: 'page' | 'reference'): Record<string, string> {
  const style = kind === 'reference' ? `'self' ${REDOC_STYLES}` : "'self'";
  return {
    ...SHARED_HEADERS,
    'Content-Security-Policy':
      `default-src 'none'; script-src 'self'; style-src ${style}; img-src 'self' data:; connect-src 'self'; ` +
      "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), usb=(), payment=()',
  };
}
