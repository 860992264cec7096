import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterThisTest } from '../harness/after-this-test.ts';
import { Client } from '../harness/client.ts';
import { createDatabase, MIGRATED_NAMES, query } from '../harness/database.ts';
import { listen } from '../harness/free-port.ts';
import { leaveOut } from '../harness/leave-out.ts';
import {
  addressOf,
  checkout,
  commandsIn,
  killGroup,
  type Running,
  runPaylinks,
  start,
  until,
} from '../harness/processes.ts';

/** Returns the words of a command line without blanks in a word. */
const words = (line: string) => line.split(' ');

describe('paylinks', () => {
  let env: NodeJS.ProcessEnv;

  before(async () => {
    const SECRETS_KEY = `cli:${Buffer.alloc(32, 3).toString('base64')}`;
    env = { ...process.env, DATABASE_URL: await createDatabase(), PROCESSOR: 'sandbox', SECRETS_KEY, PORT: '0' };
  });

  const { run, json } = commandsIn(() => env);

  it('paylinks does what the guide says, command by command, and prints one JSON document with --json', async () => {
    const phone = ['--phone', '+1 202 555 0143'];
    const practice = await json('practices', 'create', '--name', 'Elm', '--admin-email', 'a@elm.example', ...phone);
    expect(practice).to.include({ name: 'Elm', paymentsEnabled: false, apiAccessEnabled: true, phone: '+12025550143' });
    const switched = ['--payments-enabled', 'true', '--api-access', 'false'];
    const updated = await json('practices', 'update', practice.id, ...switched, '--phone', '');
    expect(updated).to.include({ id: practice.id, paymentsEnabled: true, apiAccessEnabled: false, phone: null });
    expect((await json('practices', 'list')).data).to.deep.equal([updated]);

    const onboarded = await json('practices', 'onboard', practice.id);
    expect(onboarded).to.include({ id: practice.id, paymentsEnabled: true, onboardingUrl: null });

    const place = ['--name', 'Downtown', '--city', 'Springfield', '--state', 'IL', '--time-zone', 'America/Chicago'];
    const location = await json('locations', 'create', '--practice', practice.id, ...place, ...phone);
    expect(location).to.include({ name: 'Downtown', city: 'Springfield', state: 'IL', active: true });
    expect(location.phone).to.equal('+12025550143');
    const nowhere = place.map((word) => (word === 'IL' ? 'XX' : word));
    const misplaced = await run('locations', 'create', '--practice', practice.id, ...nowhere);
    expect([misplaced.code, misplaced.stderr.includes('validation_error (state)')]).to.deep.equal([1, true]);
    const wrong = await run('practices', 'update', practice.id, '--phone', '555-0143');
    expect([wrong.code, wrong.stderr.includes('validation_error (phone)')]).to.deep.equal([1, true]);

    const scope = ['--scope', 'payment_links:read', '--scope', 'payment_links:write'];
    const limits = ['--location', location.id, '--expires-at', '2099-01-01T00:00:00Z', '--requests-per-minute', '7'];
    const testKey = await json('keys', 'create', '--practice', practice.id, '--mode', 'test', ...scope, ...limits);
    expect(testKey.key).to.match(/^pp_test_/);
    expect(testKey).to.deep.include({ scopes: ['payment_links:read', 'payment_links:write'], locationId: location.id });
    expect(testKey).to.include({ expiresAt: '2099-01-01T00:00:00.000Z', requestsPerMinute: 7, mode: 'test' });
    const liveKey = await json('keys', 'create', '--practice', practice.id, '--mode', 'live');
    expect(liveKey.key).to.match(/^pp_live_/);
    const listed = await json('keys', 'list', '--practice', practice.id);
    expect(listed.data.map(({ id }: { id: string }) => id)).to.deep.equal([testKey.id, liveKey.id]);
    expect(JSON.stringify(listed)).to.not.include(testKey.key).and.to.not.include(liveKey.key);
    expect((await json('keys', 'show', testKey.id)).key).to.equal(testKey.key);
    expect((await run('keys', 'show', liveKey.id)).code).to.equal(1);
    expect((await json('keys', 'revoke', liveKey.id)).revokedAt).to.be.a('string');
    const patient = words('--first-name Ada --last-name Byron --phone +14155550123 --email a@b.example');
    const bill = ['--amount', '99.95', '--description', 'Crown', '--external-id', '4242424242424242'];
    const asStaff = words(`--practice ${practice.id} --mode live --source staff`);
    const link = await json('links', 'create', ...asStaff, ...bill, ...patient);
    expect(link).to.include({ object: 'payment_link', amount: 99.95, source: 'staff', test: false, status: 'active' });
    expect((await json('links', 'cancel', link.id)).status).to.equal('cancelled');
    expect((await json('locations', 'deactivate', location.id)).active).to.equal(false);
    const asTest = words(`--practice ${practice.id} --mode test --source website`);
    const refused = await run('links', 'create', ...asTest, ...bill, ...patient);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include('no_active_location');
    expect(refused.stdout).to.equal('');
    const acts = await query<{ act: string }>(
      env.DATABASE_URL ?? '',
      `select action || ' ' || target_id as act, after from audit_log where practice_id = $1 order by id`,
      [practice.id],
    );
    expect(acts.map(({ act }) => act)).to.deep.equal([
      `practice.created ${practice.id}`,
      `practice.changed ${practice.id}`,
      `onboarding.opened ${practice.id}`,
      `location.created ${location.id}`,
      `key.created ${testKey.id}`,
      `key.created ${liveKey.id}`,
      `key.viewed ${testKey.id}`,
      `key.revoked ${liveKey.id}`,
      `link.created ${link.id}`,
      `link.cancelled ${link.id}`,
      `location.deactivated ${location.id}`,
    ]);
    expect(JSON.stringify(acts)).to.not.include(testKey.key).and.to.not.include(liveKey.key);
    expect(JSON.stringify(acts)).to.not.match(/Byron|Crown|4155550123|b\.example/);
  });

  it('paylinks invites, lists and removes the people of a practice, and keeps its last owner', async () => {
    const practice = await json('practices', 'create', '--name', 'Oak', '--admin-email', 'a@oak.example');
    const place = ['--name', 'Uptown', '--city', 'Springfield', '--state', 'IL', '--time-zone', 'America/Chicago'];
    const location = await json('locations', 'create', '--practice', practice.id, ...place);
    const invite = (email: string, ...rest: string[]) => [
      ...words(`users invite --practice ${practice.id} --email ${email}`),
      ...rest,
    ];
    const [owner, limited, strange, developer] = await Promise.all([
      json(...invite('Ada@Oak.example', '--role', 'owner')),
      json(...invite('eve@oak.example', '--role', 'front_desk', '--location', location.id)),
      run(...invite('x@oak.example', '--role', 'viewer', '--location', 'loc_x')),
      run(...invite('dev@oak.example', '--role', 'developer', '--location', location.id)),
    ]);
    expect(owner).to.include({ practiceId: practice.id, email: 'ada@oak.example', role: 'owner', locationIds: null });
    expect(limited).to.deep.include({ role: 'front_desk', locationIds: [location.id] });
    expect([developer.code, developer.stderr.includes('developers see all locations')]).to.deep.equal([1, true]);
    expect([strange.code, strange.stderr.includes('not_found (location)')]).to.deep.equal([1, true]);
    const [listed, last] = await Promise.all([
      json('users', 'list', '--practice', practice.id),
      run('users', 'remove', owner.id),
    ]);
    expect(listed.data).to.deep.equal([owner, limited]);
    expect([last.code, last.stderr.includes('needs an owner')]).to.deep.equal([1, true]);
    expect(await json('users', 'remove', limited.id)).to.deep.equal(limited);
    const acts = await query<{ action: string }>(
      env.DATABASE_URL ?? '',
      `select action from audit_log where practice_id = $1 and actor_kind = 'operator' order by id`,
      [practice.id],
    );
    expect(acts.map(({ action }) => action).toSorted()).to.deep.equal([
      'invitation.withdrawn',
      'location.created',
      'member.invited',
      'member.invited',
      'practice.created',
    ]);
  });

  it('paylinks shows which people of a practice are locked', async () => {
    const { id } = await json('practices', 'create', '--name', 'Fir', '--admin-email', 'a@fir.example');
    await query(
      env.DATABASE_URL ?? '',
      `with person as (insert into people (id, email, created_at) values ('pers_fir', 'a@fir.example', now()) returning id)
       insert into memberships (id, practice_id, person_id, role, all_locations, locked_at, created_at)
       select 'mem_fir', $1, id, 'viewer', true, now(), now() from person`,
      [id],
    );
    const { data } = await json('users', 'list', '--practice', id);
    expect(data).to.have.length(1);
    expect(data[0]).to.include({ id: 'mem_fir', status: 'locked' });
  });

  it('paylinks prints a table without --json', async () => {
    const { code, stdout } = await run('practices', 'list');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^id +name +adminEmail/);
  });

  for (const args of [
    ['nonsense'],
    ['practices', 'create'],
    ['keys', 'create', '--practice', 'x', '--mode', 'prod'],
    ['practices', 'list', '--nope'],
  ]) {
    it(`paylinks exits 2 and explains itself on standard error: paylinks ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await run(...args);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.include('error:').and.to.include('--help');
    });
  }

  for (const args of [
    ['disputes', 'open', '--link', 'plink_x', '--reason', 'fraudulent', '--amount', '1'],
    ['disputes', 'close', '--link', 'plink_x', '--outcome', 'won'],
  ]) {
    it(`paylinks simulates no bank with a real processor: ${args.slice(0, 2).join(' ')} exits 1 and says so`, async () => {
      const keys = {
        STRIPE_SECRET_KEY: 'sk_test_x',
        STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
        STRIPE_WEBHOOK_SECRETS: 'whsec_x',
      };
      const { code, stdout, stderr } = await runPaylinks(args, { ...env, PROCESSOR: 'stripe', ...keys });
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.include('PROCESSOR=sandbox only');
    });
  }

  for (const [what, change, param] of [
    ['an empty name', ['--first-name', ''], 'patient.firstName'],
    ['a control character', ['--last-name', 'By\u0007ron'], 'patient.lastName'],
    ['a mark of direction', ['--last-name', 'By\u202eron'], 'patient.lastName'],
    ['an address that is none', ['--email', 'ada at home'], 'patient.email'],
    ['a telephone number without country code', ['--phone', '4155550123'], 'patient.phone'],
    ['a card number in the description', ['--description', 'Card 4242 4242 4242 4242'], 'description'],
  ] as const) {
    it(`links create keeps to the contract's limits: ${what} is refused`, async () => {
      const owner = ['--practice', 'prac_x', '--mode', 'live', '--source', 'staff'];
      const bill = ['--amount', '1', '--description', 'Crown', '--first-name', 'Ada', '--last-name', 'Byron'];
      const { code, stdout, stderr } = await run('links', 'create', ...owner, ...bill, ...change);
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.include(`validation_error (${param})`);
    });
  }

  it('paylinks --version prints the version of package.json, and the commit of the checkout', async () => {
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
    const { code, stdout } = await run('--version');
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout }).toString().trim();
    expect([code, stdout.replace('-dirty', '')]).to.deep.equal([0, `${version} (commit ${commit})\n`]);
  });

  it('paylinks exits 1 for what does not exist', async () => {
    const { code, stderr } = await run('keys', 'revoke', 'key_none');
    expect(code).to.equal(1);
    expect(stderr).to.include('not_found');
  });

  it('paylinks lists every fault of the configuration and exits 1, as a line of the log where a supervisor reads it', async () => {
    for (const command of ['serve', 'migrate', 'practices list']) {
      const faulty = { ...env, PORT: 'x', LOG_LEVEL: 'loud' };
      const { code, stderr } =
        command === 'serve'
          ? await start(`${checkout}/scripts/paylinks`, [command], { env: faulty }).finished
          : await runPaylinks(command.split(' '), faulty);
      expect(code).to.equal(1);
      expect(stderr).to.include('PORT').and.to.include('LOG_LEVEL');
      if (command === 'practices list') continue;
      const { level, time, faults } = JSON.parse(stderr);
      expect([level, Number.isNaN(Date.parse(time)), faults.length], command).to.deep.equal([60, false, 2]);
    }
  });

  it('paylinks writes the faults of the configuration as text on a terminal', async function () {
    // Other systems have a program of this name with other arguments.
    if (process.platform !== 'linux') return leaveOut(this, 'no Linux');
    const script = ['-qec', `${checkout}/scripts/paylinks serve`, '/dev/null'];
    const { code, stdout } = await start('script', script, { env: { ...env, PORT: 'x' } }).finished;
    expect([code, stdout.replaceAll('\r', '')]).to.deep.equal([
      1,
      'paylinks: The configuration has 1 fault(s):\n  - PORT must be a whole number from 0 to 65535\n',
    ]);
  });

  it('paylinks serve and worker say which port is in use, and which setting chooses another one', async () => {
    const other = createServer();
    const port = `${await listen(other)}`;
    afterThisTest(() => other.close());
    for (const [command, settings] of [
      ['serve', { PORT: port }],
      ['worker', { METRICS_PORT: port }],
    ] as const) {
      const faulty = { ...env, ...settings };
      const { code, stderr } = await start(`${checkout}/scripts/paylinks`, [command], { env: faulty }).finished;
      const { msg, next } = JSON.parse(stderr);
      expect([code, msg], command).to.deep.equal([1, `Port ${port} is in use.`]);
      expect(next).to.include('PORT').and.include('METRICS_PORT');
    }
  });

  it('paylinks refuses to serve a database that was not migrated, and says what to run', async () => {
    const empty = new URL(env.DATABASE_URL ?? '');
    await query(empty.href, 'create database not_migrated');
    empty.pathname = '/not_migrated';
    const { code, stderr } = await start(`${checkout}/scripts/paylinks`, ['serve'], {
      env: { ...env, DATABASE_URL: empty.href },
    }).finished;
    expect(code).to.equal(1);
    expect(JSON.parse(stderr).next).to.include('scripts/paylinks migrate');
    const migrated = await runPaylinks(['migrate'], { ...env, DATABASE_URL: empty.href });
    const lines = MIGRATED_NAMES.map((name) => `Applied ${name}.\n`);
    expect([migrated.code, migrated.stdout]).to.deep.equal([0, lines.join('')]);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`serve answers, and serve and worker end with 0 on ${signal}`, async () => {
      const processes: Running[] = [];
      afterThisTest(async () => {
        for (const process of processes) killGroup(process, 'SIGKILL');
      });
      const serve = start(`${checkout}/scripts/paylinks`, ['serve', '--json'], { env });
      const worker = start(`${checkout}/scripts/paylinks`, ['worker', '--json'], { env });
      processes.push(serve, worker);
      await until(() => serve.output().includes('"serving"') && worker.output().includes('"working"'), serve.output);
      expect((await new Client(await addressOf(serve.output), null).get('/api/v1/locations')).status).to.equal(401);
      // To the process alone: the wrapper must have become it.
      serve.child.kill(signal);
      worker.child.kill(signal);
      expect([(await serve.finished).code, (await worker.finished).code]).to.deep.equal([0, 0]);
    });
  }
});
