import type { Command } from 'commander';
import type { Scope } from '../../platform/base/scope.ts';
import { keyIdsOf } from '../../platform/base/secrets.ts';
import { type RotatedColumn, rotateColumn } from '../../platform/database/query/rotate-secrets.ts';
import { WrongSecretsKey } from '../processes/open-database.ts';
import { SECRET_COLUMNS } from '../processes/shared.ts';
import { addCommand, createProcessorAction } from './command.ts';

/** Exit code if a secret is still encrypted with another key. */
const SECRETS_LEFT = 1;

export function addSecretCommands(program: Command): void {
  const secrets = program.command('secrets').description('secrets that SECRETS_KEY encrypts');
  addCommand(secrets, 'rotate', 'encrypts all secrets with the first key; exit code 1 if some could not be').action(
    createProcessorAction(async ({ scope, config, keyFaults: { wrong }, exitWith }) => {
      const [firstId] = keyIdsOf(config.keyring);
      if (firstId !== undefined && wrong.includes(firstId)) throw new WrongSecretsKey([firstId]);
      const data = await rotate(scope);
      if (data.some(({ left }) => left > 0)) {
        exitWith(
          SECRETS_LEFT,
          'paylinks: SECRETS_KEY lacks the keys of the secrets that are left.\nPut those keys behind the first one, and run the command again.\n',
        );
      }
      return { data };
    }),
  );
}

async function rotate(scope: Scope): Promise<RotatedColumn[]> {
  const rotated: RotatedColumn[] = [];
  for (const column of SECRET_COLUMNS) rotated.push(await rotateColumn(scope, column));
  return rotated;
}
