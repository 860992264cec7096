import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { hashOf, randomToken } from './tokens.ts';

/*
 * Browsers in which people have signed in. Such a browser has limits of its own, so that nobody uses up the limits of another
 * person. It admits to nothing else: it only asks for mails to people who have signed in there.
 */

/** Time after the latest sign-in for which a device is known. */
export const DEVICE_LIFETIME_MS = 180 * 24 * 60 * 60_000;

/** The one that sends a form of the sign-in, as limits count it. */
export interface Sender {
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
  if (device === null) return { device: null, emails: [], address };
  const hash = hashOf(device);
  const rows = await sql<{ email: string }>(
    em,
    `select p.email from console_devices d join people p on p.id = d.person_id
     where d.hash = $1 and d.used_at > $2 order by d.used_at desc limit 100`,
    [hash, new Date(clock.now().getTime() - DEVICE_LIFETIME_MS)],
  );
  if (rows.length === 0) return { device: null, emails: [], address };
  return { device: hash, emails: rows.map(({ email }) => email), address };
}

/**
 * Makes the device of a sign-in known, and returns its new cookie. Everyone who has signed in on the device stays known there.
 * The former cookie is worth nothing afterwards, because another person may have planted it.
 */
export async function rememberDevice({ em, clock }: Scope, personId: string, former: string | null): Promise<string> {
  const device = randomToken();
  if (former !== null) {
    await sql(em, 'update console_devices set hash = $1 where hash = $2', [hashOf(device), hashOf(former)]);
  }
  await sql(
    em,
    `insert into console_devices (hash, person_id, used_at) values ($1, $2, $3)
     on conflict (hash, person_id) do update set used_at = excluded.used_at`,
    [hashOf(device), personId, clock.now()],
  );
  return device;
}

/** Forgets all devices of a person, in the caller's transaction. */
export async function forgetDevices({ em }: Scope, personId: string): Promise<void> {
  await sql(em, 'delete from console_devices where person_id = $1', [personId]);
}
