import { expect } from 'chai';
import fc from 'fast-check';
import { newWebhookSecret, signatureHeader } from '../../src/webhooks/model/signature.ts';

/** Computed apart: `printf '%s' '<t>.<payload>' | openssl dgst -sha256 -hmac <secret>`. */
const payload = '{"id":"evt_1","note":"Zoë – 10 €"}';
const byFirst = '66528c79e14fc6f41f03d2feac7e597b02d917512d3ff2adc8bc1b8a4d56a684';
const bySecond = 'db52866632a041a4fae5e32ef17abd2b4f5336ef01aec319900b3d62eafbc7d8';
const timestampSeconds = 1_700_000_000;

describe('webhook signature', () => {
  it('a signature is the hex HMAC-SHA256 of "<t>.<payload>" in UTF-8, keyed with the whole secret', () => {
    const header = signatureHeader({ secrets: ['whsec_first'], timestampSeconds, payload });
    expect(header).to.equal(`t=1700000000,v1=${byFirst}`);
  });

  it('a signature has two v1 after a rotation, in the order given: newest first', () => {
    const header = signatureHeader({ secrets: ['whsec_second', 'whsec_first'], timestampSeconds, payload });
    expect(header).to.equal(`t=1700000000,v1=${bySecond},v1=${byFirst}`);
  });

  it('a signature changes with every part of what it covers', () => {
    const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
    const part = fc.record({ secret: fc.string({ minLength: 1 }), seconds, payload: fc.string() });
    const sign = (of: { secret: string; seconds: number; payload: string }) =>
      signatureHeader({ secrets: [of.secret], timestampSeconds: of.seconds, payload: of.payload });
    fc.assert(
      fc.property(part, part, (one, other) => {
        const isSame = one.secret === other.secret && one.seconds === other.seconds && one.payload === other.payload;
        return isSame || sign(one) !== sign(other);
      }),
    );
  });
});

describe('webhook secret', () => {
  it('a webhook secret is whsec_ and 256 random bits that need no escaping in a URL or a shell', () => {
    expect(newWebhookSecret()).to.match(/^whsec_[A-Za-z0-9]{43}$/);
  });

  it('no two webhook secrets are the same', () => {
    const secrets = new Set(Array.from({ length: 1_000 }, newWebhookSecret));
    expect(secrets.size).to.equal(1_000);
  });
});
