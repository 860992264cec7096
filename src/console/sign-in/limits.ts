import { createHash } from 'node:crypto';
import type { Scope } from '../../base/scope.ts';
import { type RateSlot, takeRateSlot } from '../../limits/rate-slot.ts';

/** Sign-in forms of one client address per minute. A whole office may share an address. */
const FORMS_PER_MINUTE = 20;

/** Requests for mails to one mail address per minute, known or not. */
const MAILS_PER_MINUTE = 3;

/** Pages and forms of one client address per minute, before its session is known. */
const REQUESTS_PER_MINUTE = 600;

/** Counts a request of a client address. */
export function admitRequest(scope: Scope, address: string): Promise<RateSlot> {
  return takeRateSlot(scope, `console:${address}`, REQUESTS_PER_MINUTE);
}

/** Counts a form of the sign-in pages of a client address. */
export function admitSignInForm(scope: Scope, address: string): Promise<RateSlot> {
  return takeRateSlot(scope, `console-sign-in:${address}`, FORMS_PER_MINUTE);
}

/** Counts a request for a mail to a mail address. The rate window has only the hash of the address. */
export function admitMailRequest(scope: Scope, email: string): Promise<RateSlot> {
  const hash = createHash('sha256').update(email).digest('base64url');
  return takeRateSlot(scope, `console-mail:${hash}`, MAILS_PER_MINUTE);
}
