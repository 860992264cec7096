import { globSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { newId } from '../../src/platform/base/ids.ts';
import { writeCursor } from '../../src/webhooks/events/event-cursor.ts';
import { trimTestEvents } from '../../src/webhooks/events/retention.ts';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { freePort } from '../harness/free-port.ts';
import { accept, isSignedWith, refuse } from '../harness/receiver.ts';
import { TestService } from '../harness/service.ts';
import { createEndpoint, deliver, paidLink } from '../harness/webhooks.ts';
import { Machine, type RunningCommand } from './consumer.ts';

describe('paylinks-dev listen', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const receiver = useReceiver();
  let machine: Machine;

  beforeEach(() => {
    machine = new Machine({ PAYLINKS_BASE_URL: service.baseUrl, PAYLINKS_API_KEY: practice.test.key ?? '' });
  });

  afterEach(() => machine.remove());

  async function listen(options: string[] = []): Promise<RunningCommand> {
    const command = machine.start(['listen', '--forward-to', receiver.url, '--json', ...options]);
    await Promise.race([command.saw('ready'), command.ended]);
    return command;
  }

  const ping = () => practice.test.post('/api/v1/test-helpers/pings');

  it('a forwarded event is signed, and has the headers of a delivery to an endpoint', async () => {
    const command = await listen();
    const endpoint = await createEndpoint(practice.test, receiver.url);
    await paidLink(practice.test);
    await command.saw('forwarded');
    await deliver(service.deliverer(), endpoint.id);
    const [forwarded, delivered] = receiver.received;
    if (forwarded === undefined || delivered === undefined) throw new Error('both arrive');
    const { secret } = command.lines[0];
    expect(isSignedWith(secret, forwarded)).to.equal(true);
    expect(isSignedWith(endpoint.secret, delivered)).to.equal(true);
    const own = ['service-event-id', 'service-signature', 'content-length', 'connection'];
    const common = ({ headers }: typeof forwarded) =>
      Object.entries(headers)
        .filter(([name]) => !own.includes(name))
        .toSorted();
    expect(common(forwarded)).to.deep.equal(common(delivered));
    const { id: forwardedId, ...forwardedEvent } = forwarded.event;
    const { id: deliveredId, ...deliveredEvent } = delivered.event;
    expect(forwardedId).not.to.equal(deliveredId);
    expect(forwardedEvent).to.deep.equal(deliveredEvent);
    expect(command.lines[1]).to.include({
      event: 'forwarded',
      type: 'payment_link.paid',
      id: forwardedId,
      status: 200,
    });
  });

  it('the secret belongs to the machine, is readable by its owner only, and can be printed or chosen', async () => {
    const { secret } = (await listen()).lines[0];
    expect(secret).to.match(/^whsec_[0-9a-f]{64}$/);
    expect(statSync(join(machine.folder, 'secret')).mode & 0o777).to.equal(0o600);
    expect(await machine.run(['listen', '--print-secret'])).to.include({ status: 0, output: `${secret}\n` });
    const chosen = await listen(['--secret', 'whsec_chosen']);
    await ping();
    await chosen.saw('forwarded');
    expect(receiver.received.some((received) => isSignedWith('whsec_chosen', received))).to.equal(true);
  });

  it('events of the time between two runs arrive at the next start, in order, without those that arrived', async () => {
    const first = await listen();
    await ping();
    await first.saw('forwarded');
    expect(await first.stop()).to.equal(0);
    await paidLink(practice.test);
    await ping();
    const second = await listen();
    await second.saw('forwarded', 2);
    expect(receiver.types).to.deep.equal(['ping', 'payment_link.paid', 'ping']);
    await second.stop();
    await ping();
    const third = await listen(['--from-now']);
    await paidLink(practice.test);
    await third.saw('forwarded');
    expect(receiver.types.slice(3)).to.deep.equal(['payment_link.paid']);
  });

  it('an event that the receiver refuses is repeated before all later ones, and also by the next run', async () => {
    receiver.answer = refuse(500);
    const first = await listen();
    const { body } = await ping();
    await paidLink(practice.test);
    await first.saw('failed');
    expect(first.lines[1]).to.include({ event: 'failed', id: body.id, status: 500 });
    await first.stop();
    receiver.received.length = 0;
    receiver.answer = (...exchange) => {
      receiver.answer = accept;
      refuse(500)(...exchange);
    };
    const second = await listen();
    await second.saw('failed');
    await second.saw('forwarded', 2);
    expect(receiver.types).to.deep.equal(['ping', 'ping', 'payment_link.paid']);
  });

  it('a receiver that is down is reported by name, and gets its events in order when it is up', async () => {
    const port = await freePort();
    const command = machine.start(['listen', '--forward-to', `http://127.0.0.1:${port}/hook`, '--json']);
    await command.saw('ready');
    await ping();
    await paidLink(practice.test);
    await command.saw('failed');
    expect(command.lines[1]).to.include({ event: 'failed', type: 'ping', error: 'ECONNREFUSED', status: null });
    const types: unknown[] = [];
    const server = createServer((request, response) => {
      types.push(request.headers['service-event-type']);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await command.saw('forwarded', 2);
    server.close();
    expect(types).to.deep.equal(['ping', 'payment_link.paid']);
  });

  it('a listener and a sample name the next step when the receiver is away, and when it refuses', async () => {
    const away = `http://127.0.0.1:${await freePort()}/webhooks`;
    const sample = await machine.run(['sign', '--to', away]);
    expect(sample.status).to.equal(1);
    expect(sample.errors).to.include('does not answer: ECONNREFUSED').and.include('Start the receiver');
    expect(sample.output.trim().split('\n'), 'one sample is enough').to.have.length(1);
    receiver.answer = refuse(400);
    for (const [address, hint] of [
      [receiver.url, 'Has your receiver the signing secret above?'],
      [away, 'Is your receiver started at this address?'],
    ] as const) {
      const listener = machine.start(['listen', '--forward-to', address]);
      await listener.wrote('Forwarding');
      await ping();
      await listener.wrote('trying again');
      await listener.stop();
      expect(listener.output).to.include(hint);
    }
  });

  it('a listener survives a restart of the API, and loses nothing of the time between', async () => {
    const env = { PORT: `${await freePort()}` };
    const first = await TestService.start({ beside: service, env });
    machine.environment.PAYLINKS_BASE_URL = first.baseUrl;
    const command = await listen();
    await first.close();
    await ping();
    await command.saw('disconnected');
    const again = await TestService.start({ beside: service, env });
    await command.saw('connected');
    await ping();
    await command.saw('forwarded', 2);
    expect(receiver.types).to.deep.equal(['ping', 'ping']);
    await command.stop();
    await again.close();
  });

  it('only the chosen events are forwarded, and an unknown type is a wrong usage with a suggestion', async () => {
    const command = await listen(['--events', 'payment_link.paid,cancelled']);
    await ping();
    await paidLink(practice.test);
    await command.saw('forwarded');
    expect(receiver.types).to.deep.equal(['payment_link.paid']);
    const wrong = await machine.run(['listen', '--forward-to', receiver.url, '--events', 'payment_link.payed']);
    expect(wrong.status).to.equal(2);
    expect(wrong.errors).to.include('Did you mean payment_link.paid?');
  });

  describe('several receivers', () => {
    const other = useReceiver();

    it('an event goes to the receiver of its type, or else to the one without types, and keeps its position', async () => {
      const options = ['--forward-to', `payment_link.paid,cancelled=${other.url}`];
      const first = await listen(options);
      expect(first.lines[0].forwardTo).to.deep.equal([
        receiver.url,
        `payment_link.cancelled,payment_link.paid=${other.url}`,
      ]);
      await paidLink(practice.test);
      await ping();
      await first.saw('forwarded', 2);
      await first.stop();
      await ping();
      other.answer = refuse(500);
      await paidLink(practice.test);
      await ping();
      const second = await listen(options);
      await second.saw('failed');
      expect(second.lines.map(({ type, url }) => [type, url]).slice(1, 3)).to.deep.equal([
        ['ping', receiver.url],
        ['payment_link.paid', other.url],
      ]);
      other.answer = accept;
      await second.saw('forwarded', 3);
      expect(receiver.types).to.deep.equal(['ping', 'ping', 'ping']);
      expect(new Set(other.types)).to.deep.equal(new Set(['payment_link.paid']));
    });

    it('an event whose type has no receiver is forwarded to none', async () => {
      const command = machine.start(['listen', '--forward-to', `ping=${other.url}?a=b`, '--json']);
      await command.saw('ready');
      await paidLink(practice.test);
      await ping();
      await command.saw('forwarded');
      expect(other.types).to.deep.equal(['ping']);
    });

    it('a type with two receivers, and two receivers without types, are a wrong usage', async () => {
      const twice = [
        [receiver.url, other.url],
        [`paid=${receiver.url}`, `ping,payment_link.paid=${other.url}`],
      ];
      for (const addresses of twice) {
        const words = addresses.flatMap((address) => ['--forward-to', address]);
        const { status, errors } = await machine.run(['listen', ...words]);
        expect(status).to.equal(2);
        expect(errors).to.include('TYPES=URL');
      }
    });
  });

  it('chosen headers are sent, too, but none that says what the webhook is or where it ends', async () => {
    const headers = ['Host: app.example.com', 'X-Tag: one', 'x-tag: two', 'Authorization: Bearer a:b'];
    const command = await listen(headers.flatMap((header) => ['--header', header]));
    await ping();
    await command.saw('forwarded');
    const [received] = receiver.received;
    expect(received?.headers).to.include({ host: 'app.example.com', 'x-tag': 'one, two', authorization: 'Bearer a:b' });
    expect(command.output).not.to.include('Bearer');
    const own = ['Service-Signature', 'service-event-id ', 'Content-Type', 'User-Agent', 'Content-Length'];
    const wrong = [
      ...own.map((name) => `${name}: s3cret`),
      's3cret',
      ': s3cret',
      'X-Tag: s3cret\r\nx: y',
      'X Y: s3cret',
    ];
    for (const header of wrong) {
      const refused = await machine.run(['listen', '--forward-to', receiver.url, '--header', header]);
      expect(refused.status, header).to.equal(2);
      expect(refused.errors).not.to.include('s3cret');
    }
  });

  it('the body of an event is printed once, indented, and is a member of its JSON', async () => {
    receiver.answer = (...exchange) => {
      receiver.answer = accept;
      refuse(500)(...exchange);
    };
    const command = machine.start(['listen', '--forward-to', receiver.url, '--print-body']);
    await command.wrote('Forwarding');
    const { body } = await ping();
    await command.wrote('200 (');
    expect(command.output.split(JSON.stringify(body, null, 2))).to.have.length(2);
    const json = await listen(['--print-body']);
    await json.saw('forwarded', 0);
    await ping();
    await json.saw('forwarded');
    expect(json.lines.at(-1).body).to.include({ object: 'event', type: 'ping' });
  });

  it('a live key is refused with the next step, and no error contains a key', async () => {
    machine.environment.PAYLINKS_API_KEY = practice.live.key ?? '';
    const refused = await machine.run(['listen', '--forward-to', receiver.url]);
    expect(refused.status).to.equal(1);
    expect(refused.errors).to.include('test_mode_only').and.include('pp_test_');
    expect(refused.errors + refused.output).not.to.include(practice.live.key);
  });

  it('a listener says that events were deleted before it read them, and forwards those that are left', async () => {
    const first = await listen();
    await first.stop();
    const createdAt = service.clock.now().toISOString();
    const payload = JSON.stringify({ id: 'evt_', object: 'event', type: 'ping', test: true, createdAt, data: {} });
    const ids = Array.from({ length: 10_001 }, () => newId('event', service.clock.now()));
    await service.query(
      `insert into test_events (id, practice_id, type, payload, created_at)
       select id, $2, 'ping', replace($4, 'evt_', id), $3 from unnest($1::text[]) as id`,
      [ids, practice.practiceId, service.clock.now(), payload],
    );
    await trimTestEvents(service.scope());
    const second = await listen();
    await second.saw('forwarded');
    expect(second.lines.map(({ event }) => event).slice(0, 3)).to.deep.equal(['ready', 'gap', 'forwarded']);
    expect(receiver.received[0]?.headers['service-event-id']).to.equal(ids[1]);
  });

  it('a position of another database is reported, and the listener begins anew', async () => {
    const first = await listen();
    await first.stop();
    const [file = ''] = globSync('listen-*.json', { cwd: machine.folder });
    const ahead = { since: '1:9000000000000:', until: null, madeBy: '0', id: '' };
    const cursor = writeCursor(ahead);
    writeFileSync(join(machine.folder, file), JSON.stringify({ cursor, forwarded: [], atMs: Date.now() }));
    const second = await listen();
    await second.saw('restarted');
    await ping();
    await second.saw('forwarded');
  });
});
