import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { configWarnings, SETTINGS } from '../../src/cli/config-warnings.ts';
import { ENDED, readConfig } from '../../src/processes/config.ts';
import { createDatabase } from '../harness/database.ts';
import { killGroup, startPaylinks, until } from '../harness/processes.ts';

const PRODUCTION = { DATABASE_URL: 'postgres://db.example/paylinks', PROCESSOR: 'sandbox' };
const STRIPE = {
  ...{ DATABASE_URL: PRODUCTION.DATABASE_URL, PROCESSOR: 'stripe', STRIPE_SECRET_KEY: 'sk_test_1' },
  ...{ STRIPE_PUBLISHABLE_KEY: 'pk_test_1', STRIPE_WEBHOOK_SECRETS: 'whsec_1,whsec_2' },
};

const warned = (env: NodeJS.ProcessEnv): string[] =>
  configWarnings(env, readConfig(env)).map(({ setting, message }) => `${setting}: ${message}`);

describe('warnings about the configuration', () => {
  it('a usual configuration, with variables of other programs and of Kubernetes, has no warning', () => {
    const others = Object.fromEntries(
      [
        ...[
          'HOME',
          'PATH',
          'MAIL',
          'SHELL',
          'LOG_NAMESPACE',
          'OTEL_SERVICE_NAME',
          'PAYLINKS_API_KEY',
          'PAYLINKS_SETTINGS',
        ],
        ...[
          'PAYLINKS_API_SERVICE_HOST',
          'PAYLINKS_API_SERVICE_PORT_HTTP',
          'PAYLINKS_API_PORT',
          'DATABASE_SERVICE_HOST',
        ],
        'PAYLINKS_API_PORT_80_TCP_ADDR',
      ].map((name) => [name, 'a']),
    );
    expect(warned({ ...STRIPE, ...others, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' })).to.deep.equal([]);
    expect(warned({ WEBHOOK_ALLOWED_NETWORKS: '0.0.0.0/0' }), 'with the embedded server').to.deep.equal([]);
  });

  it('a guard of addresses that is open to about all is a warning in production', () => {
    for (const networks of ['0.0.0.0/0', '::/0', '127.0.0.0/8,0.0.0.0/1,128.0.0.0/1', '2000::/3']) {
      expect(warned({ ...PRODUCTION, WEBHOOK_ALLOWED_NETWORKS: networks }).join(), networks).to.match(
        /^WEBHOOK_ALLOWED_NETWORKS: .*leave it unset/,
      );
    }
  });

  it('the sandbox beside settings of Stripe is a warning that names them, without their values', () => {
    const [text = '', ...more] = warned({ ...STRIPE, PROCESSOR: 'sandbox' });
    expect(more).to.deep.equal([]);
    expect(text).to.match(/^PROCESSOR: .*STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRETS/);
    expect(text).to.not.match(/sk_test|whsec_/);
    expect(warned({ ...PRODUCTION, STRIPE_SECRET_KEY: ' ' })).to.deep.equal([]);
  });

  it('a secret of notifications in another form is a warning with its place, without its value', () => {
    const [text = ''] = warned({ ...STRIPE, STRIPE_WEBHOOK_SECRETS: 'whsec_1,we_2,whsec_' });
    expect(text)
      .to.match(/^STRIPE_WEBHOOK_SECRETS: .*entry 2, 3 /)
      .and.to.not.include('we_2');
  });

  it('an unknown variable with a prefix of ours is a warning that names the nearest setting', () => {
    for (const [name, nearest] of [
      ['STRIPE_WEBHOOK_SECRET', 'STRIPE_WEBHOOK_SECRETS'],
      ['WEBHOOK_RETRY_SECOND', 'WEBHOOK_RETRY_SECONDS'],
      ['SECRETS_KEYS', 'SECRETS_KEY'],
      ['TRUST_PROXY_HOP', 'TRUST_PROXY_HOPS'],
      ['METRICS_PROT', 'METRICS_PORT'],
      ['PUBLIC_ULR', 'PUBLIC_URL'],
      ['DATABASE_URI', 'DATABASE_URL'],
      ['LOG_LEVLE', 'LOG_LEVEL'],
    ]) {
      const [text = '', ...more] = warned({ ...STRIPE, [name as string]: 'secret' });
      expect(more, name).to.deep.equal([]);
      expect(text).to.include(`${name}: ${name} is no setting`).and.include(`did you mean ${nearest}?`);
      expect(text).to.not.include('secret');
    }
    expect(warned({ ...STRIPE, STRIPE_COLOUR: 'red' }).join()).to.include('the README lists all settings');
  });

  it('the known settings are those that the configuration reads, and those of the README', () => {
    const names: string[] = [];
    const all: NodeJS.ProcessEnv = { ...STRIPE, OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example' };
    const recorder = new Proxy(all, {
      get(target, name) {
        names.push(String(name));
        return target[String(name)];
      },
    });
    readConfig(recorder);
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, table = ''] = readme.split('| variable | meaning | default |');
    const rows = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name);
    expect([...rows, ...Object.keys(ENDED)]).to.include.members(names);
    expect(rows.filter((name) => !name.startsWith('OTEL_'))).to.have.members(SETTINGS);
  });

  it('a process that starts logs each warning, and has its command as its title', async () => {
    const env = { ...process.env, DATABASE_URL: await createDatabase(), PROCESSOR: 'sandbox', PORT: '0' };
    for (const command of ['serve', 'worker']) {
      const running = startPaylinks([command], { ...env, WEBHOOK_ALLOWED_NETWORKS: '0.0.0.0/0', METRICS_PROT: '9464' });
      try {
        await until(() => /"msg":"(serving|working)"/.test(running.output()), running.output);
        const lines = running.output().split('\n');
        for (const setting of ['WEBHOOK_ALLOWED_NETWORKS', 'METRICS_PROT'])
          expect(lines.filter((line) => line.includes(`"setting":"${setting}"`))).to.have.length(1);
        // Other systems than Linux show it by `ps` alone.
        if (!existsSync('/proc/self')) continue;
        const title = readFileSync(`/proc/${running.child.pid}/cmdline`, 'utf8');
        expect(title.replaceAll('\0', ' ').trim()).to.equal(`paylinks ${command}`);
      } finally {
        killGroup(running, 'SIGKILL');
        await running.finished;
      }
    }
  });
});
