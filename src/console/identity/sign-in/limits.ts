import { createHash } from 'node:crypto';
import { type RateSlot, takeRateSlot } from '../../../access/rate-windows.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import type { Sender } from './devices.ts';

/**
 * Sign-in forms per minute from one known device, or from one client address without a known device. A whole office may share
 * an address.
 */
const FORMS_PER_MINUTE = 20;

/** Requests of one sender for mails to one mail address per minute, known or not. */
const MAILS_PER_MINUTE = 3;

/** Pages and forms of one client address per minute, before its session is known. */
const REQUESTS_PER_MINUTE = 600;

export function admitRequest(scope: Scope, address: string): Promise<RateSlot> {
  return takeRateSlot(scope, `console:${address}`, REQUESTS_PER_MINUTE);
}

/** Counts a form of the sign-in pages. Forms of others at the same client address do not count for a known device. */
export function admitSignInForm(scope: Scope, { device, address }: Sender): Promise<RateSlot> {
  const subject = device === null ? address : `device:${device.toString('base64url')}`;
  return takeRateSlot(scope, `console-sign-in:${subject}`, FORMS_PER_MINUTE);
}

/**
 * Counts a request for a mail to a mail address. Requests of other senders do not count, so nobody can use up the limit of
 * another person. A known device counts only for people who have signed in on it. The rate window has only a hash.
 */
export function admitMailRequest(scope: Scope, { device, emails, address }: Sender, email: string): Promise<RateSlot> {
  const sender = device !== null && emails.includes(email) ? device.toString('base64url') : address;
  const hash = createHash('sha256').update(`${sender} ${email}`).digest('base64url');
  return takeRateSlot(scope, `console-mail:${hash}`, MAILS_PER_MINUTE);
}

/** Counts a form of a signed-in person that concerns the sign-in: a confirmation, or a new passkey. */
export function admitPersonForm(scope: Scope, personId: string): Promise<RateSlot> {
  return takeRateSlot(scope, `console-person:${personId}`, FORMS_PER_MINUTE);
}
