import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Prints all test files for `mocha --parallel`, which begins them in the order in which it gets them. Files that take
 * long come first, the longest of them at the front, so that none is left alone at the end.
 */

/** The files that take longer than ten seconds. Most of that time they wait for real deadlines or other processes. */
const SLOW = [
  'faults/stop-in-time.test.ts',
  'moves/under-load.test.ts',
  'moves/crashes.test.ts',
  'moves/contents.test.ts',
  'payment-links/stripe-silent.test.ts',
  'embedded/server.test.ts',
  'pages/browser.test.ts',
  'neighbours/locked-rows.test.ts',
  'readme/quickstart.test.ts',
  'chaos/chaos.test.ts',
  'cli/cli.test.ts',
  'faults/database-worker.test.ts',
  'cli/after-payment.test.ts',
  'faults/crash-worker.test.ts',
  'neighbours/frozen-api.test.ts',
  'database/processes.test.ts',
  'mail/mailer.test.ts',
  'faults/deadlines-database.test.ts',
  'faults/crash-api.test.ts',
  'examples/verify.test.ts',
  'examples/practice-management.test.ts',
  'examples/receiver-go.test.ts',
  'examples/nightly-reconciliation.test.ts',
  'faults/database-api.test.ts',
  'neighbours/workers.test.ts',
  'payment-links/pay-any-order.test.ts',
  'webhooks/life-cycle.property.test.ts',
  'embedded/root.test.ts',
  'production/install.test.ts',
  'bench/bench.test.ts',
  'documentation/snippets.test.ts',
  'payment-links/test-helpers.test.ts',
  'documentation/browser.test.ts',
  'consumer/hostile.test.ts',
  'console/links-browser.test.ts',
  'console/journey.test.ts',
  'console/browser.test.ts',
  'console/deliveries-browser.test.ts',
  'console/payments-browser.test.ts',
  'console/settings-browser.test.ts',
  'console/developers/browser.test.ts',
  'console/sign-in.test.ts',
  'database/pooler-deadlines.test.ts',
  'consumer/listen.test.ts',
  'consumer/package.test.ts',
].map((file) => join('test', file));

const missing = SLOW.filter((file) => !existsSync(file));
if (missing.length > 0) throw new Error(`test/longest-first.ts names files that are gone: ${missing.join(', ')}`);
console.log([...new Set([...SLOW, ...globSync('test/**/*.test.ts').toSorted()])].join('\n'));
