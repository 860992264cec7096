import { type Command, InvalidArgumentError } from 'commander';
import { databaseUrlFaults } from '../../database/connection/connection.ts';
import { migratingConnection } from '../../database/connection/service-connection.ts';
import { checkSession } from '../../database/connection/session-check.ts';
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
        async ({ databaseUrl: sourceUrl }, ids: string[], options: { toDatabaseUrl: string; cancel: boolean }) => {
          // The other commands need nothing of it.
          const { cancelMove, movePractices } = await import('../../moves/move.ts');
          const { toDatabaseUrl: targetUrl, cancel } = options;
          await checkSession(migratingConnection(targetUrl));
          const move = { sourceUrl, targetUrl, practiceIds: ids };
          if (!cancel) return movePractices(move);
          await cancelMove(move);
          return { data: ids.map((id) => ({ id, cancelled: true })) };
        },
      ),
    );
  command(practices, 'delete-moved <id...>', 'deletes what this cell still has of practices that have moved').action(
    processorAction(async ({ databaseUrl }, ids: string[]) => {
      const { deleteMoved } = await import('../../moves/delete-moved.ts');
      return { deletedRows: await deleteMoved(databaseUrl, ids) };
    }),
  );
}

function databaseUrl(text: string): string {
  const faults = databaseUrlFaults(text);
  if (faults.length > 0) throw new InvalidArgumentError(faults.join(' '));
  return text;
}
