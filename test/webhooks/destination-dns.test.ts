import { expect } from 'chai';
import {
  checkNewUrl,
  checkUrl,
  type Destination,
  type DestinationPolicy,
  destinationPolicy,
  resolveDestination,
} from '../../src/webhooks/send/destination.ts';
import type { Resolver } from '../../src/webhooks/send/resolver.ts';
import { NON_PUBLIC, PUBLIC } from './fixtures/destinations.ts';
import { scriptedResolver } from './fixtures/scripted-resolver.ts';

const strict = destinationPolicy([]);
const loopback = destinationPolicy(['127.0.0.0/8', '::1/128']);
const noWait = AbortSignal.abort();
const noTimeout = new AbortController().signal;

async function resolved(
  text: string,
  resolver: Resolver,
  policy: DestinationPolicy = strict,
  signal: AbortSignal = noTimeout,
): Promise<Destination> {
  const checked = checkUrl(text, policy);
  if (!checked.ok) throw new Error(`refused before DNS: ${checked.reason}`);
  return resolveDestination(checked, policy, resolver, signal);
}

/** Returns the answer of the API to a URL whose host has these addresses. */
async function verdict(text: string, resolver: Resolver, policy = strict): Promise<string> {
  const checked = await checkNewUrl(text, policy, resolver, 20);
  return checked.ok ? 'accepted' : checked.reason;
}

describe('webhook destination at send time', () => {
  it('the destination of an attempt is every address of the host, A and AAAA, when all of them are public', async () => {
    const found = await resolved('https://example.com/', scriptedResolver(PUBLIC));
    expect(found).to.deep.equal({ ok: true, addresses: PUBLIC });
  });

  for (const [address, what] of NON_PUBLIC) {
    it(`the destination of an attempt is blocked when DNS says ${address} (${what}), alone or among public ones`, async () => {
      const blocked = { ok: false, error: 'blocked_address' };
      expect(await resolved('https://example.com/', scriptedResolver([address]))).to.deep.equal(blocked);
      const mixed = scriptedResolver(['8.8.8.8', address, '2003::1']);
      expect(await resolved('https://example.com/', mixed)).to.deep.equal(blocked);
    });
  }

  it('the destination of an attempt is blocked when the resolver answers with something that is no address', async () => {
    const later = await resolved('https://example.com/', scriptedResolver(['example.org']));
    expect(later).to.deep.equal({ ok: false, error: 'blocked_address' });
  });

  it('the destination of an attempt fails with dns_error when the name does not exist, or the name server fails', async () => {
    const failed = { ok: false, error: 'dns_error' };
    expect(await resolved('https://example.com/', scriptedResolver([]))).to.deep.equal(failed);
    expect(await resolved('https://example.com/', scriptedResolver(new Error('SERVFAIL')))).to.deep.equal(failed);
  });

  it('the destination of an attempt fails with timeout when DNS never answers', async () => {
    const found = await resolved('https://example.com/', scriptedResolver('silence'), strict, noWait);
    expect(found).to.deep.equal({ ok: false, error: 'timeout' });
  });

  it('the destination of an attempt needs no DNS for an address or localhost', async () => {
    const resolver = scriptedResolver(['8.8.8.8']);
    expect(await resolved('https://1.1.1.1/', resolver)).to.deep.equal({ ok: true, addresses: ['1.1.1.1'] });
    expect(await resolved('https://[2003::1]/', resolver)).to.deep.equal({ ok: true, addresses: ['2003::1'] });
    const local = await resolved('http://localhost/', resolver, loopback);
    expect(local).to.deep.equal({ ok: true, addresses: ['127.0.0.1', '::1'] });
    expect(resolver.questions).to.deep.equal([]);
  });

  it('the destination of an attempt is looked up as it stands in the URL, in Punycode', async () => {
    const resolver = scriptedResolver(['8.8.8.8']);
    await resolved('https://MÜNCHEN.example:8443/hook', resolver);
    expect(resolver.questions).to.deep.equal(['xn--mnchen-3ya.example']);
  });
});

describe('webhook destination inside the allowed networks', () => {
  const INTERNAL = ['http://receiver/', 'https://receiver/', 'http://example.com/', 'https://db.internal/'];
  for (const [urls, addresses, isOpen, what] of [
    [INTERNAL, ['127.0.0.1', '::1'], true, 'may be plain http, bare or internal when all its addresses lie inside'],
    [
      INTERNAL,
      ['127.0.0.1', '8.8.8.8'],
      false,
      'is refused otherwise when one address lies outside, also a public one',
    ],
    [['https://example.com/'], ['127.0.0.1', '8.8.8.8'], true, 'may mix allowed and public addresses over https'],
    [['https://example.com/'], ['127.0.0.1', '10.0.0.1'], false, 'is blocked when one address is neither'],
  ] as const) {
    it(`a destination inside the allowed networks ${what}`, async () => {
      for (const url of urls) {
        const found = await resolved(url, scriptedResolver(addresses), loopback);
        expect(found.ok, url).to.equal(isOpen);
        if (!found.ok) expect(found.error).to.equal('blocked_address');
      }
    });
  }

  it('a destination inside the allowed networks reaches localhost with whichever of its two addresses is allowed', async () => {
    const onlyFour = destinationPolicy(['127.0.0.1/32']);
    const four = await resolved('http://localhost/', scriptedResolver(), onlyFour);
    expect(four).to.deep.equal({ ok: true, addresses: ['127.0.0.1'] });
    const other = await resolved('http://localhost/', scriptedResolver(), destinationPolicy(['10.0.0.0/8']));
    expect(other).to.deep.equal({ ok: false, error: 'blocked_address' });
  });
});

describe('webhook URL at creation', () => {
  it('the URL of a new endpoint is refused when its host resolves to a non-public address, and accepted otherwise', async () => {
    expect(await verdict('https://example.com/', scriptedResolver(['8.8.8.8', '10.0.0.1']))).to.equal('not_public');
    expect(await verdict('https://example.com/', scriptedResolver(PUBLIC))).to.equal('accepted');
  });

  it('the URL of a new endpoint is accepted when its host does not resolve, yet or at all, or not in time', async () => {
    expect(await verdict('https://example.com/', scriptedResolver([]))).to.equal('accepted');
    expect(await verdict('https://example.com/', scriptedResolver(new Error('SERVFAIL')))).to.equal('accepted');
    expect(await verdict('https://example.com/', scriptedResolver('silence'))).to.equal('accepted');
  });

  it('the URL of a new endpoint is refused by the rules that need no DNS, without asking it', async () => {
    const resolver = scriptedResolver(['8.8.8.8']);
    expect(await verdict('http://example.com/', resolver)).to.equal('not_https');
    expect(await verdict('https://localhost/', resolver)).to.equal('internal_name');
    expect(await verdict('https://127.0.0.1/', resolver)).to.equal('not_public');
    expect(resolver.questions).to.deep.equal([]);
  });

  it('the URL of a new endpoint inside the allowed networks is accepted over http only if its host resolves to allowed addresses', async () => {
    expect(await verdict('http://receiver/', scriptedResolver(['127.0.0.1']), loopback)).to.equal('accepted');
    expect(await verdict('http://localhost:3000/', scriptedResolver(), loopback)).to.equal('accepted');
    expect(await verdict('http://receiver/', scriptedResolver([]), loopback)).to.equal('not_https');
    expect(await verdict('https://receiver/', scriptedResolver(['8.8.8.8']), loopback)).to.equal('bare_host');
    expect(await verdict('http://example.com/', scriptedResolver('silence'), loopback)).to.equal('not_https');
  });
});
