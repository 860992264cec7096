import { separately } from '../../../src/payment-links/store/change.ts';
/**
 * Writes `<version>.sql.gz` and `<version>.json.gz` beside this file. The first is a database as this release leaves it, with
 * rows in every table. The second has the answers of this release's API. Run it once, when a version is released:
 *
 *   node test/database/release/make.ts [version]
 *
 * `gunzip --stdout test/database/release/<version>.sql.gz` shows what a database has.
 * It needs `pg_dump` of PostgreSQL 15 or newer on the PATH. The files of a released version never change.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedPostgres } from 'development-postgres';
import { issueKey } from '../../../src/access/service.ts';
import { inviteMember } from '../../../src/console/identity/people/invitations.ts';
import { simulateDisputeOpening } from '../../../src/payment-links/api/sandbox-dispute.ts';
import { createLogger } from '../../../src/platform/base/log/log.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { hashText, MIGRATIONS, RELEASE } from '../../../src/platform/database/schema-files.ts';
import { addMember, signedIn, signInUrl } from '../../console/console.ts';
import { query } from '../../harness/database.ts';
import { Payments, SETTLE_SECONDS } from '../../harness/payments.ts';
import { Receiver, refuse } from '../../harness/receiver.ts';
import { createLink, idempotent, linkBody, TestService } from '../../harness/service.ts';
import { createEndpoint, deliver, ENDPOINTS, followRetrySchedule, ping } from '../../harness/webhooks.ts';
import { keepRelease, keptRequest, type ReleaseRecord, readPaths, SETTLED_KEY } from './record.ts';

const EVENTS = '/api/v1/test-helpers/events';

/** Tables that may be empty: rows of theirs live for minutes, or no step of `fill` makes them. */
const EMPTY = new RegExp(
  '\\.(passkey.*|sent_forms|sign_in_requests|practice_(logos|moves)|notification_recipients|receipt_requests|' +
    'console_devices|uncounted_.*|page_openings|invitation_tokens|payment_admin_mails)$',
);

/** Another version than that of package.json names a state between two releases. */
const version = process.argv[2] ?? RELEASE.join('.');
const directory = mkdtempSync(join('/tmp', 'paylinks-release-'));
const server = await startEmbeddedPostgres({ directory, isDurable: false, major: 15 });
try {
  await migrate(server.url, createLogger('silent'));
  const service = await TestService.start({ databaseUrl: server.url });
  const receiver = await new Receiver().start();
  const record = await fill(service, receiver);
  await receiver.close();
  await service.close();
  await assertFilled();
  const form = ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=1000'];
  const dump = execFileSync('pg_dump', [...form, '-d', server.url], { encoding: 'utf8', maxBuffer: 2 ** 27 });
  // `\restrict` is a command of psql and not a statement.
  const statements = dump
    .replaceAll(/^\\.*\n/gm, '')
    .replaceAll(/^--.*\n/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n');
  const header = `-- A database as release ${version} left it. Built by test/database/release/make.ts; never edited.\n`;
  keepRelease(version, header + statements, record);
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Fills every table by the API and by what patients, banks and workers do, and records the API's answers. */
async function fill(service: TestService, receiver: Receiver): Promise<ReleaseRecord> {
  const practice = await service.practice();
  const { practiceId, locationId } = practice;
  const secondLocation = await service.location(practiceId, 'Uptown');
  const payments = new Payments(service);
  const deliverer = service.deliverer();
  const refund = (link: { id: string }, cents: number | null) => payments.refund(link, cents, 'requested_by_customer');
  const inPractice = { locationId };
  const keys = {
    live: (await issueKey(service.scope(), { practiceId, test: false, requestsPerMinute: 10_000 })).key,
    test: (await issueKey(service.scope(), { practiceId, test: true, requestsPerMinute: 10_000 })).key,
    pinned: (await issueKey(service.scope(), { practiceId, test: false, locationId: secondLocation })).key,
  };
  const live = service.client(keys.live);
  const test = service.client(keys.test);
  const ofLive = { ...practice, live };

  const endpoint = await createEndpoint(live, receiver.url);
  const silent = await createEndpoint(live, `${receiver.url}/exhausted`, { enabledEvents: ['payment_link.expired'] });
  const disabled = await createEndpoint(live, `${receiver.url}/disabled`, {
    enabledEvents: ['payment_link.cancelled'],
  });
  await createEndpoint(test, `${receiver.url}/test`);

  const patient = { firstName: 'Ada', lastName: 'Byron', phone: '+13125550100', externalId: 'pat-1' };
  const named = { patient, externalReference: 'INV-1', metadata: { b: '1', a: '2' } };
  const byCard = await payments.link(ofLive, { ...inPractice, ...named });
  await payments.pay(byCard, 'card_success');
  const byBank = await payments.link(ofLive, inPractice);
  await payments.pay(byBank, 'bank_settles');
  const reversed = await payments.link(ofLive, inPractice);
  await payments.pay(reversed, 'bank_settles');
  service.clock.advance({ seconds: SETTLE_SECONDS });
  await payments.sweep();
  const dispute = { amountCents: 5_000, evidenceDueBy: null };
  const openDispute = ({ id }: { id: string }, reason: string) =>
    simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, id, {
      ...dispute,
      reason,
    });
  await openDispute(reversed, 'insufficient_funds');
  await openDispute(byCard, 'fraudulent');
  await deliver(deliverer, endpoint.id);
  const refunded = await payments.link(ofLive, inPractice);
  await payments.pay(refunded, 'card_success');
  await refund(refunded, 2_500);
  const declined = await payments.link(ofLive, inPractice);
  await payments.pay(declined, 'card_declined');
  // Its attempt stays open.
  const challenged = await payments.link(ofLive, inPractice);
  await payments.pay(challenged, 'card_challenge');
  const processing = await payments.link(ofLive, inPractice);
  await payments.pay(processing, 'bank_settles');

  await deliver(deliverer, endpoint.id);
  const soon = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
  await createLink(live, { ...inPractice, expiresAt: soon });
  service.clock.advance({ hours: 2 });
  await payments.sweep();
  receiver.answer = refuse(500);
  await followRetrySchedule(service, deliverer, silent.id);
  receiver.answer = (_, response) => void response.writeHead(200).end();
  await deliver(deliverer, endpoint.id);
  receiver.answer = refuse(500);
  await ping(live, endpoint.id);
  await deliver(deliverer, endpoint.id);

  const cancelled = await createLink(live, inPractice);
  await live.post(`/api/v1/payment-links/${cancelled.id}/cancel`);
  await live.patch(`${ENDPOINTS}/${disabled.id}`, { status: 'disabled' });
  const simulated = await createLink(test, inPractice);
  await test.post(`/api/v1/payment-links/${simulated.id}/simulate`, { outcome: 'paid' });
  await createLink(test, { locationId: secondLocation });
  const payable = await payments.link(ofLive, { ...inPractice, description: 'Crown, upper left' });
  const cancellable = await createLink(service.client(keys.pinned), { locationId: secondLocation });
  const kept = await live.post('/api/v1/payment-links', linkBody(keptRequest(locationId)), idempotent(SETTLED_KEY));
  const sealed = await live.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`, {}, idempotent(SETTLED_KEY));
  await payments.notify('acct_other', { kind: 'payment', reference: 'sbx_pay_unknown' }, 'msg_1');

  await createLink(live, inPractice);
  const owner = await addMember(service, practiceId, 'owner');
  await addMember(service, practiceId, 'front_desk', { locationIds: [locationId] });
  const invited = { email: 'invited@elm.example', role: 'viewer', locationIds: null } as const;
  await inviteMember(service.scope(), { kind: 'person', id: owner.personId, address: null }, practiceId, invited);
  await signedIn(service, owner);
  await signInUrl(service, owner);
  await test.get(`${EVENTS}?waitSeconds=0`);
  await test.post(`/api/v1/payment-links/${(await createLink(test, inPractice)).id}/simulate`, { outcome: 'paid' });
  await query(server.url, `insert into job_runner_heartbeats values ('runner-1', '2030-06-15T12:00:00Z')`);
  const exchanges = [];
  for (const [name, key] of Object.entries(keys)) {
    const client = service.client(key);
    for (const path of await readPaths(client)) {
      exchanges.push({ key: name, path, body: (await client.get(path)).body });
    }
  }

  // Every request has a slot; those of one are enough. So is one asset.
  await query(server.url, 'delete from rate_slots');
  await query(server.url, 'delete from rate_windows');
  await live.get('/api/v1/locations');
  await query(server.url, `delete from page_assets where path <> (select min(path) from page_assets)`);
  await query(server.url, `update page_assets set bytes = 'x'`);

  return {
    now: service.clock.now().toISOString(),
    migrations: Object.fromEntries(MIGRATIONS.map(({ name, text }) => [name, hashText(text)])),
    keys,
    locationId,
    endpointId: endpoint.id,
    payable,
    cancellableId: cancellable.id,
    processingId: processing.id,
    keptReply: kept.text,
    sealedReply: sealed.text,
    exchanges,
  };
}

/** Throws unless every table has a row. */
async function assertFilled(): Promise<void> {
  const tables = await query<{ name: string }>(
    server.url,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'sandbox')`,
  );
  for (const { name } of tables) {
    const rows = await query(server.url, `select from ${name} limit 1`);
    if (rows.length === 0 && !EMPTY.test(name)) throw new Error(`${name} has no row; add what fills it`);
  }
}
