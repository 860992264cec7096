import { createRefund } from '../../../src/payment-links/payments/create-refund.ts';
import { createChange } from '../../../src/payment-links/store/change.ts';
import { createGatheringStore } from '../../../src/payment-links/store/gathered.ts';
import { postgres } from '../../../src/payment-links/store/postgres.ts';
import type { Scope } from '../../../src/platform/base/scope.ts';
import { createBatcher } from '../../../src/platform/database/query/batch.ts';
import { createSandbox } from '../../../src/processors/sandbox.ts';
import { payOnPage } from '../../trial/refunds/setup.ts';
import { createOperator } from '../../trial/setup.ts';
import type { SeededLink } from '../seed/changes.ts';
import { serveProcedures, timeInLanes } from './remote.ts';

/*
 * Refunds payments by the service's own code, in a process of its own. Changes share statements, as those of `serve` do. The
 * transaction that confirms a person's right is left out.
 */

const AT_ONCE = 8;
const CONNECTIONS = 10;

export interface RefundOrder {
  databaseUrl: string;
  linkIds: string[];
  atOnce: number;
}

const change = createChange(createGatheringStore(postgres, createBatcher));
let operator: ReturnType<typeof createOperator> | undefined;

/** Returns scopes of a pool that stays open, as that of the floor. So no repetition pays for new connections. */
function newScopesOf(databaseUrl: string): () => Scope {
  operator ??= createOperator(databaseUrl, CONNECTIONS);
  return operator.newScope;
}

const procedures = {
  /** Pays links by card. */
  async pay({ databaseUrl, links }: { databaseUrl: string; links: SeededLink[] }): Promise<void> {
    const newScope = newScopesOf(databaseUrl);
    const sandbox = createSandbox({ newScope, settleSeconds: 60 });
    await timeInLanes(AT_ONCE, links, ({ token, amountCents }) =>
      payOnPage(newScope(), sandbox, token, amountCents, 'card_success'),
    );
  },
  /** Refunds the payments of links in full; gives the milliseconds it took. */
  refund({ databaseUrl, linkIds, atOnce }: RefundOrder): Promise<number> {
    const newScope = newScopesOf(databaseUrl);
    const sandbox = createSandbox({ newScope, settleSeconds: 60 });
    return timeInLanes(atOnce, linkIds, async (id) => {
      const { status } = await createRefund(
        { ...newScope(), processor: sandbox, change },
        { linkId: id, reason: 'overpaid' },
      );
      if (status !== 'succeeded') throw new Error(`the refund of ${id} is ${status}`);
    });
  },
};

export type RefunderProcedures = typeof procedures;

serveProcedures(procedures);
