import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The test files of the parts of `make test`. `mocha --parallel` begins them in the order in which it gets them. Files that take
 * long come first, the longest of them at the front, so that none is left alone at the end.
 */

/**
 * The files that take longer than ten seconds. Most of that time they wait for real deadlines or other
 * processes, or a browser checks pages.
 */
const SLOW = [
  'http/fuzz.test.ts',
  'cli/cli.test.ts',
  'cli/log-writes.test.ts',
  'console/routes.test.ts',
  'console/pages-browser.test.ts',
  'console/browser.test.ts',
  'console/overview.property.test.ts',
  'http/limits.test.ts',
  'faults/stop-in-time.test.ts',
  'traces/traces.test.ts',
  'cli/databases.test.ts',
  'cli/secrets-key.test.ts',
  'payment-links/stripe-silent.test.ts',
  'documentation/browser.test.ts',
  'embedded/server.test.ts',
  'pages/browser.test.ts',
  'keys/access-matrix.test.ts',
  'readme/office.test.ts',
  'webhooks/admin-mails.test.ts',
  'neighbours/locked-rows.test.ts',
  'documentation/snippets.test.ts',
  'documentation/samples.test.ts',
  'chaos/chaos.test.ts',
  'neighbours/workers.test.ts',
  'faults/crash-worker.test.ts',
  'embedded/root.test.ts',
  'operations/restore-guide.test.ts',
  'operations/failover-guide.test.ts',
  'faults/database-worker.test.ts',
  'cli/after-payment.test.ts',
  'faults/deadlines-database.test.ts',
  'production/release.test.ts',
  'mail/mailer.test.ts',
  'metrics/readiness.test.ts',
  'neighbours/frozen-api.test.ts',
  'database/processes.test.ts',
  'operations/proxy.test.ts',
  'readme/quickstart.test.ts',
  'webhooks/life-cycle.property.test.ts',
  'contract/document.test.ts',
  'http/long-lists.test.ts',
  'bench/bench.test.ts',
  'faults/database-api.test.ts',
  'faults/crash-api.test.ts',
  'examples/verify.test.ts',
  'examples/practice-management.test.ts',
  'payment-links/payment-totals.test.ts',
  'payment-links/test-helpers.test.ts',
  'consumer/hostile.test.ts',
  'console/sign-in.test.ts',
  'database/pooler-deadlines.test.ts',
  'consumer/listen.test.ts',
  'consumer/package.test.ts',
  'jobs/runner.test.ts',
  'payment-links/after-payment.test.ts',
  'payment-links/pay-stripe-outage.test.ts',
  'limits/admission.test.ts',
  'pages/stripe.test.ts',
  'webhooks/list-test-events.test.ts',
  'payment-links/order-of-checks.test.ts',
  'payment-links/pay-stripe-disconnected.test.ts',
  'payment-links/pay-stripe.test.ts',
  'webhooks/send-memory.test.ts',
  'payment-links/admin-mails.test.ts',
  'plans/indexes.test.ts',
].map((file) => join('test', file));

/**
 * Files whose outcome depends on the version of PostgreSQL: the tests of rows, statements, plans, locks and constraints. The
 * others repeat these statements, or need no database.
 */
const DEPENDS_ON_VERSION = [
  '{audit,database,jobs,limits,payment-links,plans,practices,secrets,webhooks}/**/*.test.ts',
  'cli/{check,check-payments,databases,erase-patient,invariants}.test.ts',
  'console/**/!(*browser|routes|templates).test.ts',
  'faults/deadlines-database.test.ts',
  'http/{every-operation,long-lists}.test.ts',
  'keys/keys.test.ts',
  'metrics/{database-metrics,payments,webhooks}.test.ts',
  'neighbours/locked-rows.test.ts',
].map((pattern) => join('test', pattern));

/** Files that need a database for a service only, and wait for the network or a silent processor. */
const NEEDS_NO_VERSION = new Set(
  globSync(['test/payment-links/stripe-silent.test.ts', 'test/webhooks/{destination,send}-*.test.ts']),
);

/**
 * Releases, manifests, guides, examples, the consumers' command, programs of `scripts/` and `proofs/`, the embedded server. And
 * what happens when a process or a database stops. They start many processes and compilers, and wait for deadlines.
 */
const OPERATIONS = new Set(
  globSync([
    'test/{bench,chaos,consumer,embedded,examples,faults,neighbours,operations,production,readme,traces}/**/*.test.ts',
    'test/documentation/{samples,snippets}.test.ts',
  ]),
);

const missing = SLOW.filter((file) => !existsSync(file));
if (missing.length > 0) throw new Error(`test/longest-first.ts names files that are gone: ${missing.join(', ')}`);

/** `again` are the files that a run on another version of PostgreSQL repeats; `suite` are all that `operations` lacks. */
export type FilesPart = 'suite' | 'operations' | 'again';

/** Returns the test files of a part. */
export function listTestFiles(part: FilesPart): string[] {
  const again = new Set(globSync(DEPENDS_ON_VERSION).filter((file) => !NEEDS_NO_VERSION.has(file)));
  const all = [...new Set([...SLOW, ...globSync('test/**/*.test.ts').toSorted()])];
  return all.filter((file) => (part === 'again' ? again.has(file) : OPERATIONS.has(file) === (part === 'operations')));
}
