import { pageHeaders } from '../../pages/browser/security-headers.ts';

/** Headers of every page. Scripts, styles and images come from files of our own origin only; no page has inline ones. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...pageHeaders('own'),
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // The address of a sign-in page is a secret. Our own forms need the header Origin, which `no-referrer` would empty.
  'Referrer-Policy': 'same-origin',
};
