import type { Command } from 'commander';
import type { Scope } from '../base/scope.ts';
import { withoutTimeLimits } from '../database/maintenance.ts';
import { partitionDeliveries } from '../webhooks/partitions/convert.ts';
import { addMissing } from '../webhooks/partitions/maintain.ts';
import { describePartitions } from '../webhooks/partitions/state.ts';
import { action, command, processorAction } from './command.ts';
import type { Shown } from './output.ts';

/** Adds the commands on partitions of deliveries. */
export function addPartitionCommands(program: Command): void {
  const partitions = program
    .command('partitions')
    .description('partitions of deliveries by weeks, for large installations');
  command(partitions, 'enable', 'partitions deliveries and their attempts; there is no way back').action(
    processorAction(async ({ scope, databaseUrl }) => {
      await withoutTimeLimits(databaseUrl, scope.log, async (em) => {
        await partitionDeliveries({ ...scope, em });
        await addMissing({ ...scope, em }, () => true);
      });
      return list(scope);
    }),
  );
  command(partitions, 'list', 'lists the partitions; none if deliveries are not partitioned').action(action(list));
}

async function list(scope: Scope): Promise<Shown> {
  return { data: await describePartitions(scope) };
}
