/**
 * Sources that a page may load beside its own script, style and images. `own`: none. `itself`: the page again, to see
 * whether its state changed. `script`: everything that the processor's form needs; `script_with_wallets`: the same with Apple
 * Pay and Google Pay.
 */
export type Loads = 'own' | 'itself' | 'script' | 'script_with_wallets';

/** Stripe's script, in the version that belongs to the API version of our SDK. */
export const STRIPE_SCRIPT = 'https://js.stripe.com/endive/stripe.js';

/** Origins of Stripe's script and of the frames in which patients type card and bank numbers. */
const STRIPE_ORIGINS = 'https://js.stripe.com https://*.js.stripe.com';

/** Addresses of Google Pay that browsers read for the page. The first redirects to the second. */
const GOOGLE_PAY = 'https://google.com/pay https://pay.google.com';

const STRIPE_SOURCES = {
  'script-src': STRIPE_ORIGINS,
  'frame-src': `${STRIPE_ORIGINS} https://hooks.stripe.com`,
  'connect-src': 'https://api.stripe.com',
};

/** Additional sources by directive. */
const SOURCES: Readonly<Record<Loads, Readonly<Record<string, string>>>> = {
  own: {},
  itself: { 'connect-src': "'self'" },
  script: STRIPE_SOURCES,
  script_with_wallets: { ...STRIPE_SOURCES, 'connect-src': `${STRIPE_SOURCES['connect-src']} ${GOOGLE_PAY}` },
};

/** Headers of a page. docs/page-scripts-and-headers.md gives the reason for each, and a test compares both. */
export function pageHeaders(loads: Loads): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(SOURCES[loads]),
    'Strict-Transport-Security': 'max-age=63072000',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex, nofollow, noarchive',
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': hasScript(loads) ? 'same-origin-allow-popups' : 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': permissionsPolicy(loads),
  };
}

function contentSecurityPolicy(further: Readonly<Record<string, string>>): string {
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'connect-src': "'none'",
    'frame-src': "'none'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
  };
  return Object.entries(directives)
    .map(([name, own]) => `${name} ${sources(own, further[name])}`)
    .join('; ');
}

/** Joins two source lists. The keyword 'none' must stand alone. */
function sources(own: string, further: string | undefined): string {
  if (further === undefined) return own;
  return own === "'none'" ? further : `${own} ${further}`;
}

function hasScript(loads: Loads): boolean {
  return loads === 'script' || loads === 'script_with_wallets';
}

function permissionsPolicy(loads: Loads): string {
  // A bank may confirm a card payment by the browser's own dialogue, from inside Stripe's frames.
  const payment = hasScript(loads) ? '(self "https://js.stripe.com" "https://hooks.stripe.com")' : '()';
  return `camera=(), geolocation=(), microphone=(), usb=(), payment=${payment}`;
}
