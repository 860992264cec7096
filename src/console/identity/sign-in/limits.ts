import { createHash } from 'node:crypto';
import { type RateSlot, takeRateSlot } from '../../../access/rate-windows.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { hashToken, randomToken } from './tokens.ts';

/* Limits of forms and mails. Browsers in which people have signed in have separate limits, so that nobody uses up the limits of another person. */

/** Time after the latest sign-in for which a device is known. */
export const DEVICE_LIFETIME_MS = 180 * 24 * 60 * 60_000;

/** The one that sends a form of the sign-in, as limits count it. */
interface Sender {
  /** Hash of the device cookie; null for a device that is not known. */
  device: Buffer | null;
  /** Mail addresses of the people who have signed in on the device. */
  emails: readonly string[];
  address: string;
}

/** Returns the sender of a request. A cookie that nobody has signed in with counts as none. */
export async function findSender(
  { em, clock }: Scope,
  { device, limitAddress: address }: { device: string | null; limitAddress: string },
): Promise<Sender> {
  const hash = device === null ? null : hashToken(device);
  const text = `select p.email from console_devices d join people p on p.id = d.person_id
     where d.hash = $1 and d.used_at > $2 order by d.used_at desc limit 100`;
  const rows = await sql<{ email: string }>(em, text, [hash, new Date(clock.now().getTime() - DEVICE_LIFETIME_MS)]);
  return { device: rows.length === 0 ? null : hash, emails: rows.map(({ email }) => email), address };
}

/** Makes the device of a sign-in known, and returns its new cookie. The former one may be planted, so it is worth nothing afterwards. */
export async function rememberDevice({ em, clock }: Scope, personId: string, former: string | null): Promise<string> {
  const device = randomToken();
  if (former !== null) {
    await sql(em, 'update console_devices set hash = $1 where hash = $2', [hashToken(device), hashToken(former)]);
  }
  const text = `insert into console_devices (hash, person_id, used_at) values ($1, $2, $3)
     on conflict (hash, person_id) do update set used_at = excluded.used_at`;
  await sql(em, text, [hashToken(device), personId, clock.now()]);
  return device;
}

/** Sign-in forms per minute from one known device, or one client address: a whole office may share an address. */
const FORMS_PER_MINUTE = 20;
const MAILS_PER_MINUTE = 3;
const REQUESTS_PER_MINUTE = 600;

export function admitRequest(scope: Scope, address: string): Promise<RateSlot> {
  return takeRateSlot(scope, `console:${address}`, REQUESTS_PER_MINUTE);
}

/** Counts a form of the sign-in pages. Forms of others at the same client address do not count for a known device. */
export async function admitSignInForm(scope: Scope, visit: Parameters<typeof findSender>[1]): Promise<RateSlot> {
  const { device, address } = await findSender(scope, visit);
  const subject = device === null ? address : `device:${device.toString('base64url')}`;
  return takeRateSlot(scope, `console-sign-in:${subject}`, FORMS_PER_MINUTE);
}

/** Counts a request for a mail by its sender. A known device counts only for people who have signed in on it. */
export function admitMailRequest(scope: Scope, { device, emails, address }: Sender, email: string): Promise<RateSlot> {
  const sender = device !== null && emails.includes(email) ? device.toString('base64url') : address;
  const hash = createHash('sha256').update(`${sender} ${email}`).digest('base64url');
  return takeRateSlot(scope, `console-mail:${hash}`, MAILS_PER_MINUTE);
}

/** Counts a form of a signed-in person that concerns the sign-in. */
export function admitPersonForm(scope: Scope, personId: string): Promise<RateSlot> {
  return takeRateSlot(scope, `console-person:${personId}`, FORMS_PER_MINUTE);
}
