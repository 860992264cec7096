import { createLogger } from '../../../src/base/log/log.ts';
import type { Scope } from '../../../src/base/scope.ts';
import { emptyKeyring } from '../../../src/base/secrets.ts';
import { systemClock } from '../../../src/base/time/clock.ts';
import { createPageService } from '../../../src/payment-links/checkout/service.ts';
import { createRefund } from '../../../src/payment-links/refund/create-refund.ts';
import { createOrm } from '../../../src/processes/shared.ts';
import { createSandbox } from '../../../src/processors/sandbox.ts';
import type { SeededLink } from '../seed/changes.ts';
import { serveProcedures, timeInLanes } from './remote.ts';

/* Refunds payments as `paylinks refunds create` does, by the service's own code, in a process of its own. */

const log = createLogger('silent');
const AT_ONCE = 8;

/** Refunds of links, some at once. */
export interface RefundOrder {
  databaseUrl: string;
  linkIds: string[];
  atOnce: number;
}

/** Does the work with a pool of its own. */
async function withPool<T>(databaseUrl: string, work: (newScope: () => Scope) => Promise<T>): Promise<T> {
  const orm = createOrm(databaseUrl, log, 10);
  const shared = { clock: systemClock, log, keyring: emptyKeyring };
  const urls = { publicUrl: 'http://localhost', consoleUrl: 'http://localhost' };
  try {
    return await work(() => ({ ...shared, ...urls, em: orm.em.fork() }));
  } finally {
    await orm.close();
  }
}

const procedures = {
  /** Pays links by card. */
  async pay({ databaseUrl, links }: { databaseUrl: string; links: SeededLink[] }): Promise<void> {
    await withPool(databaseUrl, async (newScope) => {
      const sandbox = createSandbox({ newScope, settleSeconds: 60 });
      await timeInLanes(AT_ONCE, links, async ({ token, amountCents }) => {
        const result = await createPageService(newScope(), sandbox).submit(token, {
          ...{ amountCents, methodType: 'card', methodToken: 'card_success', locale: 'en', authorisationText: null },
          ...{ address: '203.0.113.7', userAgent: 'bench' },
        });
        if (result !== 'accepted') throw new Error(`a payment was not accepted: ${result}`);
      });
    });
  },
  /** Refunds the payments of links in full; gives the milliseconds it took. */
  refund({ databaseUrl, linkIds, atOnce }: RefundOrder): Promise<number> {
    return withPool(databaseUrl, (newScope) => {
      const sandbox = createSandbox({ newScope, settleSeconds: 60 });
      return timeInLanes(atOnce, linkIds, async (id) => {
        const { status } = await createRefund(newScope(), sandbox, id, null, 'overpaid');
        if (status !== 'succeeded') throw new Error(`the refund of ${id} is ${status}`);
      });
    });
  },
};

export type RefunderProcedures = typeof procedures;

serveProcedures(procedures);
