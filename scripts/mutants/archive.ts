import type { Mutant } from './mutant.ts';

/** Faults in the archive of closed links. */
export const ARCHIVE: readonly Mutant[] = [
  {
    name: 'a change that waited for the move of its link does not find it',
    file: 'src/payment-links/link/lock.ts',
    text: 'if ((await scope.em.count(PaymentLink, where)) === 0) return null;',
    instead: 'return null;',
    test: 'test/archive/races.test.ts',
    title: 'a refund that waits for the move of its link to the archive',
  },
  {
    name: 'an archived link does not come back before it changes',
    file: 'src/payment-links/link/lock.ts',
    text: 'if (link.closedAt !== null) await restore(',
    instead: 'if (link.closedAt === null) await restore(',
    test: 'test/archive/late-changes.test.ts',
    title: 'an archived link that the practice refunds comes back',
  },
  {
    name: 'archived payments leave the totals',
    file: 'src/database/triggers.sql',
    text: 'transactions_total_deleted after delete on transactions\n  for each row when (',
    instead: 'transactions_total_deleted after delete on transactions\n  for each row when (true or ',
    test: 'test/archive/walk.test.ts',
    title: 'links that the job archives stay in all counts and totals',
  },
  {
    name: 'payments that come back from the archive count twice',
    file: 'src/database/triggers.sql',
    text: 'transactions_total_deleted after delete on archive.transactions',
    instead: 'transactions_total_deleted after update of id on archive.transactions',
    test: 'test/archive/late-changes.test.ts',
    title: 'an archived link that the practice refunds comes back',
  },
  {
    name: 'a run that ends early ends the walk',
    file: 'src/payment-links/archive-links.ts',
    text: 'if (!shouldContinue()) return batch;',
    instead: 'if (!shouldContinue()) break;',
    test: 'test/archive/walk.test.ts',
    title: 'a run goes on where the last one ended',
  },
  {
    name: 'a walk of the archive never begins again',
    file: 'src/payment-links/archive-links.ts',
    text: 'or w.last_id is null and w.started_at <= $3',
    instead: 'or w.started_at is null and w.started_at <= $3',
    test: 'test/archive/walk.test.ts',
    title: 'a walk that has ended begins again a day later',
  },
  {
    name: 'a payment is archived while the processor is still asked about it',
    file: 'src/database/functions/archive/archivable-links.sql',
    text: "t.status = 'pending' or t.reconcile_at is not null or",
    instead: "t.status = 'pending' or",
    test: 'test/archive/late-changes.test.ts',
    title: 'a link is archived only if nothing of it is open or young',
  },
  {
    name: 'the run that attaches the archive moves links at once',
    file: 'src/payment-links/archive-links.ts',
    text: "if (attached !== 'before') return 0;",
    instead: "if (attached === 'later') return 0;",
    test: 'test/archive/late-changes.test.ts',
    title: 'the archive is attached by the first run',
  },
];
