import type { Scope } from '../../base/scope.ts';
import { LOCK_WAIT_MS, type LockWait } from '../../database/query/batch.ts';
import { jsonRow } from '../../database/query/columns.ts';
import { sql } from '../../database/query/sql.ts';
import type { Create, CreateOutcome } from './port.ts';

/** Creates links by one call of `create_links`, whose comment explains the documents and the outcomes. */
export async function createLinks(scope: Scope, creates: readonly Create[], wait: LockWait): Promise<CreateOutcome[]> {
  if (creates.length === 0) return [];
  const waitMs = wait === 'full' ? null : LOCK_WAIT_MS[wait];
  return sql<CreateOutcome>(
    scope.em,
    'select * from create_links($1, $2, $3, $4)',
    [JSON.stringify(creates.map(documentOf)), scope.clock.now(), waitMs, wait === 'skip'],
    { keepPlan: true },
  );
}

function documentOf({ practiceId, terms, draft, once }: Create): object {
  const link = draft === null ? {} : { link: jsonRow(draft.link), audit: draft.audit };
  return { practice_id: practiceId, terms, ...link, ...(once && jsonRow(once)) };
}
