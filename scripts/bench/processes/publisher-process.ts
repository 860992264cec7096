import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '../../../src/base/log/log.ts';
import type { Scope } from '../../../src/base/scope.ts';
import { emptyKeyring } from '../../../src/base/secrets.ts';
import { systemClock } from '../../../src/base/time/clock.ts';
import { inTransaction } from '../../../src/database/query/transaction.ts';
import { createOrm } from '../../../src/processes/shared.ts';
import { publish } from '../../../src/webhooks/events/publish.ts';
import { eventData } from '../seed/sample-data.ts';
import { machineMs } from '../statistics.ts';
import { serveProcedures } from './remote.ts';

/*
 * Publishes events as the service does, with its own code and a transaction each. The rate is steady, however long the
 * deliveries take. It runs in a process of its own.
 */

/** Events to publish, with their rate. */
export interface Plan {
  databaseUrl: string;
  /** Practices with one endpoint each. Events go to them in rotation. */
  practices: { id: string; locationId: string }[];
  perSecond: number;
  forMs: number;
  /** The first event's number; receivers find it in the event's data. */
  firstSequence: number;
}

const procedures = {
  /** Returns the times just before the commit of each event, by its number; without those that could not be published. */
  async publishSteadily(plan: Plan): Promise<Map<number, number>> {
    const log = createLogger('silent');
    const orm = createOrm(plan.databaseUrl, log, 10);
    const count = Math.floor((plan.perSecond * plan.forMs) / 1000);
    const committed = new Map<number, number>();
    const underWay = new Set<Promise<void>>();
    const newScope = (): Scope => ({
      ...{ em: orm.em.fork(), clock: systemClock, log, keyring: emptyKeyring },
      ...{ publicUrl: 'http://localhost', consoleUrl: 'http://localhost' },
    });
    try {
      const startedMs = machineMs();
      for (let index = 0; index < count; index++) {
        const dueMs = startedMs + (index * 1000) / plan.perSecond;
        const waitMs = dueMs - machineMs();
        if (waitMs > 1) await pause(waitMs);
        const sequence = plan.firstSequence + index;
        const one: Promise<void> = publishOne(newScope(), plan, sequence, committed).finally(() =>
          underWay.delete(one),
        );
        underWay.add(one);
      }
      await Promise.all(underWay);
      return committed;
    } finally {
      await orm.close();
    }
  },
};

async function publishOne(scope: Scope, plan: Plan, sequence: number, committed: Map<number, number>): Promise<void> {
  const practice = plan.practices[sequence % plan.practices.length];
  if (practice === undefined) throw new Error('no practices to publish for');
  let aboutToCommitMs = 0;
  await inTransaction(scope, async (scope) => {
    await publish(scope, {
      practiceId: practice.id,
      test: false,
      locationId: practice.locationId,
      paymentLinkId: `plink_${'0'.repeat(26)}`,
      content: { type: 'payment_link.paid', data: eventData(sequence) },
    });
    aboutToCommitMs = machineMs();
  });
  committed.set(sequence, aboutToCommitMs);
}

export type PublisherProcedures = typeof procedures;

serveProcedures(procedures);
