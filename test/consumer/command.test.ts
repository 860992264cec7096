import { createServer } from 'node:http';
import { expect } from 'chai';
import manifest from '../../packages/paylinks-dev/package.json' with { type: 'json' };
import { EVENT_TYPES } from '../../packages/paylinks-dev/source/events.ts';
import { COMMANDS } from '../../packages/paylinks-dev/source/program.ts';
import { madeOnce, useReceiver, useService } from '../harness/fixtures.ts';
import { listen } from '../harness/free-port.ts';
import { isSignedWith, refuse } from '../harness/receiver.ts';
import { deliver } from '../harness/webhooks.ts';
import { Machine } from './consumer.ts';

describe('paylinks-dev', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let machine: Machine;
  const receiver = useReceiver();

  before(async () => {
    // Most practices have several locations.
    await service.location(practice.practiceId, 'Harbor');
    machine = new Machine({ PAYLINKS_BASE_URL: service.baseUrl, PAYLINKS_API_KEY: practice.test.key ?? '' });
  });

  after(() => machine.remove());

  describe('trigger', () => {
    /** The events that happen on the way to each type, the type itself last. */
    const HAPPENS: Record<string, string[]> = {
      'payment_link.processing': ['payment_link.processing'],
      'payment_link.paid': ['payment_link.paid'],
      'payment_link.failed': ['payment_link.processing', 'payment_link.failed'],
      'payment_link.refunded': ['payment_link.paid', 'payment_link.refunded'],
      'payment_link.disputed': ['payment_link.paid', 'payment_link.disputed'],
      'payment_link.dispute_closed': ['payment_link.paid', 'payment_link.disputed', 'payment_link.dispute_closed'],
      'payment_link.expired': ['payment_link.expired'],
      'payment_link.cancelled': ['payment_link.cancelled'],
      ping: ['ping'],
    };

    it('every type of event of the contract can be triggered', () => {
      expect(Object.keys(HAPPENS)).to.have.members([...EVENT_TYPES]);
    });

    for (const [type, happens] of Object.entries(HAPPENS)) {
      it(`an event of the type ${type} happens, after those that lead to it`, async () => {
        const { cursor } = (await practice.test.get('/api/v1/test-helpers/events')).body;
        const triggered = await machine.json(['trigger', type]);
        const { body } = await practice.test.get(`/api/v1/test-helpers/events?after=${cursor}`);
        const events = body.data.map((event: { type: string; id: string }) => ({ type: event.type, id: event.id }));
        expect(events.map((event: { type: string }) => event.type)).to.deep.equal(happens);
        expect(triggered).to.include({ type, eventId: events.at(-1).id });
        if (type === 'ping') return;
        expect(triggered.events).to.deep.equal(events);
        const { body: link } = await practice.test.get(`/api/v1/payment-links/${triggered.linkId}`);
        expect(link.location.id, 'the first one').to.equal(practice.locationId);
      });
    }

    it('events of other links are not among those of a link, and a key that may not read events gets no ids', async () => {
      await machine.json(['trigger', 'payment_link.paid']);
      expect((await machine.json(['trigger', 'payment_link.cancelled'])).events).to.have.length(1);
      const scopes = ['payment_links:read', 'payment_links:write'] as const;
      const { key } = await service.key({ practiceId: practice.practiceId, test: true, scopes: [...scopes] });
      const triggered = await machine.json(['trigger', 'payment_link.cancelled', '--api-key', key ?? '']);
      expect(triggered).to.include({ eventId: null, events: null });
    });
  });

  it('an endpoint is created with its secret, listed, changed, tested and replayed, and gets another secret', async () => {
    const words = ['endpoints', 'create', '--url', receiver.url, '--events', 'paid,payment_link.refunded'];
    const created = await machine.run([...words, '--description', 'Billing', '--idempotency-key', 'one-endpoint']);
    expect(created.output).to.match(/^secret +whsec_/m);
    expect(created.errors).to.equal('Store the secret: it is not shown again.\n');
    const endpoint = await machine.json([...words, '--description', 'Billing', '--idempotency-key', 'one-endpoint']);
    expect(created.output).to.include(endpoint.id).and.include(endpoint.secret);
    expect(endpoint.enabledEvents).to.deep.equal(['payment_link.paid', 'payment_link.refunded']);
    const listed = await machine.run(['endpoints', 'list']);
    expect(listed.output).to.include(endpoint.id).and.not.include('whsec_');
    const update = (...options: string[]) => machine.json(['endpoints', 'update', endpoint.id, ...options]);
    expect(await update('--status', 'disabled')).to.include({ status: 'disabled', description: 'Billing' });
    const changed = await update('--status', 'enabled', '--events', 'all', '--description', '', '--url', receiver.url);
    expect(changed).to.deep.include({ status: 'enabled', enabledEvents: [], description: null });
    const { id } = await machine.json(['endpoints', 'test', endpoint.id]);
    await deliver(service.deliverer(), endpoint.id);
    expect(receiver.received.at(-1)?.id).to.equal(id);
    const since = new Date(service.clock.now().getTime() - 3_600_000).toISOString();
    const replay = await machine.run(['endpoints', 'replay', endpoint.id, '--since', since]);
    expect(replay.output).to.match(/^requeuedCount +\d+$/m);
    const rotated = await machine.json(['endpoints', 'rotate', endpoint.id]);
    expect(rotated.secret)
      .to.match(/^whsec_/)
      .and.not.equal(endpoint.secret);
  });

  it('a signed sample of every type reaches a receiver, with an id of its own', async () => {
    const { status, output } = await machine.run(['sign', '--to', receiver.url, '--secret', 'whsec_own', '--json']);
    expect(status, output).to.equal(0);
    expect(receiver.types).to.deep.equal(EVENT_TYPES);
    expect(receiver.received.every((received) => isSignedWith('whsec_own', received))).to.equal(true);
    expect(new Set(receiver.received.map(({ id }) => id)).size).to.equal(EVENT_TYPES.length);
    receiver.answer = refuse(400);
    const refused = await machine.run(['sign', 'payment_link.paid', '--to', receiver.url]);
    expect(refused.status).to.equal(1);
    expect(refused.errors).to.include('refused 1 of 1').and.include('secret');
  });

  it('every command has help with an example, and the version is that of the package', async () => {
    for (const { name, examples } of COMMANDS) {
      const { status, output } = await machine.run([...name.split(' '), '--help']);
      expect(status, name).to.equal(0);
      for (const example of examples) expect(output).to.include(`paylinks-dev ${example}`);
    }
    const { output: help } = await machine.run(['listen', '--help']);
    expect(help).to.include('--base-url').and.include('--api-key');
    for (const words of ['help listen', 'listen -h'])
      expect((await machine.run(words.split(' '))).output).to.equal(help);
    expect((await machine.run(['-h'])).output).to.equal((await machine.run(['--help'])).output);
    for (const name of ['verify', 'sign']) {
      expect((await machine.run([name, '--help'])).output, 'local').not.to.match(/--api-key|--base-url/);
    }
    expect((await machine.run([])).output).to.include('Exit status: 0 done, 1 failed, 2 wrong usage.');
    expect((await machine.run(['endpoints'])).output)
      .to.include('endpoints create')
      .and.not.include('listen');
    expect((await machine.run(['--version'])).output).to.equal(`${manifest.version}\n`);
  });

  it('a wrong usage ends with status 2, names the next step, and repeats no key and no secret', async () => {
    const key = practice.test.key ?? '';
    const WRONG: [words: string[], hint: RegExp][] = [
      [['triger', 'ping'], /Did you mean trigger\?/],
      [['trigger', 'payment_link.refundd'], /Did you mean payment_link\.refunded\?/],
      [['endpoints', 'craete'], /Did you mean endpoints create\?/],
      [['trigger', 'ping', `--api-keys=${key}`], /Did you mean --api-key\?|did you mean --api-key\?/],
      [['trigger', 'ping', key], /It takes TYPE, and got 2/],
      [[`--api-key=${key}`, 'trigger', 'ping'], /command comes before its options/],
      [['trigger', 'ping', '--api-key', `${key} `], /must begin with pp_test_/],
      [['trigger', 'ping', '--base-url', `http://user:${key}@localhost`], /must be like https:/],
      [['listen', '--forward-to', `${key}`], /--forward-to must be an address/],
      [['trigger', 'ping', '--amount', 'ten'], /--amount must be a number/],
      [['endpoints', 'create'], /--url is missing\.\nSee paylinks-dev endpoints create --help\./],
      [['endpoints', 'update', 'we_1'], /nothing to change\.\nSee paylinks-dev endpoints update --help\./],
      [['endpoints', 'update', 'we_1', '--status', 'off'], /--status must be one of enabled, disabled/],
      [['endpoints', 'update', 'we_1', '--events', 'payed'], /Did you mean payment_link\.paid\?/],
      [['endpoints', 'replay', 'we_1'], /--since is missing\./],
      [['endpoints', 'list', '--api-key', 'pp_test_…'], /Set PAYLINKS_API_KEY to your whole key/],
      [['listen', 'http://localhost:4000'], /paylinks-dev listen --help/],
      [['trigger'], /TYPE is missing\.\nUsage: paylinks-dev trigger TYPE/],
      [['verify'], /--header is missing\.\nSee paylinks-dev verify --help\./],
    ];
    for (const [words, hint] of WRONG) {
      const { status, output, errors } = await machine.run(words);
      expect(status, words.join(' ')).to.equal(2);
      expect(errors).to.match(hint);
      expect(errors + output).not.to.include(key);
    }
    const empty = new Machine();
    expect((await empty.run(['trigger', 'ping'])).errors).to.include('Set PAYLINKS_BASE_URL');
    await empty.remove();
  });

  it('a service that does not answer, or is none, is named with the next step; its address may end with /api/v1', async () => {
    const other = createServer((_, response) => response.end('Welcome!'));
    const address = `http://127.0.0.1:${await listen(other)}`;
    const none = await machine.run(['trigger', 'ping', '--base-url', address]);
    await new Promise((resolve) => other.close(resolve));
    const away = await machine.run(['trigger', 'ping', '--base-url', address]);
    expect([none.status, away.status]).to.deep.equal([1, 1]);
    expect(none.errors).to.include('answered without JSON').and.include('Is this the address of the service?');
    expect(away.errors).to.include('ECONNREFUSED').and.include('Is the address right');
    for (const end of ['/api/v1', '/api/v1/']) {
      expect(await machine.json(['endpoints', 'list', '--base-url', `${service.baseUrl}${end}`])).to.include({
        page: 1,
      });
    }
    const elsewhere = await machine.run(['endpoints', 'list', '--base-url', `${service.baseUrl}/docs`]);
    expect(elsewhere.errors).to.include('Is this the address of the service?');
  });

  it('a key that is unknown, or has asked too often, is refused with the next step', async () => {
    const unknown = await machine.run(['endpoints', 'list', '--api-key', 'pp_test_unknown']);
    expect(unknown.status).to.equal(1);
    expect(unknown.errors).to.include('invalid_api_key').and.include('PAYLINKS_API_KEY');
    const { key } = await service.key({ practiceId: practice.practiceId, test: true, requestsPerMinute: 1 });
    const list = ['endpoints', 'list', '--api-key', key ?? ''];
    expect((await machine.run(list)).status).to.equal(0);
    const limited = await machine.run(list);
    expect(limited.status).to.equal(1);
    expect(limited.errors)
      .to.include('rate_limited')
      .and.match(/Repeat the command in \d+ s\. See \S+\/docs\/errors\/rate_limited$/m);
  });
});
