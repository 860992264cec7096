import type { Command } from 'commander';
import { createLogger } from '../base/log/log.ts';
import type { Scope } from '../base/scope.ts';
import { systemClock } from '../base/time/clock.ts';
import { type Config, readConfig } from '../config.ts';
import { sensitiveFields } from '../contract/sensitive-fields.ts';
import { createProcessor } from '../create-processor.ts';
import { createScopes } from '../create-scopes.ts';
import { serviceConnection } from '../database/connection/service-connection.ts';
import { checkSession } from '../database/connection/session-check.ts';
import { openDatabase } from '../open-database.ts';
import type { Processor } from '../processors/processor.ts';
import { createOrm } from '../service-orm.ts';
import { render, type Shown } from './output.ts';

/** Adds a command that prints its result: a table, or one JSON document with `--json`. */
export function command(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'one JSON document on standard output');
}

/** Dependencies of a command. */
export interface CommandDependencies {
  scope: Scope;
  processor: Processor;
  config: Config;
  /** The configured database, or the embedded one. */
  databaseUrl: string;
}

/** Returns the action of a command. It runs `work` with a scope on the configured database. */
export function action<Args extends unknown[]>(work: (scope: Scope, ...args: Args) => Promise<Shown>) {
  return processorAction<Args>(({ scope }, ...args) => work(scope, ...args));
}

/**
 * Returns the action of a command that needs the payment processor.
 *
 * @param limit for commands that simulate the actions of a bank; they are refused with a real processor
 */
export function processorAction<Args extends unknown[]>(
  work: (dependencies: CommandDependencies, ...args: Args) => Promise<Shown>,
  limit?: 'sandbox only',
) {
  return async function (this: Command, ...args: Args): Promise<void> {
    const config = readConfig(process.env);
    if (limit === 'sandbox only' && config.processor !== 'sandbox') {
      throw new Error(`This command is for PROCESSOR=sandbox only; with ${config.processor}, do it there.`);
    }
    const log = createLogger('warn', sensitiveFields, process.stderr);
    const database = await openDatabase(config, log, (text) => process.stderr.write(`${text}\n`));
    const orm = createOrm(database.url, log, 4);
    try {
      await checkSession(serviceConnection(database.url));
      const newScope = createScopes(orm, config, log, systemClock);
      const dependencies = {
        scope: newScope(),
        processor: await createProcessor(config, newScope),
        config,
        databaseUrl: database.url,
      };
      const shown = await work(dependencies, ...args);
      process.stdout.write(render(shown, this.opts<{ json?: boolean }>().json === true));
    } finally {
      await orm.close();
      await database.close();
    }
  };
}
