import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { findProgram } from '../../scripts/failover/programs.ts';
import { haproxyConfiguration } from '../../src/cells/haproxy.ts';
import { parseCellMap } from '../../src/cells/map.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { mapOf, startEdge } from '../harness/edge.ts';
import { listen } from '../harness/free-port.ts';
import { checkout, until } from '../harness/processes.ts';

const A = { name: 'a', addresses: ['10.0.1.5:3000', '10.0.1.6:3000'], slots: [[0, 511]] };
const B = { name: 'b-2', addresses: ['10.0.2.5:3000'], hosts: ['b.pay.example.com'], slots: [[512, 1023]] };

function faultsOf(content: unknown): string {
  try {
    parseCellMap(content);
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('the map of cells', () => {
  it('the map of the guide for operators is valid', () => {
    const guide = readFileSync(join(checkout, 'docs/operations.md'), 'utf8');
    const [, example = ''] = /```json\n(\{\n {2}"cells"[^`]+)```/.exec(guide) ?? [];
    expect(faultsOf(JSON.parse(example))).to.equal('');
  });

  it('a map is valid if each slot has one cell', () => {
    expect(faultsOf({ cells: [A, B] })).to.equal('');
    const all = { ...A, slots: [[0, 1023]] };
    expect(faultsOf({ cells: [all, { ...B, slots: [] }] })).to.equal('');
  });

  const withB = (change: object) => ({ cells: [A, { ...B, ...change }] });

  for (const [what, content, fault] of [
    ['without cells', { cells: [] }, '/cells must NOT have fewer than 1 items'],
    ['with an unknown property', withB({ password: 'x' }), '/cells/1 must NOT have additional properties (password)'],
    ['with a slot beyond the last', withB({ slots: [[512, 1024]] }), '/cells/1/slots/0/1 must be <= 1023'],
    ['with a range of one number', withB({ slots: [[512]] }), '/cells/1/slots/0 must NOT have fewer than 2 items'],
    ['with a name that HAProxy cannot have', withB({ name: 'b two' }), '/cells/1/name must match pattern'],
    ['with an address without port', withB({ addresses: ['10.0.2.5'] }), '/cells/1/addresses/0 must match pattern'],
    ['with a port that does not exist', withB({ addresses: ['b:65536'] }), 'the address b:65536 needs a port'],
    ['with a line break in the edge', { cells: [A, B], edge: { bind: ':80\n  b' } }, '/edge/bind must match pattern'],
    ['with two cells of one name', withB({ name: 'a' }), 'the name a occurs twice'],
    ['with two cells at one address', withB({ addresses: A.addresses }), 'the address 10.0.1.5:3000 occurs twice'],
    ['with two cells at one host', { cells: [{ ...A, hosts: B.hosts }, B] }, 'the host b.pay.example.com occurs twice'],
    [
      'with slots that no cell has',
      withB({ slots: [[600, 1023]] }),
      'no cell has 88 of the slots, the first of them is 512',
    ],
    ['with a slot in two cells', withB({ slots: [[511, 1023]] }), 'slot 511 belongs to a and b-2'],
    ['with a range that goes backward', withB({ slots: [[1023, 512]] }), 'the range 1023 to 512 of b-2 is empty'],
    ['that takes slot 0 from the first cell', { cells: [B, A] }, 'slot 0 (00) must stay in the first cell, b-2'],
    ['that is no object', null, '/ must be object'],
  ] as const) {
    it(`a map ${what} is refused, and the fault is named`, () => {
      expect(faultsOf(content)).to.include(fault);
    });
  }
});

describe('the configuration of HAProxy', () => {
  const maps = {
    'two cells': mapOf(A, B),
    'one cell': mapOf({ ...A, slots: [[0, 1023]] }),
    '64 cells': mapOf(
      ...Array.from({ length: 64 }, (_, cell) => ({
        name: `c${cell}`,
        addresses: [`10.0.${cell}.5:3000`, `10.0.${cell}.6:3000`],
        hosts: [`c${cell}.pay.example.com`],
        slots: [[cell * 16, cell * 16 + 15]],
      })),
    ),
  };

  for (const [what, map] of Object.entries(maps)) {
    it(`HAProxy accepts the configuration of ${what}, without a warning`, function () {
      const haproxy = findProgram('haproxy');
      if (haproxy === undefined) {
        console.log('      skipped: haproxy is not on this machine');
        return this.skip();
      }
      const folder = mkdtempSync(join(tmpdir(), 'paylinks-haproxy-'));
      const file = join(folder, 'haproxy.cfg');
      writeFileSync(file, haproxyConfiguration(map));
      const { status, stderr } = spawnSync(haproxy, ['-c', '-f', file], { encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      expect(status, stderr).to.equal(0);
      expect(stderr).to.not.match(/WARNING|ALERT/);
    });
  }

  it('the log of the edge has neither paths nor headers, where keys and tokens stand', () => {
    const text = haproxyConfiguration(maps['two cells']);
    const formats = [...text.matchAll(/log-format '(.*)'/g)].map(([, format = '']) => format);
    expect(formats).to.have.length(2);
    for (const format of formats) {
      // %HM shows any word that stands in place of the method; the variable has known methods only.
      expect(format).to.include('"method":"%[var(txn.method)]"');
      // %r, %HU, %HP, %HQ and %HV show the request line, %hr and %hs captured headers.
      expect(format.replace('%[var(txn.method)]', '')).to.not.match(
        /%(\{[^}]*\})?(r|HM|HU|HP|HPO|HQ|hr|hs|hrl|hsl)\b|%\[/,
      );
    }
    expect(text).to.not.match(/httplog|capture|stats socket/);
  });

  it('a request from outside loses the header of offered notifications, and a word that is no method is not logged', async function () {
    const received: IncomingHttpHeaders[] = [];
    const server = createServer((incoming, outgoing) => {
      received.push(incoming.headers);
      outgoing.end('{}');
    });
    const cell = { name: 'a', addresses: [`127.0.0.1:${await listen(server)}`], slots: [[0, 1023]] };
    const edge = await startEdge(mapOf(cell));
    if (edge === null) {
      server.close();
      console.log('      skipped: haproxy is not on this machine');
      return this.skip();
    }
    afterThisTest(async () => {
      await edge.close();
      server.closeAllConnections();
      server.close();
    });
    const headers = { 'Paylinks-Offered': '1', 'x-mark': 'seen' };
    await (await fetch(`${edge.url}/processor/notifications/stripe`, { method: 'POST', headers })).text();
    const marked = received.filter((one) => one['x-mark'] === 'seen');
    expect(marked.map((one) => one['paylinks-offered'])).to.deep.equal([undefined]);
    await (await request(`${edge.url}/api/v1/locations`, { method: 'KEY-OF-SOMEONE' })).body.dump();
    await until(
      () => edge.output().includes('"method":"-"') && edge.output().includes('"method":"POST"'),
      () => edge.output(),
    );
    expect(edge.output()).to.not.include('KEY-OF-SOMEONE');
  });
});
