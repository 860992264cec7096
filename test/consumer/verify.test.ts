import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { diagnose, type Reason } from '../../packages/paylinks-dev/source/webhooks/diagnosis.ts';
import { signatureOf } from '../../packages/paylinks-dev/source/webhooks/signature.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { Machine } from './consumer.ts';

interface Vector {
  name: string;
  genuine: boolean;
  secret: string;
  now: number;
  header: string | null;
  body: string;
}

const { vectors }: { vectors: Vector[] } = JSON.parse(
  readFileSync(new URL('../../examples/verify/vectors.json', import.meta.url), 'utf8'),
);

const NOW = 1_900_000_000;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5yQ3n1xVh0c';
const ZOE = '{"name":"Zoë"}';
const BODY = '{"id":"evt_1","data":{"name":"Zoë’s crown","amount":125.5}}';

describe('paylinks-dev verify', () => {
  for (const { name, genuine, header, body, ...vector } of vectors) {
    it(`the published vector "${name}" is ${genuine ? 'genuine' : 'refused'}`, () => {
      const arrived = { ...vector, header: header ?? '', body: Buffer.from(body), otherSecrets: [] };
      expect(diagnose(arrived).genuine).to.equal(genuine);
    });
  }

  const signed = (body: string | Buffer, key = SECRET, seconds = NOW) =>
    `t=${seconds},v1=${signatureOf(key, seconds, Buffer.from(body))}`;
  const python = '{"id": "evt_1", "data": {"name": "Zo\\u00eb\\u2019s crown", "amount": 125.5}}';

  type Arrived = { header?: string; body?: string | Buffer; secret?: string };
  const CASES: [what: string, reason: Reason, message: RegExp, arrived: Arrived][] = [
    ['an empty header', 'malformed_header', /no part t=/, { header: '' }],
    ['a header without signature', 'malformed_header', /no part v1=/, { header: `t=${NOW}` }],
    ['a header with two times', 'malformed_header', /2 parts/, { header: `t=1,${signed(BODY)}` }],
    ['a time with a fraction', 'malformed_header', /whole Unix seconds/, { header: signed(BODY).replace(',', '.5,') }],
    ['a time in milliseconds', 'malformed_header', /milliseconds/, { header: signed(BODY, SECRET, NOW * 1_000) }],
    ['a cut signature', 'malformed_header', /64 hexadecimal/, { header: signed(BODY).slice(0, -1) }],
    ['a signature of an hour ago', 'clock', /3600 seconds old/, { header: signed(BODY, SECRET, NOW - 3_600) }],
    ['a signature of the future', 'clock', /301 seconds in the future/, { header: signed(BODY, SECRET, NOW + 301) }],
    ['a line break at the end', 'changed_body', /line break was added/, { body: `${BODY}\n` }],
    ['a lost line break', 'changed_body', /line break at its end is missing/, { header: signed(`${BODY}\n`) }],
    ['JSON that Python wrote again', 'changed_body', /parsed and written again/, { body: python }],
    ['indented JSON', 'changed_body', /written again/, { body: JSON.stringify(JSON.parse(BODY), null, 2) }],
    ['JSON in a JSON string', 'changed_body', /JSON string/, { body: JSON.stringify(BODY) }],
    ['a byte order mark', 'changed_body', /byte order mark|white space/, { body: `\uFEFF${BODY}` }],
    [
      'another encoding',
      'changed_body',
      /encoding was changed/,
      { body: Buffer.from(ZOE, 'latin1'), header: signed(ZOE) },
    ],
    ['wrong decoding', 'changed_body', /Latin-1/, { body: Buffer.from(ZOE).toString('latin1'), header: signed(ZOE) }],
    ['a secret with a line break', 'wrong_secret', /white space/, { secret: `${SECRET}\n` }],
    ['a secret without its prefix', 'wrong_secret', /whsec_/, { secret: SECRET.slice('whsec_'.length) }],
    ['an endpoint’s secret for a forwarded event', 'wrong_secret', /listen/, { header: signed(BODY, 'whsec_own') }],
    ['another secret', 'wrong_secret_or_body', /No signature fits/, { secret: 'whsec_other' }],
    ['another body', 'wrong_secret_or_body', /No signature fits/, { body: BODY.replace('1', '2') }],
  ];

  for (const [what, reason, message, { header = signed(BODY), body = BODY, secret = SECRET }] of CASES) {
    it(`${what} is found as ${reason}, and neither secret nor body is repeated`, () => {
      const diagnosis = diagnose({ secret, header, body: Buffer.from(body), now: NOW, otherSecrets: ['whsec_own'] });
      if (diagnosis.genuine) throw new Error('it is not genuine');
      expect(diagnosis.reason).to.equal(reason);
      expect(diagnosis.message).to.match(message);
      expect(JSON.stringify(diagnosis)).not.to.include(SECRET).and.not.to.include('evt_1');
    });
  }

  it('the command reads a body from standard input, and its exit status says if it is genuine', async () => {
    const machine = new Machine();
    afterThisTest(() => machine.remove());
    const words = ['verify', '--header', signed(BODY), '--secret', SECRET, '--at', `${NOW}`];
    expect(await machine.run(words, BODY)).to.include({ status: 0, output: 'The webhook is genuine.\n' });
    const changed = await machine.run([...words, '--json'], `${BODY}\n`);
    expect(changed.status).to.equal(1);
    expect(JSON.parse(changed.output)).to.include({ genuine: false, reason: 'changed_body' });
    const named = await machine.run(['verify', '--header', 'Service-Signature: t=1,v1=00'], '{}');
    expect(named.errors).to.include('No v1 has 64 hexadecimal digits');
    const unreadable = await machine.run([...words, '/nowhere/body.json']);
    expect(unreadable).to.include({ status: 2 });
    expect(unreadable.errors).to.include('ENOENT');
  });
});
