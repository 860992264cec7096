import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { inviteMember, withdrawInvitation } from '../../src/console/identity/people/invitations.ts';
import type { Member } from '../../src/console/identity/people/members.ts';
import { createJobs } from '../../src/main/processes/tasks.ts';
import { simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { PAYMENT_STATES } from '../../src/payment-links/billing/payments.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { SCHEMA } from '../../src/platform/database/schema-files.ts';
import { addMember, ConsoleBrowser, notRefused, signedIn, signInUrl } from '../console/console.ts';
import { createDatabase, query } from '../harness/database.ts';
import { useReceiver } from '../harness/fixtures.ts';
import { Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, DELIVERIES, deliver, ENDPOINTS } from '../harness/webhooks.ts';

const LINKS = '/api/v1/payment-links';

/** A user that is no statement: PostgreSQL reads the index itself, to keep a rule. */
const CONSTRAINT = 'constraint: ';

/** Indexes that back no primary key and no unique columns. */
const INDEXES = `
  select indexrelid::regclass::text as name
  from pg_index join pg_class c on c.oid = indrelid join pg_namespace n on n.oid = c.relnamespace
  where nspname in ('public', 'sandbox') and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
  order by 1`;

/** Users of the indexes by their names: the comments behind the statements of the schema. */
const USERS = new Map(
  [...SCHEMA.text.matchAll(/^create (?:unique )?index (\w+) on (sandbox\.)?[^;]*; -- (.+)$/gm)].map(
    ([, name = '', schema = '', user = '']) => [`${schema}${name}`, user],
  ),
);

/** Tables whose rows are copied, and which of them. */
const COPIED: Record<string, string> = {
  payment_links: 'open_attempt_id is null',
  payment_attempts: 'closed_at is not null',
  transactions: 'true',
  bank_reversals: 'true',
  refunds: 'true',
  disputes: 'true',
  webhook_deliveries: 'due_at is null',
  processor_notifications: 'due_at is null',
};

describe('the indexes of our tables', function () {
  this.timeout(240_000);
  let url: string;
  let logFile: string;
  let service: TestService;
  let practice: TestPractice;
  let payments: Payments;
  const receiver = useReceiver();
  let owner: Member;
  let indexes: { name: string }[];

  before(async () => {
    url = await createDatabase();
    const [row] = await query<{ folder: string; name: string }>(
      url,
      `select current_setting('data_directory') as folder, current_database() as name`,
    );
    logFile = join(row?.folder ?? '', '..', 'server.log');
    // Each session logs the plans of its statements, those within functions, too. Small tables would be read as a whole, and sorted.
    for (const setting of [
      "session_preload_libraries = 'auto_explain'",
      'auto_explain.log_min_duration = 0',
      'auto_explain.log_nested_statements = on',
      'enable_seqscan = off',
      'enable_hashjoin = off',
      'enable_mergejoin = off',
    ]) {
      await query(url, `alter database ${row?.name} set ${setting}`);
    }
    indexes = await query(url, INDEXES);
    service = await TestService.start({ databaseUrl: url });
    practice = await service.practice();
    payments = new Payments(service);
    owner = await addMember(service, practice.practiceId, 'owner');
  });

  after(() => service?.close());

  /** Copies what happened before, an hour earlier each time, so that a wrong index would cost more than the right one. */
  async function copyRows(): Promise<void> {
    for (const [table, condition] of Object.entries(COPIED)) {
      await query(
        url,
        `set session_replication_role = replica;
         insert into ${table} select (jsonb_populate_record(r, (
           select jsonb_object_agg(key, case
             when key ~ '_at$' then to_jsonb(value::timestamptz - n * interval '1 hour') else to_jsonb(value || n) end)
           from jsonb_each_text(to_jsonb(r)) where value is not null and key ~ '_at$|^id$|^token$|reference$|(link|transaction|attempt|reversal)_id$'
             and key <> 'reconcile_at'
         ) || '{"reconcile_at": null}')).*
         from ${table} r, generate_series(1, 200) as n where ${condition}`,
      );
    }
    // Overdue links of many other practices, as after a day without a worker.
    await query(
      url,
      `set session_replication_role = replica;
       insert into payment_links select (jsonb_populate_record(l, jsonb_build_object('practice_id', 'of_' || l.id,
         'id', l.id || 'o', 'token', l.token || 'o', 'expires_at', l.created_at))).*
       from payment_links l where status = 'active'`,
    );
    // Indexes answer alone where all rows are visible to everybody.
    await query(url, 'vacuum analyze');
  }

  /** Runs the recurring job of this name once. */
  async function runJob(name: string): Promise<void> {
    const { recurring } = createJobs({
      newScope: () => service.scope(),
      deliverer: service.deliverer(),
      inbox: { wakeUp: () => undefined, idle: async () => undefined, stop: async () => undefined },
      processor: payments.sandbox,
      mailer: { send: async () => undefined },
    });
    await recurring.find((job) => job.name === name)?.run(() => true);
  }

  const show = async (page: string) => {
    // The clock moves between users, so sessions end.
    const browser = await signedIn(service, owner);
    const answer = await browser.get(`/console/${practice.practiceId}${page}`);
    expect(answer.status, page).to.equal(200);
  };

  /** An hour ago. Older links are not read. */
  const recent = () => new Date(service.clock.now().getTime() - 3_600_000).toISOString();

  const showAll = async (...pages: string[]) => {
    for (const page of pages) await show(page);
  };

  const read = async (...paths: string[]) => {
    for (const path of paths) expect((await practice.live.get(path)).status, path).to.equal(200);
  };

  const paid = async (method = 'card_success', patient: object = {}) => {
    const link = await payments.link(practice, {
      patient: { firstName: 'Ada', lastName: 'Byron', ...patient },
      locationId: practice.locationId,
    });
    await payments.pay(link, method);
    return link;
  };

  /** Users of the indexes, by the names in the comments. */
  const users: Record<string, () => Promise<unknown>> = {
    'list of links': () =>
      read(
        ...['', '?status=paid', '?status=active', '?externalReference=A', '?status=expired'].map((one) => LINKS + one),
        ...[`?locationId=${practice.locationId}`, `?paidAfter=${recent()}`].map((one) => LINKS + one),
        `${LINKS}?locationId=${practice.locationId}&paidAfter=${recent()}`,
      ),
    'list of deliveries': async () => {
      const link = await paid();
      const [most] = await query<{ id: string }>(
        url,
        'select endpoint_id as id from webhook_deliveries group by 1 order by count(*) desc limit 1',
      );
      const filters = [
        '',
        '&status=exhausted',
        '&type=ping',
        '&type=ping&status=exhausted',
        `&paymentLinkId=${link.id}`,
      ];
      await read(...filters.map((one) => `${DELIVERIES}?endpointId=${most?.id}${one}`));
    },
    'list of test events': () => practice.test.get('/api/v1/test-helpers/events'),
    'payment of a patient': () => paid('card_success', { phone: '+13125550100', externalId: 'p-1' }),
    refund: async () => {
      const { id } = await createLink(practice.test);
      await practice.test.post(`${LINKS}/${id}/simulate`, { outcome: 'paid' });
      await practice.test.post(`/api/v1/test-helpers/payment-links/${id}/refund`, {});
      const live = await paid();
      await payments.refund(live);
    },
    'bank reversal': async () => {
      const { id } = await paid('bank_settles');
      service.clock.advance({ seconds: SETTLE_SECONDS });
      await payments.sweep();
      const dispute = { reason: 'insufficient_funds', amountCents: 5_000, evidenceDueBy: null };
      await simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, id, dispute);
    },
    delivery: async () => {
      const { id } = await createEndpoint(practice.live, receiver.url);
      await paid();
      await deliver(service.deliverer(), id);
    },
    'replay of an endpoint': async () => {
      const { id } = await createEndpoint(practice.live, `${receiver.url}/replayed`);
      await practice.live.post(`${ENDPOINTS}/${id}/replay`, { since: service.clock.now().toISOString() });
    },
    'console: audit log': () =>
      showAll('/audit-log', '/audit-log?actor=per_1', '/audit-log?action=payment_link.created'),
    'console: page of a link': async () => show(`/live/links/${(await paid()).id}`),
    'console: page of a payment': async () => show(`/live/payments/${(await paid()).id}`),
    'console: owed amounts': () => showAll('/live/owed', '/live/owed?show=declined'),
    'console: list of links': () => showAll('/live/links', '/live/links?status=under_way'),
    'console: search': () =>
      showAll(
        ...['byron', 'ada@example.com', '+1 312 555 0100', 'p-1', '123 456 789', '$12', '4242'].map(
          (text) => `/live/search?q=${encodeURIComponent(text)}`,
        ),
      ),
    'console: list of payments': () =>
      showAll(
        ...['', '?method=us_bank_account', ...PAYMENT_STATES.map((state) => `?state=${state}`)].map(
          (one) => `/live/payments${one}`,
        ),
      ),
    'console: reconciliation': () => {
      const today = service.clock.now().toISOString().slice(0, 10);
      return show(`/live/reconciliation?from=${today}&to=${today}`);
    },
    'console: needs attention': () => show('/live?attention=all'),
    'console: log of API requests': () =>
      showAll(...['', '?status=refused', '?key=key_1'].map((one) => `/live/developers/requests${one}`)),
    'console: people': async () => {
      // Mails of other practices in the same hour.
      await query(
        url,
        `set session_replication_role = replica;
         insert into invitation_mails
         select 'prac_' || n, n || '@elm.example', '${service.clock.now().toISOString()}' from generate_series(1, 500) as n`,
      );
      await query(url, 'analyze invitation_mails');
      const actor = { kind: 'person', id: owner.personId, address: null } as const;
      const grant = { email: 'invited@elm.example', role: 'viewer', locationIds: null } as const;
      const invited = notRefused(await inviteMember(service.scope(), actor, practice.practiceId, grant));
      await withdrawInvitation(service.scope(), actor, invited);
    },
    'console: account': async () => (await signedIn(service, owner)).get('/console/account'),
    'console: sign-in': async () => {
      const user = await addMember(service, practice.practiceId, 'administrator');
      const other = await signedIn(service, user);
      await other.get('/console');
      await new ConsoleBrowser(service).signIn(await signInUrl(service, user));
      await other.post('/console/sign-out-everywhere');
    },
    'job expire_links': () => runJob('expire_links'),
    'job reconcile_attempts': () => runJob('reconcile_attempts'),
    'job reconcile_transactions': () => runJob('reconcile_transactions'),
    'job handle_due_notifications': () => runJob('handle_due_notifications'),
    'job purge_deleted_endpoints': () => runJob('purge_deleted_endpoints'),
    'job purge_expired_data': () => runJob('purge_expired_data'),
  };

  it('each index names its user beside the schema, and each user reads an index', () => {
    expect([...USERS.keys()]).to.have.members(indexes.map(({ name }) => name));
    const named = new Set([...USERS.values()].filter((user) => !user.startsWith(CONSTRAINT)));
    expect([...named]).to.have.members(Object.keys(users));
  });

  it('the real statements of its user read each index', async () => {
    for (const user of ['payment of a patient', 'refund', 'bank reversal', 'delivery']) await users[user]?.();
    await createLink(practice.live, { externalReference: 'A', locationId: practice.locationId });
    await copyRows();
    const unread: string[] = [];
    for (const [user, run] of Object.entries(users)) {
      const from = statSync(logFile).size;
      await run();
      const plans = readFileSync(logFile).subarray(from).toString('utf8');
      const scanned = new Set([...plans.matchAll(/(?:Scan|Backward) (?:using|on) (\w+)/g)].map(([, name]) => name));
      unread.push(
        ...indexes
          .filter((index) => USERS.get(index.name) === user && !scanned.has(index.name.replace('sandbox.', '')))
          .map(({ name }) => `${user}: ${name}`),
      );
    }
    expect(unread).to.deep.equal([]);
  });
});
