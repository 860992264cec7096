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
    text: 'if (link.closedAt !== null) await sql(',
    instead: 'if (link.closedAt === null) await sql(',
    test: 'test/archive/late-changes.test.ts',
    title: 'an archived link that the practice refunds comes back',
  },
  {
    name: 'the id of an archived refund is taken again',
    file: 'src/database/functions/payment-links/refund-link.sql',
    text: 'select from refunds where id = p_recorded',
    instead: 'select from only refunds where id = p_recorded',
    test: 'test/archive/late-changes.test.ts',
    title: 'an archived refund keeps its id',
  },
  {
    name: 'archived payments leave the totals',
    file: 'src/database/triggers.sql',
    text: 'transactions_total_new after insert on archive.transactions',
    instead: 'transactions_total_new after update of id on archive.transactions',
    test: 'test/archive/late-changes.test.ts',
    title: 'an archived link that the practice refunds comes back',
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
