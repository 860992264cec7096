import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from '../../harness/client.ts';
import { createDatabase, createEmptyDatabase, query } from '../../harness/database.ts';
import { useReceiver } from '../../harness/fixtures.ts';
import { freePort } from '../../harness/free-port.ts';
import {
  addressOf,
  checkout,
  killAfterThisTest,
  killGroup,
  runPaylinks,
  startPaylinks,
  until,
} from '../../harness/processes.ts';
import { SECRETS_KEY } from '../../harness/service.ts';
import { createEndpoint, paidLink } from '../../harness/webhooks.ts';

const ROLES = readFileSync(join(checkout, 'operations/postgresql/roles.sql'), 'utf8');

describe('roles.sql', function () {
  this.timeout(240_000);
  const suffix = randomBytes(4).toString('hex');
  /** Roles belong to the server, which other tests share. So these have names of their own. */
  const owner = `owner_${suffix}`;
  const service = `service_${suffix}`;
  const receiver = useReceiver();
  let administrator: string;

  before(async () => {
    administrator = await createEmptyDatabase();
    await query(
      administrator,
      `create role ${owner} login password 'secret'; create role ${service} login password 'secret'`,
    );
  });

  /** Runs the file as an administrator would, with the names of this test. */
  const runRoles = (url: string) =>
    query(url, ROLES.replaceAll('paylinks_owner', owner).replaceAll(/\bpaylinks\b/g, service));

  function as(role: string, url: string): string {
    const own = new URL(url);
    [own.username, own.password] = [role, 'secret'];
    return own.href;
  }

  const environment = (url: string) => ({
    ...process.env,
    ...{ DATABASE_URL: url, SECRETS_KEY, PROCESSOR: 'sandbox', PORT: '0', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  });

  async function paylinks(url: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runPaylinks(args, environment(url));
    expect(code, `paylinks ${args.join(' ')}: ${stdout}${stderr}`).to.equal(0);
    return stdout;
  }

  const json = async (url: string, ...args: string[]) => JSON.parse(await paylinks(url, ...args, '--json'));

  /** Expects that the service's role can change neither the guard of the audit log nor anything else of the schema. */
  async function expectGuarded(url: string): Promise<void> {
    const refusals = [
      'alter table audit_log disable trigger all',
      'alter table audit_log disable trigger audit_log_unchanged',
      'drop trigger audit_log_unchanged on audit_log',
      'alter table audit_log rename to other',
      'drop table audit_log cascade',
      'truncate audit_log',
      'update audit_log set practice_id = practice_id',
      'delete from audit_log',
      'create or replace function refuse_audit_change() returns trigger language plpgsql as $$ begin return old; end $$',
      'alter function refuse_audit_change() rename to other',
      'create function public.now() returns integer language sql as $$ select 1 $$',
      'create rule hidden as on delete to audit_log do instead nothing',
      'set session_replication_role = replica',
      `set role ${owner}`,
      `grant ${owner} to ${service}`,
    ];
    for (const statement of refusals) {
      const code = await query(url, statement).then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
      // 23001 is the guard itself, if the file did not run again after the first migration.
      expect(code, statement).to.be.oneOf(/^(update|delete) /.test(statement) ? ['42501', '23001'] : ['42501']);
    }
  }

  it('serve, worker and commands run as the service’s role after a migration by the owner, and cannot switch off the guard of the audit log', async () => {
    await runRoles(administrator);
    const url = as(service, administrator);
    expect(await paylinks(as(owner, administrator), 'migrate')).to.match(/^Applied database\/schema/);
    const metricsPort = await freePort();
    const serve = killAfterThisTest(startPaylinks(['serve'], environment(url)));
    const metrics = { METRICS_PORT: `${metricsPort}` };
    const worker = killAfterThisTest(startPaylinks(['worker'], { ...environment(url), ...metrics }));
    await until(() => worker.output().includes('"working"'), worker.output);
    const baseUrl = await addressOf(serve.output);

    const owned = ['--admin-email', 'a@elm.example', '--payments-enabled'];
    const practice = await json(url, 'practices', 'create', '--name', 'Elm', ...owned);
    const place = ['--name', 'Downtown', '--city', 'Springfield', '--state', 'IL', '--time-zone', 'America/Chicago'];
    await json(url, 'locations', 'create', '--practice', practice.id, ...place);
    const { key } = await json(url, 'keys', 'create', '--practice', practice.id, '--mode', 'test');
    const client = new Client(baseUrl, key);
    await createEndpoint(client, receiver.url, { enabledEvents: ['payment_link.paid'] });
    await paidLink(client);
    await until(() => receiver.received.length > 0, worker.output);
    await until(
      async () =>
        (await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).includes('paylinks_database_up 1'),
      worker.output,
    );
    expect(await paylinks(url, 'check')).to.match(/^no faults/);
    await paylinks(url, 'secrets', 'rotate');
    for (const process of [serve, worker]) killGroup(process, 'SIGTERM');
    expect([(await serve.finished).code, (await worker.finished).code]).to.deep.equal([0, 0]);
    // A recurring job without a right would be logged as an error.
    expect(`${serve.output()}${worker.output()}`).to.not.match(/"level":[56]0|42501/);
    await expectGuarded(url);
  });

  it('a database that the service’s role owned is taken over with its data, and the file may run again', async () => {
    const old = await createDatabase();
    await query(old, `alter database ${new URL(old).pathname.slice(1)} owner to ${service}`);
    await query(
      old,
      `do $$ declare object record; begin
         execute 'alter schema graphile_worker owner to ${service}';
         for object in select c.oid::regclass as name, c.relkind from pg_class c
             where c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and c.relkind in ('r', 'p', 'v') loop
           execute format('alter table %s owner to ${service}', object.name);
         end loop;
         for object in select oid::regprocedure as name from pg_proc
             where pronamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and prokind = 'f' loop
           execute format('alter function %s owner to ${service}', object.name);
         end loop;
       end $$`,
    );
    const url = as(service, old);
    const practice = await json(url, 'practices', 'create', '--name', 'Oak', '--admin-email', 'a@oak.example');
    for (const _ of [1, 2]) await runRoles(old);
    expect(await paylinks(as(owner, old), 'migrate')).to.equal('The schema is up to date.\n');
    expect(await paylinks(url, 'practices', 'list')).to.include(practice.id);
    expect(await paylinks(url, 'check')).to.match(/^no faults/);
    await expectGuarded(url);
  });
});
