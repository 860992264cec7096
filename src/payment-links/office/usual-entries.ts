import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { SEEN_LINK, type Staff, viewerValues } from '../model/staff-status.ts';

/** Entries with which the form of a new link begins. */
interface UsualEntries {
  /** Location of the link that the person created last; null without one. */
  locationId: string | null;
  /** Descriptions that several patients had lately, the most frequent first. Others could name a patient. */
  descriptions: string[];
}

/** Reads a bounded part of the log and of the links. The person sees the descriptions of own locations only. */
const READ = `
  select (
    select l.location_id from (
      select id, action, target_id from audit_log where practice_id = $1 and actor_id = $4 order by id desc limit 500
    ) as a join payment_links l on l.id = a.target_id where a.action = 'link.created' and ${SEEN_LINK} order by a.id desc limit 1
  ) as "locationId", array(
    select description from (
      select * from payment_links where practice_id = $1 and test = $2 order by created_at desc, id desc limit 500
    ) as l where ${SEEN_LINK} group by description having count(distinct (patient_first_name, patient_last_name)) > 1
    order by count(*) desc, description limit 10
  ) as descriptions`;

/** Returns what the person, and others of the practice, entered lately. */
export async function readUsualEntries({ em }: Scope, { actor, viewer }: Staff): Promise<UsualEntries> {
  const actorId = actor.kind === 'operator' ? null : actor.id;
  const [row] = await sql<UsualEntries>(em, READ, [...viewerValues(viewer), actorId]);
  if (row === undefined) throw new Error('a select without from has one row');
  return row;
}
