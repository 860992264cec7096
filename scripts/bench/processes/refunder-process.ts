import { createRefund } from '../../../src/payment-links/refund/create-refund.ts';
import { createSandbox } from '../../../src/processors/sandbox.ts';
import { payOnPage } from '../../trial/refunds/setup.ts';
import { asOperator } from '../../trial/setup.ts';
import type { SeededLink } from '../seed/changes.ts';
import { serveProcedures, timeInLanes } from './remote.ts';

/* Refunds payments as `paylinks refunds create` does, by the service's own code, in a process of its own. */

const AT_ONCE = 8;
const CONNECTIONS = 10;

export interface RefundOrder {
  databaseUrl: string;
  linkIds: string[];
  atOnce: number;
}

const procedures = {
  /** Pays links by card. */
  async pay({ databaseUrl, links }: { databaseUrl: string; links: SeededLink[] }): Promise<void> {
    await asOperator(
      databaseUrl,
      (newScope) => {
        const sandbox = createSandbox({ newScope, settleSeconds: 60 });
        return timeInLanes(AT_ONCE, links, ({ token, amountCents }) =>
          payOnPage(newScope(), sandbox, token, amountCents, 'card_success'),
        );
      },
      CONNECTIONS,
    );
  },
  /** Refunds the payments of links in full; gives the milliseconds it took. */
  refund({ databaseUrl, linkIds, atOnce }: RefundOrder): Promise<number> {
    return asOperator(
      databaseUrl,
      (newScope) => {
        const sandbox = createSandbox({ newScope, settleSeconds: 60 });
        return timeInLanes(atOnce, linkIds, async (id) => {
          const { status } = await createRefund(newScope(), sandbox, { linkId: id, reason: 'overpaid' });
          if (status !== 'succeeded') throw new Error(`the refund of ${id} is ${status}`);
        });
      },
      CONNECTIONS,
    );
  },
};

export type RefunderProcedures = typeof procedures;

serveProcedures(procedures);
