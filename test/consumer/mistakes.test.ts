import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { EVENT_TYPES } from '../../packages/paylinks-dev/source/events.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Receiver, refuse } from '../harness/receiver.ts';
import { Machine } from './consumer.ts';

describe('mistakes of a new user of paylinks-dev', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let machine: Machine;

  before(async () => {
    // Most practices have several locations.
    await service.location(practice.practiceId, 'Harbor');
    machine = new Machine({ PAYLINKS_BASE_URL: service.baseUrl, PAYLINKS_API_KEY: practice.test.key ?? '' });
  });

  after(async () => {
    machine.remove();
  });

  it('a trigger with a live key is refused for every type, and creates no live link', async () => {
    for (const type of EVENT_TYPES) {
      const { status, errors } = await machine.run(['trigger', type, '--api-key', practice.live.key ?? '']);
      expect(status, type).to.equal(1);
      expect(errors).to.include('test key').and.include('pp_test_');
    }
    expect((await practice.live.get('/api/v1/payment-links')).body.totalCount).to.equal(0);
  });

  it('a test link gets the first location of several, and a live link needs a named one', async () => {
    const words = ['links', 'create', '--amount', '80', '--description', 'Cleaning'];
    expect((await machine.json(words)).location.id).to.equal(practice.locationId);
    const names = ['--first-name', 'Ada', '--last-name', 'Moreno'];
    const refused = await machine.run([...words, ...names, '--api-key', practice.live.key ?? '']);
    expect(refused.status).to.equal(1);
    expect(refused.errors).to.include('locationId').and.include('--location');
    expect((await practice.live.get('/api/v1/payment-links')).body.totalCount).to.equal(0);
  });

  it('a live link has no sample patient', async () => {
    const words = ['links', 'create', '--amount', '80', '--description', 'Cleaning', '--location', practice.locationId];
    const { status, errors } = await machine.run([...words, '--api-key', practice.live.key ?? '']);
    expect(status).to.equal(2);
    expect(errors).to.include('--first-name is missing.');
    expect((await practice.live.get('/api/v1/payment-links')).body.totalCount).to.equal(0);
  });

  it('the error about too many requests names the seconds to wait', async () => {
    const { key } = await service.key({ practiceId: practice.practiceId, test: true, requestsPerMinute: 1 });
    const limited = new Machine({ PAYLINKS_BASE_URL: service.baseUrl, PAYLINKS_API_KEY: key ?? '' });
    expect((await limited.run(['links', 'list'])).status).to.equal(0);
    const { status, errors } = await limited.run(['links', 'list']);
    limited.remove();
    expect(status).to.equal(1);
    expect(errors)
      .to.include('rate_limited')
      .and.match(/Repeat the command in \d+ s\./);
  });

  it('the address of the service may end with /api/v1, and another path is named as the fault', async () => {
    for (const end of ['/api/v1', '/api/v1/']) {
      expect(await machine.json(['links', 'list', '--base-url', `${service.baseUrl}${end}`])).to.include({ page: 1 });
    }
    const { errors } = await machine.run(['links', 'list', '--base-url', `${service.baseUrl}/docs`]);
    expect(errors).to.include('Is this the address of the service?');
  });

  it('a key that still is the placeholder of a guide is named as such', async () => {
    const { status, errors } = await machine.run(['links', 'list', '--api-key', 'pp_test_…']);
    expect(status).to.equal(2);
    expect(errors).to.include('Set PAYLINKS_API_KEY to your whole key');
  });

  it('a missing or surplus argument and a missing option name the usage', async () => {
    const WRONG: [words: string[], text: string][] = [
      [['trigger'], 'TYPE is missing.\nUsage: paylinks-dev trigger TYPE'],
      [['links', 'simulate', 'plink_1'], 'OUTCOME is missing.'],
      [['listen', 'http://localhost:4000'], 'paylinks-dev listen --help'],
      [['links', 'create'], '--amount is missing.\nSee paylinks-dev links create --help.'],
      [['verify'], '--header is missing.\nSee paylinks-dev verify --help.'],
    ];
    for (const [words, text] of WRONG) {
      const { status, errors } = await machine.run(words);
      expect(status, words.join(' ')).to.equal(2);
      expect(errors).to.include(text);
    }
  });

  it('the usual spellings of help work, and local commands offer no options of the service', async () => {
    const { output } = await machine.run(['listen', '--help']);
    for (const words of [
      ['help', 'listen'],
      ['listen', '-h'],
    ]) {
      expect((await machine.run(words)).output, words.join(' ')).to.equal(output);
    }
    expect((await machine.run(['-h'])).output).to.equal((await machine.run(['--help'])).output);
    expect(output).to.include('--base-url').and.include('--api-key');
    for (const name of ['verify', 'sign', 'completion']) {
      const { output } = await machine.run([name, '--help']);
      expect(output).not.to.match(/--api-key|--base-url/);
    }
  });

  it('a sample to a receiver that is not started says so, and is not called a refusal', async () => {
    const { status, output, errors } = await machine.run(['sign', '--to', await closedAddress()]);
    expect(status).to.equal(1);
    expect(errors).to.include('does not answer: ECONNREFUSED').and.include('Start the receiver');
    expect(output.trim().split('\n')).to.have.length(1);
  });

  it('a listener names the next step when the receiver is away, and when it refuses', async () => {
    const receiver = await new Receiver().start();
    receiver.answer = refuse(400);
    for (const [address, hint] of [
      [receiver.url, 'Has your receiver the signing secret above?'],
      [await closedAddress(), 'Is your receiver started at this address?'],
    ] as const) {
      const listener = machine.start(['listen', '--forward-to', address]);
      await listener.wrote('Forwarding');
      await machine.run(['trigger', 'ping']);
      await listener.wrote('trying again');
      await listener.stop();
      expect(listener.output).to.include(hint);
    }
    await receiver.close();
  });

  it('a signature is verified with the name of its header, too', async () => {
    const { errors } = await machine.run(['verify', '--header', 'Service-Signature: t=1,v1=00'], '{}');
    expect(errors).to.include('No v1 has 64 hexadecimal digits');
  });
});

/** Returns an address on which nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/webhooks`;
}
