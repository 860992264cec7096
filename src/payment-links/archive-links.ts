import { firstIdAt } from '../base/ids.ts';
import { fresh, type Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';

/*
 * Closed links leave the tables that every request uses (docs/decisions/0052-archive.md). All reads find them as before.
 * `link/lock.ts` brings a link back before it changes.
 */

/**
 * Shortest time after which links are archived. By then banks accept no more disputes (120 days), the processor is not asked
 * about a payment any more (127 days), and retention has deleted all events of the link (120 days at most, as a rule).
 */
export const SHORTEST_ARCHIVE_DAYS = 180;

/** Links of one statement. It takes about a second, and stays far below the timeout of statements. */
const BATCH = 500;

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
  const [state] = await sql<{ attached: boolean }>(scope.em, 'select attach_archive() as attached');
  if (state?.attached === true) {
    scope.log.info('the archive of payment links is attached; the next run begins to fill it');
    return 0;
  }
  const before = new Date(scope.clock.now().getTime() - days * DAY_MS);
  let after: string | null = '';
  let total = 0;
  while (after !== null && shouldContinue()) {
    const [batch]: { archived: number; lastId: string | null }[] = await sql(
      fresh(scope).em,
      'select archived, last_id as "lastId" from archive_links($1, $2, $3, $4)',
      [after, firstIdAt('paymentLink', before), before, BATCH],
    );
    total += batch?.archived ?? 0;
    after = batch?.lastId ?? null;
  }
  if (total > 0) scope.log.info({ links: total }, 'closed payment links were archived');
  return total;
}
