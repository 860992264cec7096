import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EVENT_TYPES } from '../../packages/paylinks-dev/source/events.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { listen } from '../harness/free-port.ts';
import { start, until } from '../harness/processes.ts';
import { Machine } from './consumer.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const MAIN = new URL('../../packages/paylinks-dev/source/main.ts', import.meta.url).pathname;

/** Sequences that clear a screen or reverse text: ESC, the one-byte form of ESC [, and a change of direction. */
const HOSTILE = 'x\u001b[2J\u009b2J\u202ey';

describe('paylinks-dev with a hostile service or receiver', () => {
  let server: Server;
  let answer: Answer;
  let url: string;
  let machine: Machine;
  let asked: number;

  before(async () => {
    server = createServer((request, response) => {
      asked++;
      answer(request, response);
    });
    url = `http://127.0.0.1:${await listen(server)}`;
  });

  beforeEach(() => {
    asked = 0;
    machine = new Machine({ PAYLINKS_BASE_URL: url, PAYLINKS_API_KEY: 'pp_test_key' });
  });

  afterEach(() => machine.remove());

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => {
    return (_, response) => void response.writeHead(status, headers).end(JSON.stringify(body));
  };

  const startListener = () => machine.start(['listen', '--forward-to', 'http://127.0.0.1:9/', '--json']);

  it('an answer that is no page of test events ends the listener with a message', async () => {
    const event = { id: 'evt_1', type: 'ping', payload: '{}' };
    const wrong = [
      {},
      { data: null, cursor: 'x' },
      { data: [], cursor: 7 },
      { data: [null], cursor: 'x' },
      { data: [{ ...event, id: 'evt\r\nx: y' }], cursor: 'x' },
      { data: [{ ...event, type: HOSTILE }], cursor: 'x' },
      { data: [{ ...event, payload: {} }], cursor: 'x' },
    ];
    for (const page of wrong) {
      answer = json(page);
      const command = startListener();
      expect(await command.ended, JSON.stringify(page)).to.equal(1);
      expect(command.errors).to.include('something other than test events');
    }
  });

  it('no body of an event changes the terminal, whether it is JSON or not', async () => {
    for (const payload of [JSON.stringify({ text: HOSTILE }), HOSTILE, '7']) {
      answer = (request, response) => {
        if (request.method === 'POST') return void response.end();
        const data = request.url?.includes('after=start') ? [{ id: 'evt_1', type: 'ping', payload }] : [];
        json({ data, cursor: data.length === 0 ? 'start' : 'end' })(request, response);
      };
      const command = machine.start(['listen', '--forward-to', `${url}/hook`, '--print-body', '--from-now']);
      await command.wrote('200 (');
      await command.stop();
      expect(command.output).not.to.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it('an answer without end is an error before it fills the memory', async () => {
    let bytes = 0;
    const chunk = Buffer.alloc(1_048_576, ' ');
    answer = (_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(chunk)) bytes += chunk.length;
        bytes += chunk.length;
      };
      response.on('drain', write);
      write();
    };
    const { status, errors } = await machine.run(['endpoints', 'list']);
    expect(status).to.equal(1);
    expect(errors).to.include('an answer without end');
    expect(bytes).to.be.below(64 * 1_048_576);
  });

  it('a service that answers without waiting, or refuses every position, is asked once a second', async () => {
    const refusal = { error: { code: 'validation_error', message: 'no', param: 'after', requestId: 'r' } };
    const page = json({ data: [], cursor: 'x' });
    const answers: Answer[] = [
      page,
      (request, response) => (request.url?.includes('after') ? json(refusal, 400) : page)(request, response),
    ];
    for (const each of answers) {
      answer = each;
      asked = 0;
      const command = startListener();
      const startedMs = performance.now();
      // The first request asks for a position. At most two follow in each second.
      await command.saw('ready');
      await until(
        () => asked >= 4,
        () => `${asked} requests came`,
      );
      expect(performance.now() - startedMs).to.be.above(900);
      await command.stop();
    }
  });

  it('a service cannot ask a listener to wait for a century, or without a pause', async () => {
    for (const retryAfter of ['9999999999', '1e300', '-5']) {
      const error = { code: 'service_unavailable', message: 'no', param: null, requestId: 'r' };
      answer = json({ error }, 503, { 'retry-after': retryAfter });
      const command = startListener();
      await command.saw('disconnected');
      expect(command.lines[0].waitMs).to.be.within(1_000, 300_000);
      await command.stop();
    }
  });

  it('no text of a service changes the terminal, also as JSON and in errors', async () => {
    const codes = [HOSTILE, 'constructor', 'not_found'];
    const error = (code: string) => ({ error: { code, message: HOSTILE, param: null, requestId: HOSTILE } });
    const list = { data: [{ id: HOSTILE, description: HOSTILE }], totalCount: HOSTILE };
    const answers = [json(list), ...codes.map((code) => json(error(code), 404))];
    for (const each of answers) {
      for (const options of [[], ['--json']]) {
        answer = each;
        const { output, errors } = await machine.run(['endpoints', 'list', ...options]);
        expect(output + errors).not.to.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|native code/);
        if (options.length > 0 && output !== '') expect(JSON.parse(output)).to.deep.equal(list);
      }
    }
  });

  it('a key follows no redirect, and a live key goes to other machines by https only', async () => {
    answer = (_, response) => void response.writeHead(307, { location: `${url}/other` }).end();
    expect((await machine.run(['endpoints', 'list'])).status).to.equal(1);
    expect(asked).to.equal(1);
    const remote = ['endpoints', 'list', '--base-url', 'http://nowhere.invalid'];
    const test = await machine.run(remote);
    expect(test.errors).to.include('without encryption');
    const live = await machine.run([...remote, '--api-key', 'pp_live_key']);
    expect(live).to.include({ status: 2, output: '' });
    expect(live.errors).to.include('A live key must not be sent without encryption');
    for (const host of ['localhost:1', '127.0.0.1:1', '[::1]:1', 'api.localhost:1']) {
      const own = await machine.run(['endpoints', 'list', '--base-url', `http://${host}`, '--api-key', 'pp_live_key']);
      expect(own.errors, host).to.include('does not answer');
    }
  });

  it('trigger sends nothing of any type with a live key, which would create a live link', async () => {
    answer = json({ id: 'plink_1', url, data: [{ id: 'loc_1' }] });
    for (const type of EVENT_TYPES) {
      const { status, errors } = await machine.run(['trigger', type, '--api-key', 'pp_live_key']);
      expect([status, asked], type).to.deep.equal([1, 0]);
      expect(errors).to.include('test key').and.include('pp_test_').and.not.include('pp_live_key');
    }
  });

  it('a receiver that switches protocols, or sends no answer, is a failed attempt', async () => {
    const answers: Answer[] = [
      (request) =>
        void request.socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      (request) => void request.socket.end('HTTP/1.1 abc\r\n\r\n'),
      (request) => void request.socket.destroy(),
      (_, response) => void response.writeHead(302, { location: `${url}/other` }).end(),
    ];
    for (const each of answers) {
      answer = each;
      asked = 0;
      const { status, errors } = await machine.run(['sign', 'ping', '--to', `${url}/webhooks`]);
      expect([status, asked]).to.deep.equal([1, 1]);
      expect(errors).to.match(/refused 1 of 1|does not answer/);
    }
  });

  it('a new secret never takes the place of one that another process has just made', async () => {
    // A link without a target has a name, like the file of a faster process, and nothing to read.
    const path = join(machine.folder, 'secret');
    symlinkSync(join(machine.folder, 'nowhere'), path);
    expect(await machine.run(['listen', '--print-secret'])).to.include({ status: 1, output: '' });
    expect(lstatSync(path).isSymbolicLink()).to.equal(true);
    expect(readdirSync(machine.folder), 'no draft is left').to.deep.equal(['secret']);
  });

  it('a folder to which other accounts can write is refused, and empty variables count as absent', async () => {
    const shared = mkdtempSync(join(tmpdir(), 'paylinks-dev-shared-'));
    afterThisTest(() => rmSync(shared, { recursive: true, force: true }));
    chmodSync(shared, 0o777);
    machine.environment.PAYLINKS_CONFIG_DIR = shared;
    const refused = await machine.run(['listen', '--print-secret']);
    expect(refused).to.include({ status: 1, output: '' });
    expect(refused.errors).to.include('Other accounts can write');
    chmodSync(shared, 0o700);
    Object.assign(machine.environment, { PAYLINKS_CONFIG_DIR: '', XDG_CONFIG_HOME: shared });
    const { output } = await machine.run(['listen', '--print-secret']);
    expect(readFileSync(join(shared, 'paylinks-dev/secret'), 'utf8')).to.equal(output);
  });

  it('an empty secret is refused by every command that needs one', async () => {
    machine.environment.PAYLINKS_WEBHOOK_SECRET = '';
    const needing = [
      ['listen', '--print-secret'],
      ['sign', '--to', url],
      ['verify', '--header', 't=1,v1='],
    ];
    for (const words of needing) expect((await machine.run(words)).status, words.join(' ')).to.equal(2);
    expect(asked).to.equal(0);
  });

  it('Ctrl-C ends a command that waits for its input, or for a service that does not answer', async () => {
    answer = () => {};
    const waiting = [
      ['verify', '--header', 't=1,v1=x'],
      ['endpoints', 'list'],
    ].map((words) => started(process.execPath, MAIN, ...words));
    await until(() => asked > 0, 'no request came');
    for (const { child, finished } of waiting) {
      child.kill('SIGINT');
      await finished;
      expect(child.signalCode).to.equal('SIGINT');
    }
  });

  it('a reader of the output that ends early ends the command without a stack trace', async () => {
    // `true` has ended long before Node has started.
    const script = '{ "$0" "$1" --help; echo "status $?" >&2; } | true';
    const { finished } = started('/bin/sh', '-c', script, process.execPath, MAIN);
    expect((await finished).stderr).to.equal('status 1\n');
  });

  function started(program: string, ...words: string[]) {
    const env = { ...machine.environment, PATH: process.env.PATH };
    return start(program, words, { cwd: machine.folder, env });
  }
});
