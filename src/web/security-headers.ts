/**
 * Sources that a page may load beside its own files. `own`: none. `itself`: the page again, to see whether its state changed.
 * `script`: everything that the processor's form needs; `script_with_wallets`: the same with Apple Pay and Google Pay.
 */
export type Loads = 'own' | 'itself' | 'script' | 'script_with_wallets';

/** Stripe's script, in the version that belongs to the API version of our SDK. */
export const STRIPE_SCRIPT = 'https://js.stripe.com/endive/stripe.js';

/** Origins of Stripe's script and of the frames in which patients type card and bank numbers. */
const STRIPE_ORIGINS = 'https://js.stripe.com https://*.js.stripe.com';

/** Addresses of Google Pay that browsers read for the page. The first redirects to the second. */
const GOOGLE_PAY = 'https://google.com/pay https://pay.google.com';

type Sources = Record<'script' | 'frame' | 'connect', string>;

const OWN: Sources = { script: "'self'", frame: "'none'", connect: "'none'" };

const STRIPE: Sources = {
  script: `'self' ${STRIPE_ORIGINS}`,
  frame: `${STRIPE_ORIGINS} https://hooks.stripe.com`,
  connect: 'https://api.stripe.com',
};

const SOURCES: Readonly<Record<Loads, Sources>> = {
  own: OWN,
  itself: { ...OWN, connect: "'self'" },
  script: STRIPE,
  script_with_wallets: { ...STRIPE, connect: `${STRIPE.connect} ${GOOGLE_PAY}` },
};

/** Headers of a page. docs/page-scripts-and-headers.md gives the reason for each, and a test compares both. */
export function pageHeaders(loads: Loads): Record<string, string> {
  const { script, frame, connect } = SOURCES[loads];
  const hasScript = loads === 'script' || loads === 'script_with_wallets';
  // A bank may confirm a card payment by the browser's own dialogue, from inside Stripe's frames.
  const payment = hasScript ? '(self "https://js.stripe.com" "https://hooks.stripe.com")' : '()';
  return {
    'Content-Security-Policy':
      `default-src 'none'; script-src ${script}; style-src 'self'; img-src 'self'; connect-src ${connect}; ` +
      `frame-src ${frame}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'Strict-Transport-Security': 'max-age=63072000',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex, nofollow, noarchive',
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': hasScript ? 'same-origin-allow-popups' : 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': `camera=(), geolocation=(), microphone=(), usb=(), payment=${payment}`,
  };
}
