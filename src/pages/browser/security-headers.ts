/**
 * What a page may load beside its own script, style and images: nothing; itself once more, to see whether there is news;
 * or what Stripe's form needs.
 */
export type Loads = 'own' | 'itself' | 'stripe';

/** Stripe's script; the version is the one that belongs to the API version of the SDK this service uses. */
export const STRIPE_SCRIPT = 'https://js.stripe.com/endive/stripe.js';

/** Where Stripe's script comes from, and the frames in which card and bank numbers are typed. */
const STRIPE_ORIGINS = 'https://js.stripe.com https://*.js.stripe.com';

/** Further sources by directive. */
const SOURCES: Readonly<Record<Loads, Readonly<Record<string, string>>>> = {
  own: {},
  itself: { 'connect-src': "'self'" },
  stripe: {
    'script-src': STRIPE_ORIGINS,
    'frame-src': `${STRIPE_ORIGINS} https://hooks.stripe.com`,
    'connect-src': 'https://api.stripe.com',
  },
};

/**
 * The headers of a page. docs/page-scripts-and-headers.md gives the reason for each; a test compares what a browser got
 * with it.
 */
export function pageHeaders(loads: Loads): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(SOURCES[loads]),
    'Strict-Transport-Security': 'max-age=63072000',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex, nofollow, noarchive',
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': loads === 'stripe' ? 'same-origin-allow-popups' : 'same-origin',
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

/** 'none' stands alone or not at all. */
function sources(own: string, further: string | undefined): string {
  if (further === undefined) return own;
  return own === "'none'" ? further : `${own} ${further}`;
}

function permissionsPolicy(loads: Loads): string {
  // Banks may confirm a card payment by the browser's own dialogue, from inside Stripe's frames.
  const payment = loads === 'stripe' ? '(self "https://js.stripe.com" "https://hooks.stripe.com")' : '()';
  return `camera=(), geolocation=(), microphone=(), usb=(), payment=${payment}`;
}
