import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { createLinks } from './create.ts';
import type { CreateStore, LinkRef, LinkStore } from './port.ts';
import { readLinks } from './read.ts';
import { writeLinks } from './write.ts';

/** The store of links in the database. */
export const postgres: LinkStore & CreateStore = {
  read: readLinks,
  write: writeLinks,
  create: createLinks,
  exclusively: (scope, ref, work) =>
    inTransaction(scope, async (scope) => {
      await lock(scope, ref);
      return work(scope);
    }),
};

/** Locks the link until the transaction ends. An attempt's link never changes, so it is read without a lock. */
async function lock({ em }: Scope, { id }: LinkRef): Promise<void> {
  await sql(
    em,
    `select id from payment_links where id = case when $1 like 'att\\_%'
       then (select payment_link_id from payment_attempts where id = $1) else $1 end for no key update`,
    [id],
    { keepPlan: true },
  );
}
