import { type Command, InvalidArgumentError } from 'commander';
import { safeMessage } from '../../base/log/describe-error.ts';
import type { Scope } from '../../base/scope.ts';
import { practicesWithin } from '../../cells/invariant.ts';
import type { Cell } from '../../cells/map.ts';
import { databaseUrlFaults } from '../../database/connection/connection.ts';
import { checkDatabase, WrongSecretsKey } from '../../open-database.ts';
import { command, processorAction } from '../command.ts';

/** Adds the commands that move practices to another cell, to the commands on practices. */
export function addMoveCommands(program: Command): void {
  const practices = program.commands.find((command) => command.name() === 'practices');
  if (practices === undefined) throw new Error('the commands on practices are added first');
  command(practices, 'move <id...>', 'moves practices to the database of another cell, or finishes an interrupted move')
    .requiredOption('--to-database-url <url>', 'database of the other cell', databaseUrl)
    .option('--cancel', 'cancels an interrupted move instead; the practices stay', false)
    .action(
      processorAction(
        async (
          { databaseUrl: sourceUrl, scope: { log }, config: { keyring }, keyFaults: { wrong } },
          ids: string[],
          options: { toDatabaseUrl: string; cancel: boolean },
        ) => {
          // The other commands need nothing of it.
          const { cancelMove, movePractices } = await import('../../moves/move.ts');
          const { toDatabaseUrl: targetUrl, cancel } = options;
          if (wrong.length > 0) throw new WrongSecretsKey(wrong);
          await requireTarget(targetUrl, { log, keyring });
          const move = { sourceUrl, targetUrl, practiceIds: ids };
          if (!cancel) return movePractices(move);
          await cancelMove(move);
          return { data: ids.map((id) => ({ id, cancelled: true })) };
        },
      ),
    );
  command(practices, 'delete-moved <id...>', 'deletes what this cell still has of practices that have moved').action(
    processorAction(async ({ databaseUrl, scope, cells }, ids: string[]) => {
      const { deleteMoved } = await import('../../moves/delete-moved.ts');
      if (cells !== null) await requireGivenAway(scope, cells.own, ids);
      return { deletedRows: await deleteMoved(databaseUrl, ids) };
    }),
  );
}

/** Checks the database of the other cell. @throws MoveRefused if it cannot be used, with the fact and the next step */
async function requireTarget(url: string, { log, keyring }: Pick<Scope, 'log' | 'keyring'>): Promise<void> {
  try {
    const { wrong } = await checkDatabase(url, log, keyring);
    if (wrong.length > 0) throw new WrongSecretsKey(wrong);
  } catch (error) {
    if (!(error instanceof Error) || !('hint' in error)) throw error;
    const { MoveRefused } = await import('../../moves/preconditions.ts');
    throw new MoveRefused(`The target, --to-database-url: ${safeMessage(error)}`, String(error.hint), { cause: error });
  }
}

/**
 * Refuses practices whose slot the map still gives to this cell. The edge sends their requests here, and without its rows
 * this cell would answer that their keys are unknown.
 *
 * @throws MoveRefused
 */
async function requireGivenAway({ em }: Scope, own: Cell, ids: readonly string[]): Promise<void> {
  const [first] = await practicesWithin(em, own, ids);
  if (first === undefined) return;
  const { MoveRefused } = await import('../../moves/preconditions.ts');
  throw new MoveRefused(
    `The map gives slot ${first.slot} of ${first.id} to this cell, ${own.name}.`,
    'Give the slot to the other cell in the map, restart all processes, and reload the edge. Then delete.',
  );
}

function databaseUrl(text: string): string {
  const faults = databaseUrlFaults(text);
  if (faults.length > 0) throw new InvalidArgumentError(faults.join(' '));
  return text;
}
