import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/main/processes/config.ts';
import { ConfigError } from '../../src/platform/base/errors.ts';
import { useFolder } from '../harness/fixtures.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { listedSettings } from '../harness/listed-settings.ts';
import { checkout } from '../harness/processes.ts';

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');

/** Returns the settings of a file as systemd reads it: single quotes around a value are not part of it. */
function settingsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return [name, value.replace(/^'(.*)'$/, '$1')];
    }),
  );
}

/** Settings of an operator who takes real payments and sends real mails, in the order of the guide. */
const COMPLETE = {
  PUBLIC_URL: 'https://pay.example.com',
  SECRETS_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
  STRIPE_WEBHOOK_SECRETS: 'whsec_1,whsec_2',
  SMTP_URL: 'smtps://user:word@mail.example.com',
  MAIL_FROM: 'Paylinks <no-reply@example.com>',
};

const DATABASE_URL = 'postgres://database/paylinks';

/** Returns the variables that the configuration finds missing. */
function missingIn(env: Record<string, string>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => fault.split(' ')[0] ?? '');
  }
}

/** Returns the variables that one setting or another makes necessary. */
function demandedVariables(): string[] {
  const { PROCESSOR, SMTP_URL } = COMPLETE;
  return [...missingIn({ DATABASE_URL }), ...missingIn({ DATABASE_URL, PROCESSOR, SMTP_URL })];
}

/** Returns a value of the composition as Compose reads it with these settings. */
function interpolated(value: string, settings: Record<string, string>): string {
  return value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const given = settings[name] ?? '';
    if (given === '' && kind === '?') throw new Error(`${name}: ${rest}`);
    return given === '' ? rest : given;
  });
}

/** The parts of a service of the composition that tests read. */
interface Service {
  command: string[];
  deploy: { replicas: number };
  depends_on: object;
  environment: Record<string, string>;
  read_only: boolean;
}

describe('files for an installation', () => {
  const folder = useFolder('units');
  const units = globSync('operations/systemd/*.service', { cwd: checkout });
  const composition = parse(read('operations/container/compose.yaml'), { merge: true });
  const services: Record<string, Service> = composition.services;
  const PROCESSES = ['migrate', 'api', 'worker'];

  it('units of systemd are accepted by systemd-analyze', function () {
    if (spawnSync('systemd-analyze', ['--version']).error !== undefined)
      return leaveOut(this, 'no systemd-analyze on this machine');
    const files = units.map((file) => {
      const unit = join(folder, basename(file));
      // The archive is not installed here; the checkout has the same program.
      writeFileSync(unit, read(file).replaceAll('/opt/paylinks/', `${checkout}`));
      return unit;
    });
    expect(files).to.have.length(2);
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
    expect([status, stderr]).to.deep.equal([0, '']);
  });

  it('examples of the environment are a valid configuration once their placeholders are replaced', () => {
    const stripe = {
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
      STRIPE_WEBHOOK_SECRETS: 'whsec_1',
    };
    for (const file of globSync('operations/**/environment.example', { cwd: checkout })) {
      const text = read(file);
      expect(settingsOf(text).SECRETS_KEY, file).to.equal('k1:CHANGE_ME');
      const complete = {
        ...settingsOf(text.replaceAll('CHANGE_ME', 'example.com')),
        ...(text.includes('STRIPE_SECRET_KEY=') && stripe),
        SECRETS_KEY: COMPLETE.SECRETS_KEY,
      };
      expect(() => readConfig(complete), file).to.not.throw();
      expect(listedSettings(), file).to.include.members(Object.keys(complete));
    }
  });

  it('a shell reads the example of the environment as systemd does, so that commands run with the settings of the units', () => {
    const file = 'operations/systemd/environment.example';
    const { stdout, stderr } = spawnSync('sh', ['-c', `set -a; . ./${file}; env -0`], {
      cwd: checkout,
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    });
    expect(stderr).to.equal('');
    const found = Object.fromEntries(stdout.split('\0').map((line) => line.split(/=(.*)/s).slice(0, 2)));
    expect(found).to.include(settingsOf(read(file)));
  });

  it('units and containers run without rights that a process does not need', () => {
    for (const file of units) {
      expect(read(file).split('\n'), file).to.include.members([
        ...['DynamicUser=yes', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=', 'AmbientCapabilities=', 'UMask=0077'],
        ...['ProtectSystem=strict', 'ProtectHome=yes', 'ProtectProc=invisible', 'PrivateTmp=yes', 'PrivateDevices=yes'],
        ...['RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX', 'SystemCallFilter=@system-service'],
      ]);
    }
    for (const name of PROCESSES) {
      expect(services[name], name).to.deep.include({
        ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      });
    }
    expect(read('operations/container/Dockerfile').split('\n')).to.include('USER 10001:10001');
    for (const file of ['api.cfg', 'haproxy.cfg']) {
      const lines = read(`operations/haproxy/${file}`).split('\n');
      expect(lines, file).to.include.members(['  user haproxy', '  group haproxy', '  chroot /var/lib/haproxy']);
    }
  });

  it('variables that the configuration demands are those of which the guide says that they must be set', () => {
    const rows = read('docs/operations/install.md').matchAll(/^\| `([A-Z_]+)` \|(.*must be set.*)\|$/gm);
    expect([...rows].map(([, name]) => name)).to.have.members(demandedVariables());
  });

  it('the composition passes every variable that the configuration demands, those of mails and of notifications to each process', () => {
    expect(Object.keys(COMPLETE)).to.include.members(demandedVariables());
    for (const name of PROCESSES) {
      const given = Object.entries(services[name]?.environment ?? {});
      const environment = (settings: Record<string, string>) =>
        Object.fromEntries(given.map(([name, value]) => [name, interpolated(value, settings)]));
      const secrets = { POSTGRES_PASSWORD: 'word', SECRETS_KEY: COMPLETE.SECRETS_KEY };
      const complete = environment({ ...secrets, ...COMPLETE });
      expect(complete, name).to.include(COMPLETE);
      expect(missingIn(complete), name).to.deep.equal([]);
      // Without them it is the sandbox, with mails in files.
      expect(readConfig(environment(secrets)), name).to.include({ stripe: null, smtpUrl: null });
    }
  });

  it('the example for Kubernetes has every variable that the configuration demands, and each process gets all of them', () => {
    const example = 'operations/kubernetes/example';
    const { secretGenerator } = parse(read(`${example}/kustomization.yaml`));
    expect(secretGenerator).to.deep.equal([{ name: 'paylinks', envs: ['environment.example'] }]);
    expect(settingsOf(read(`${example}/environment.example`))).to.include.keys(Object.keys(COMPLETE));
    for (const name of PROCESSES) {
      const [document] = parseAllDocuments(read(`operations/kubernetes/base/${name}.yaml`));
      const container = document?.getIn(['spec', 'template', 'spec', 'containers', 0, 'envFrom']);
      expect(JSON.parse(JSON.stringify(container)), name).to.deep.equal([{ secretRef: { name: 'paylinks' } }]);
    }
  });

  it('settings beside the composition are in no archive and in no image', () => {
    const env = 'operations/container/.env';
    expect(spawnSync('git', ['check-ignore', '--quiet', env], { cwd: checkout }).status).to.equal(0);
    expect(read('.dockerignore').split('\n')).to.include('**/.env');
  });
});
