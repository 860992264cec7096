import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Prints all test files for `mocha --parallel`, which begins them in the order in which it gets them. Files that take
 * long come first, the longest of them at the front, so that none is left alone at the end.
 *
 * With `PART=operations` it prints the files of operations, otherwise all others. With `AGAIN=1` it leaves files out that a
 * run on another version of PostgreSQL need not repeat.
 */

/**
 * The files that take longer than ten seconds. Most of that time they wait for real deadlines or other
 * processes, or a browser checks pages.
 */
const SLOW = [
  'http/fuzz.test.ts',
  'cli/cli.test.ts',
  'console/routes.test.ts',
  'console/payments-browser.test.ts',
  'http/limits.test.ts',
  'faults/stop-in-time.test.ts',
  'traces/traces.test.ts',
  'cli/repair.test.ts',
  'cli/databases.test.ts',
  'cli/secrets-key.test.ts',
  'payment-links/stripe-silent.test.ts',
  'documentation/browser.test.ts',
  'faults/point-in-time.test.ts',
  'embedded/server.test.ts',
  'pages/browser.test.ts',
  'console/browser.test.ts',
  'console/links-browser.test.ts',
  'keys/access-matrix.test.ts',
  'webhooks/admin-mails.test.ts',
  'neighbours/locked-rows.test.ts',
  'documentation/snippets.test.ts',
  'chaos/chaos.test.ts',
  'neighbours/workers.test.ts',
  'faults/crash-worker.test.ts',
  'embedded/root.test.ts',
  'console/developers/browser.test.ts',
  'operations/restore-guide.test.ts',
  'operations/failover-guide.test.ts',
  'faults/database-worker.test.ts',
  'cli/after-payment.test.ts',
  'faults/deadlines-database.test.ts',
  'console/deliveries-browser.test.ts',
  'console/journey.test.ts',
  'production/release.test.ts',
  'console/settings-browser.test.ts',
  'mail/mailer.test.ts',
  'metrics/readiness.test.ts',
  'cells/cli.test.ts',
  'cells/edge.test.ts',
  'cells/notifications.test.ts',
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
  'examples/receiver-go.test.ts',
  'examples/nightly-reconciliation.test.ts',
  'payment-links/pay-any-order.test.ts',
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
  'payment-links/change-races.property.test.ts',
  'payment-links/order-of-checks.test.ts',
  'payment-links/pay-stripe-disconnected.test.ts',
  'payment-links/pay-stripe.test.ts',
  'webhooks/send-memory.test.ts',
  'webhooks/delivery-rounds.test.ts',
  'payment-links/admin-mails.test.ts',
  'plans/indexes.test.ts',
].map((file) => join('test', file));

/**
 * Files that test the same on every version of PostgreSQL. They test how pages look, what the checkout contains,
 * connections to others than the database, and decisions in memory. Every statement runs in other files, too.
 */
const SAME_ON_EVERY_VERSION = [
  '{console,console/developers,pages}/*browser.test.ts',
  '{base,config,contract,documentation,mutants,simulator,tidy,traces}/**/*.test.ts',
  'chaos/*.test.ts',
  'console/{journey,routes,templates}.test.ts',
  'faults/stop-in-time.test.ts',
  'http/fuzz.test.ts',
  'mail/mailer.test.ts',
  'pages/{documents,look,scripts-and-headers,stripe,templates,words}.test.ts',
  'payment-links/stripe-silent.test.ts',
  'webhooks/{destination,send}-*.test.ts',
].map((pattern) => join('test', pattern));

/**
 * Releases, manifests, guides, examples, the consumers' command, the programs of `scripts/` and the embedded server. They
 * start many processes and compilers, and change seldom.
 */
const OPERATIONS = new Set(
  globSync([
    'test/{bench,consumer,embedded,examples,operations,production,readme}/**/*.test.ts',
    'test/chaos/chaos.test.ts',
    'test/documentation/snippets.test.ts',
  ]),
);

const missing = SLOW.filter((file) => !existsSync(file));
if (missing.length > 0) throw new Error(`test/longest-first.ts names files that are gone: ${missing.join(', ')}`);
const leftOut = new Set(process.env.AGAIN === '1' ? globSync(SAME_ON_EVERY_VERSION) : []);
const all = new Set([...SLOW, ...globSync('test/**/*.test.ts').toSorted()]);
const isOperations = process.env.PART === 'operations';
console.log([...all].filter((file) => OPERATIONS.has(file) === isOperations && !leftOut.has(file)).join('\n'));
