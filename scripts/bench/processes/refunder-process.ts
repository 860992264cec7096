import { createLogger } from '../../../src/base/log/log.ts';
import type { Scope } from '../../../src/base/scope.ts';
import { emptyKeyring } from '../../../src/base/secrets.ts';
import { systemClock } from '../../../src/base/time/clock.ts';
import { createRefund } from '../../../src/payment-links/refund/create-refund.ts';
import { createOrm } from '../../../src/processes/shared.ts';
import { createSandbox } from '../../../src/processors/sandbox.ts';
import { machineMs } from '../statistics.ts';
import { serveProcedures } from './remote.ts';

/* Refunds payments as `paylinks refunds create` does, by the service's own code, in a process of its own. */

const procedures = {
  /** Refunds the payments of links in full, some at once; gives the milliseconds it took. */
  async refund({ databaseUrl, linkIds, atOnce }: { databaseUrl: string; linkIds: string[]; atOnce: number }) {
    const log = createLogger('silent');
    const orm = createOrm(databaseUrl, log, 10);
    const newScope = (): Scope => ({
      ...{ em: orm.em.fork(), clock: systemClock, log, keyring: emptyKeyring },
      ...{ publicUrl: 'http://localhost', consoleUrl: 'http://localhost' },
    });
    const sandbox = createSandbox({ newScope, settleSeconds: 60 });
    const waiting = [...linkIds];
    try {
      const startedMs = machineMs();
      const lane = async () => {
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          const { status } = await createRefund(newScope(), sandbox, id, null, 'overpaid');
          if (status !== 'succeeded') throw new Error(`the refund of ${id} is ${status}`);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
      return machineMs() - startedMs;
    } finally {
      await orm.close();
    }
  },
};

export type RefunderProcedures = typeof procedures;

serveProcedures(procedures);
