import { firstIdAt } from '../base/ids.ts';
import { fresh, type Scope } from '../base/scope.ts';
import { isLockTimeout } from '../database/query/errors.ts';
import { sql } from '../database/query/sql.ts';

/*
 * Closed links leave the tables that every request uses (docs/decisions/0052-archive.md). All reads find them as before.
 * `link/lock.ts` brings a link back before it changes.
 */

/**
 * Shortest time after which links are archived. Banks accept disputes for 120 days as a rule. The processor is asked about a
 * payment for up to 127 days. Events are kept for 90 days, and redelivered ones for some 30 more.
 */
export const SHORTEST_ARCHIVE_DAYS = 180;

/** Links of one statement. A late change of one of them waits for it, so it takes a few tenths of a second. */
const BATCH = 100;

const DAY_MS = 86_400_000;

/**
 * Archives the links of which nothing has changed for so many days, a batch per transaction. The first run only attaches
 * the archive to the tables. Any number of workers may run it at once.
 *
 * @param days null: nothing is archived
 * @param shouldContinue called before each batch; false ends the run
 * @returns the number of archived links
 */
export async function archiveLinks(
  newScope: () => Scope,
  days: number | null,
  shouldContinue: () => boolean = () => true,
): Promise<number> {
  if (days === null) return 0;
  const scope = newScope();
  const before = new Date(scope.clock.now().getTime() - days * DAY_MS);
  let after: string | null = '';
  let total = 0;
  try {
    if (await attach(scope)) return 0;
    while (after !== null && shouldContinue()) {
      const [batch]: { archived: number; lastId: string | null }[] = await sql(
        fresh(scope).em,
        'select archived, last_id as "lastId" from archive_links($1, $2, $3, $4)',
        [after, firstIdAt('paymentLink', before), before, BATCH],
      );
      total += batch?.archived ?? 0;
      after = batch?.lastId ?? null;
    }
  } catch (err) {
    if (!isLockTimeout(err)) throw err;
    scope.log.info('a table or row of the archive is locked; the next run tries again');
  }
  if (total > 0) scope.log.info({ links: total }, 'closed payment links were archived');
  return total;
}

/** Attaches the archive to the present tables. @returns false if it was attached before */
async function attach({ em, log }: Scope): Promise<boolean> {
  const [state] = await sql<{ attached: boolean }>(em, 'select attach_archive() as attached');
  if (state?.attached !== true) return false;
  log.info('the archive of payment links is attached; the next run begins to fill it');
  return true;
}
