import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { DEVICE_LIFETIME_MS } from './devices.ts';

/** Time for which ended sessions, tokens and requests stay, for the counts of mails. */
const KEPT_MS = 24 * 60 * 60_000;

/** Time for which an expired invitation can still be sent again. */
const EXPIRED_INVITATION_MS = 30 * 24 * 60 * 60_000;

/** Rows of each table per statement. */
const BATCH = 1_000;

/**
 * Deletes requests, tokens, challenges and sessions that ended a day ago, and devices that are not known any more.
 * Deletes old invitations, and the counts of their mails.
 *
 * @returns true if there may be more to delete
 */
export async function purgeSignIns(scope: Scope): Promise<boolean> {
  const ago = (ms: number) => new Date(scope.clock.now().getTime() - ms);
  const [row] = await sql<{ full: boolean }>(
    scope.em,
    `with requests as (
       delete from sign_in_requests where id in (
         select id from sign_in_requests where created_at < $1 limit $2 for update skip locked
       ) returning 1
     ), tokens as (
       delete from sign_in_tokens where hash in (
         select hash from sign_in_tokens where expires_at < $1 limit $2 for update skip locked
       ) returning 1
     ), challenges as (
       delete from passkey_challenges where hash in (
         select hash from passkey_challenges where expires_at < $1 limit $2 for update skip locked
       ) returning 1
     ), sessions as (
       delete from console_sessions where hash in (
         select hash from console_sessions where last_used_at < $1 limit $2 for update skip locked
       ) returning 1
     ), devices as (
       delete from console_devices where (hash, person_id) in (
         select hash, person_id from console_devices where used_at < $3 limit $2 for update skip locked
       ) returning 1
     ), invitations as (
       delete from invitations where id in (
         select id from invitations where expires_at < $4 limit $2 for update skip locked
       ) returning 1
     ), mails as (
       delete from invitation_mails where ctid = any (array(
         select ctid from invitation_mails where created_at < $1 limit $2 for update skip locked
       )) returning 1
     )
     select greatest((select count(*) from requests), (select count(*) from tokens),
       (select count(*) from challenges), (select count(*) from sessions), (select count(*) from devices),
       (select count(*) from invitations), (select count(*) from mails)) = $2 as full`,
    [ago(KEPT_MS), BATCH, ago(DEVICE_LIFETIME_MS), ago(EXPIRED_INVITATION_MS)],
  );
  return row?.full === true;
}
