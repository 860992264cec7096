import { expect } from 'chai';
import { ENDED, readConfig } from '../../src/main/processes/config.ts';
import { ConfigError } from '../../src/platform/base/errors.ts';
import { listedSettings } from '../harness/listed-settings.ts';

const KEY = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const DATABASE = { DATABASE_URL: 'postgres://localhost/paylinks', PROCESSOR: 'sandbox' };

function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.faults];
    throw error;
  }
}

describe('the configuration', () => {
  it('the configuration has the documented defaults, those of the embedded server among them', () => {
    const config = readConfig({});
    expect(config).to.include({
      databaseUrl: null,
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:3000',
      trustProxyHops: 0,
      ipRequestsPerMinute: 600,
      drainSeconds: 4,
      webhookTimeoutMs: 10_000,
      stripe: null,
      logLevel: 'info',
    });
    expect(config.webhookRetrySeconds).to.deep.equal([30, 120, 600, 3600, 21_600, 86_400, 172_800]);
    expect([config.webhookAllowedNetworks, config.webhookSenderNetworks]).to.deep.equal([[], []]);
    expect(config.keyring.keys).to.have.length(1);
  });

  it('the configuration has no traces without a collector, and names each fault of the variables of OpenTelemetry', () => {
    expect(readConfig({ OTEL_TRACES_SAMPLER: 'nonsense' }).traces).to.equal(null);
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/' };
    expect(readConfig(endpoint).traces).to.deep.equal({ url: 'https://collector.example/otlp/v1/traces', ratio: 1 });
    const sampled = { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(readConfig(sampled).traces).to.include({ ratio: 0.25 });
    expect(readConfig({ ...sampled, OTEL_TRACES_SAMPLER: 'parentbased_always_off' }).traces).to.include({ ratio: 0 });
    for (const [name, value] of [
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector/?a'],
      ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
      ['OTEL_TRACES_SAMPLER', 'sometimes'],
      ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
      ['OTEL_TRACES_SAMPLER_ARG', 'half'],
    ] as const) {
      expect(faultsOf({ ...endpoint, [name]: value }).join(), name).to.include(`${name} must be`);
    }
  });

  it('the configuration refuses settings of former versions, because their operator expects what they did', () => {
    for (const [name, reason] of [
      ['ARCHIVE_AFTER_DAYS', 'ended with version 2.0.0: the tables stay whole.'],
      ['PARTITION_ABOVE_DELIVERIES', 'ended with version 2.0.0: the tables stay whole.'],
      ['CELL', 'ended with version 3.0.0: an installation has one database, '],
      ['PAYLINKS_CELLS', 'ended with version 3.0.0: an installation has one database, '],
    ] as const) {
      const [fault, ...more] = faultsOf({ [name]: 'b' });
      expect(more).to.deep.equal([]);
      expect(fault?.startsWith(`${name} ${reason}`), fault).to.equal(true);
      expect(fault?.endsWith('Remove it from the environment')).to.equal(true);
      expect(() => readConfig({ [name]: '' })).to.not.throw();
    }
  });

  it('the configuration follows PORT in the default of PUBLIC_URL, and drops a trailing slash', () => {
    expect(readConfig({ PORT: '8080' }).publicUrl).to.equal('http://localhost:8080');
    expect(readConfig({ PUBLIC_URL: 'https://pay.example.com/' }).publicUrl).to.equal('https://pay.example.com');
  });

  it('the console has the address of the hosted pages, unless CONSOLE_URL gives it one of its own', () => {
    const PUBLIC_URL = 'https://pay.example.com';
    expect(readConfig({ PUBLIC_URL }).consoleUrl).to.equal(PUBLIC_URL);
    const own = readConfig({ PUBLIC_URL, CONSOLE_URL: 'https://b.pay.example.com/' });
    expect([own.publicUrl, own.consoleUrl]).to.deep.equal([PUBLIC_URL, 'https://b.pay.example.com']);
    expect(faultsOf({ CONSOLE_URL: 'b.pay.example.com' })).to.deep.equal([
      'CONSOLE_URL must be an http:// or https:// address without query and fragment',
    ]);
    expect(faultsOf({ PUBLIC_URL: 'nonsense' })).to.have.length(1);
  });

  it('the configuration has no key for secrets with a database of one’s own, unless SECRETS_KEY has one', () => {
    expect(readConfig(DATABASE).keyring.keys).to.deep.equal([]);
    const rotated = readConfig({ ...DATABASE, SECRETS_KEY: `${KEY},old:${Buffer.alloc(32, 2).toString('base64')}` });
    expect(rotated.keyring.keys.map(({ id }) => id)).to.deep.equal(['k1', 'old']);
  });

  it('the configuration needs PROCESSOR with a database of one’s own', () => {
    expect(faultsOf({ DATABASE_URL: DATABASE.DATABASE_URL })).to.deep.equal(['PROCESSOR must be sandbox or stripe']);
  });

  it('the configuration needs Stripe’s keys with PROCESSOR=stripe, and refuses them otherwise', () => {
    const stripe = { ...DATABASE, PROCESSOR: 'stripe' };
    expect(faultsOf({ ...stripe, STRIPE_API_BASE: 'ftp://x' })).to.deep.equal([
      'STRIPE_API_BASE must be an http:// or https:// address',
      "STRIPE_SECRET_KEY must be set to Stripe's key, with PROCESSOR=stripe",
      "STRIPE_PUBLISHABLE_KEY must be set to Stripe's key, with PROCESSOR=stripe",
    ]);
    const keys = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' };
    for (const [secret, publishable] of [
      ['sk_live_1', 'pk_test_1'],
      ['rk_test_1', 'pk_live_1'],
    ]) {
      const PUBLIC_URL = 'https://pay.example.com';
      const mixed = { ...stripe, STRIPE_SECRET_KEY: secret, STRIPE_PUBLISHABLE_KEY: publishable, PUBLIC_URL };
      expect(faultsOf(mixed)).to.deep.equal([
        "STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must be of the same of Stripe's modes, test or live",
      ]);
    }
    const swapped = { ...stripe, STRIPE_SECRET_KEY: 'pk_test_1', STRIPE_PUBLISHABLE_KEY: 'sk_live_1' };
    expect(faultsOf(swapped)).to.deep.equal([
      "STRIPE_SECRET_KEY must be set to Stripe's key, with PROCESSOR=stripe",
      "STRIPE_PUBLISHABLE_KEY must be set to Stripe's key, with PROCESSOR=stripe",
      "STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must be of the same of Stripe's modes, test or live",
    ]);
    const config = readConfig({ ...stripe, ...keys, STRIPE_WEBHOOK_SECRETS: 'whsec_new, whsec_old' });
    expect(config.stripe?.webhookSecrets).to.deep.equal(['whsec_new', 'whsec_old']);
    expect(readConfig({ ...DATABASE, ...keys }).stripe).to.equal(null);
    const faults = faultsOf({ ...stripe, ...keys, STRIPE_WEBHOOK_SECRETS: 'whsec_1,we_2' });
    expect(faults.map((fault) => fault.split(':')[0])).to.deep.equal([
      'STRIPE_WEBHOOK_SECRETS must be secrets of Stripe, whsec_…, with commas',
    ]);
    expect(faultsOf({ ...stripe, ...keys, STRIPE_WEBHOOK_SECRETS: 'whsec_' })).to.have.length(1);
  });

  it('the guide for operators lists the settings that the configuration reads, and no others', () => {
    const names = new Set<string>();
    const env = { ...DATABASE, PROCESSOR: 'stripe', OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example' };
    faultsOf(
      new Proxy<NodeJS.ProcessEnv>(env, {
        get(target, name) {
          names.add(String(name));
          return target[String(name)];
        },
      }),
    );
    const listed = listedSettings();
    expect([...listed, ...Object.keys(ENDED)]).to.include.members([...names]);
    // The exporter of traces reads its settings by itself.
    expect([...names]).to.include.members(listed.filter((name) => !name.startsWith('OTEL_')));
  });

  it('the configuration refuses a live key of Stripe’s unless PUBLIC_URL is a public https address', () => {
    const env = { ...DATABASE, PROCESSOR: 'stripe' };
    const fault = /^PUBLIC_URL must be a public https:\/\/ address with a live STRIPE_SECRET_KEY/;
    for (const kind of ['sk', 'rk']) {
      const live = { ...env, STRIPE_SECRET_KEY: `${kind}_live_1`, STRIPE_PUBLISHABLE_KEY: 'pk_live_1' };
      for (const PUBLIC_URL of [
        ...[
          undefined,
          'http://pay.example.com',
          'https://localhost',
          'https://localhost:3000',
          'https://pay.localhost',
        ],
        ...['https://pay', 'https://pay.internal', 'https://127.0.0.1', 'https://10.0.0.7:8443', 'https://192.168.1.1'],
        ...['https://[::1]', 'https://[fd00::1]'],
      ]) {
        const faults = faultsOf({ ...live, PUBLIC_URL });
        expect(faults, PUBLIC_URL).to.have.length(1);
        expect(faults[0], PUBLIC_URL).to.match(fault).and.not.include('_live_1');
      }
      for (const PUBLIC_URL of ['https://pay.example.com', 'https://pay.example.com:8443/base/', 'https://8.8.8.8']) {
        expect(faultsOf({ ...live, PUBLIC_URL }), PUBLIC_URL).to.deep.equal([]);
      }
    }
    for (const publishable of [undefined, 'pk_test_1', 'nonsense']) {
      const faults = faultsOf({ ...env, STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_PUBLISHABLE_KEY: publishable });
      expect(faults, publishable).to.have.length(2);
      expect(faults[1], publishable).to.match(fault);
    }
    const test = { ...env, STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' };
    expect(faultsOf({ ...test, PUBLIC_URL: 'http://localhost:3000' })).to.deep.equal([]);
  });

  it('the configuration lists every fault at once', () => {
    const env = {
      DATABASE_URL: 'mysql://x',
      PORT: '70000',
      PUBLIC_URL: 'pay.example.com',
      SECRETS_KEY: 'short:AAAA',
      TRUST_PROXY_HOPS: '-1',
      IP_REQUESTS_PER_MINUTE: 'many',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/33,localhost',
      WEBHOOK_SENDER_NETWORKS: '203.0.113.0/33',
      WEBHOOK_RETRY_SECONDS: '1,2,3',
      WEBHOOK_TIMEOUT_MS: '0',
      PROCESSOR: 'paypal',
      SMTP_URL: 'https://mail.example.com',
      MAIL_FROM: 'nobody',
      LOG_LEVEL: 'loud',
    };
    const faults = faultsOf(env);
    expect(faults.map((fault) => fault.split(/[: ]/)[0])).to.include.members(Object.keys(env));
  });

  it('the configuration writes mails to files without SMTP_URL, and needs a sender with it', () => {
    expect(readConfig({})).to.include({ smtpUrl: null, mailFrom: 'Paylinks <no-reply@localhost>' });
    const SMTP_URL = 'smtps://user:secret@mail.example.com:465';
    expect(faultsOf({ SMTP_URL })).to.deep.equal(['MAIL_FROM must be set together with SMTP_URL']);
    for (const MAIL_FROM of ['Pay Links <no-reply@pay.example.com>', 'no-reply@pay.example.com']) {
      expect(readConfig({ SMTP_URL, MAIL_FROM })).to.include({ smtpUrl: SMTP_URL, mailFrom: MAIL_FROM });
    }
    for (const MAIL_FROM of ['a@b@c', 'a@b, c@d', 'x\r\nBcc: y@z <a@b>', '<a@b>, <c@d>', '"a" <a@b>']) {
      expect(faultsOf({ SMTP_URL, MAIL_FROM }), MAIL_FROM).to.have.length(1);
    }
  });

  it('the configuration does not repeat key material in a fault', () => {
    const [fault = ''] = faultsOf({ ...DATABASE, SECRETS_KEY: 'k1:c2VjcmV0c2VjcmV0' });
    expect(fault).to.not.include('c2VjcmV0');
  });
});
