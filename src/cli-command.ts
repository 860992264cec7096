import type { Command } from 'commander';
import { systemClock } from './base/clock.ts';
import { createLogger } from './base/log.ts';
import type { Scope } from './base/scope.ts';
import { render, type Shown } from './cli-output.ts';
import { readConfig } from './config.ts';
import { sensitiveFields } from './contract/sensitive-fields.ts';
import { openDatabase } from './database.ts';
import { createOrm } from './orm.ts';

/** A command that shows what it did: a table, or with `--json` one document on standard output. */
export function command(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'one JSON document on standard output');
}

/**
 * The action of such a command: its work, with a scope of its own on the configured database.
 *
 * @param limit for commands that play what a real processor does itself: they are refused beside one
 */
export function action<Args extends unknown[]>(
  work: (scope: Scope, ...args: Args) => Promise<Shown>,
  limit?: 'sandbox only',
) {
  return async function (this: Command, ...args: Args): Promise<void> {
    const config = readConfig(process.env);
    if (limit === 'sandbox only' && config.processor !== 'sandbox') {
      throw new Error(`This command is for PROCESSOR=sandbox only; with ${config.processor}, do it there.`);
    }
    const log = createLogger('warn', sensitiveFields, process.stderr);
    const database = await openDatabase(config, log, (text) => process.stderr.write(`${text}\n`));
    const orm = createOrm(database.url, log, 2);
    try {
      const { keyring, publicUrl } = config;
      const shown = await work({ em: orm.em.fork(), clock: systemClock, log, keyring, publicUrl }, ...args);
      process.stdout.write(render(shown, this.opts<{ json?: boolean }>().json === true));
    } finally {
      await orm.close();
      await database.close();
    }
  };
}
