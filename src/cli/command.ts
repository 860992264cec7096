import type { Command } from 'commander';
import { createLogger } from '../base/log/log.ts';
import type { Scope } from '../base/scope.ts';
import { systemClock } from '../base/time/clock.ts';
import { type Config, readConfig } from '../config.ts';
import { sensitiveFields } from '../contract/sensitive-fields.ts';
import { serviceConnection } from '../database/connection/service-connection.ts';
import { checkSession } from '../database/connection/session-check.ts';
import { openDatabase } from '../open-database.ts';
import { createOrm } from '../orm.ts';
import { createProcessor } from '../processor.ts';
import type { Processor } from '../processors/processor.ts';
import { render, type Shown } from './output.ts';

/** A command that shows what it did: a table, or with `--json` one document on standard output. */
export function command(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'one JSON document on standard output');
}

/** What a command works with. */
export interface Tools {
  scope: Scope;
  processor: Processor;
  config: Config;
}

/** The action of a command: its work, with a scope of its own on the configured database. */
export function action<Args extends unknown[]>(work: (scope: Scope, ...args: Args) => Promise<Shown>) {
  return toolAction<Args>(({ scope }, ...args) => work(scope, ...args));
}

/**
 * The same for work that needs the payment processor.
 *
 * @param limit for commands that play what a real processor does itself: they are refused beside one
 */
export function toolAction<Args extends unknown[]>(
  work: (tools: Tools, ...args: Args) => Promise<Shown>,
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
      const { keyring, publicUrl } = config;
      const newScope = (): Scope => ({ em: orm.em.fork(), clock: systemClock, log, keyring, publicUrl });
      const tools = { scope: newScope(), processor: await createProcessor(config, newScope), config };
      const shown = await work(tools, ...args);
      process.stdout.write(render(shown, this.opts<{ json?: boolean }>().json === true));
    } finally {
      await orm.close();
      await database.close();
    }
  };
}
