import { expect } from 'chai';
import { KEPT_COUNTS } from '../../src/database/query/kept-counts.ts';
import {
  type ArchiveDependencies,
  archiveLinks,
  SHORTEST_ARCHIVE_DAYS,
} from '../../src/payment-links/archive-links.ts';
import { LINK_INVARIANTS } from '../../src/payment-links/invariants.ts';
import { PAYMENT_TOTALS } from '../../src/payment-links/read/payment-totals.ts';
import { query } from './database.ts';
import type { TestService } from './service.ts';

/** Tables with rows of an archived link. */
export const ARCHIVED_TABLES = [
  'payment_links',
  'payment_attempts',
  'transactions',
  'bank_reversals',
  'refunds',
  'disputes',
  'payment_admin_mails',
];

/** Returns what the worker's job that archives links needs. */
export function archiving(service: TestService): ArchiveDependencies {
  return { newScope: () => service.scope(), withoutTimeLimits: (work) => work(service.scope()) };
}

/**
 * Runs the worker's job that archives links, as on another day: until the archive is attached and nothing is due. Returns their
 * number.
 */
export async function archive(service: TestService, days = SHORTEST_ARCHIVE_DAYS): Promise<number> {
  await query(service.config.databaseUrl, 'delete from archive_walk');
  const first = await archiveLinks(archiving(service), days);
  return first + (await archiveLinks(archiving(service), days));
}

/** Returns the ids of the archived links, in order. */
export async function archivedIds({ config }: TestService): Promise<string[]> {
  const rows = await query<{ id: string }>(config.databaseUrl, 'select id from archive.payment_links order by id');
  return rows.map(({ id }) => id);
}

/** Returns all rows of links, wherever they are, by table, in an order of their own. */
export async function rowsOfLinks({ config }: TestService): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const table of ARCHIVED_TABLES) {
    const rows = await query<{ row: unknown }>(
      config.databaseUrl,
      `select to_jsonb(t) as row from ${table} t order by t::text`,
    );
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}

/** Fails unless counts, totals, links and payments agree with each other. */
export async function expectAgreement(service: TestService): Promise<void> {
  const findings: unknown[] = [];
  for (const { find } of [KEPT_COUNTS, PAYMENT_TOTALS, ...LINK_INVARIANTS]) {
    for await (const finding of find(() => service.scope(), { practiceId: null })) findings.push(finding);
  }
  expect(findings).to.deep.equal([]);
}
