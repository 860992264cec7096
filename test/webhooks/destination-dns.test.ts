import { expect } from 'chai';
import { checkNewUrl, checkUrl, type Destination, resolveDestination } from '../../src/webhooks/send/destination.ts';
import { networkSet } from '../../src/webhooks/send/networks.ts';
import type { Resolver } from '../../src/webhooks/send/resolver.ts';
import { NON_PUBLIC, PUBLIC } from './fixtures/destinations.ts';
import { scriptedResolver } from './fixtures/scripted-resolver.ts';

const strict = networkSet([]);
const loopback = networkSet(['127.0.0.0/8', '::1/128']);
const noWait = AbortSignal.abort();
const noTimeout = new AbortController().signal;

async function resolved(text: string, resolver: Resolver, allowed = strict, signal = noTimeout): Promise<Destination> {
  const checked = checkUrl(text, allowed);
  if (!checked.ok) throw new Error(`refused before DNS: ${checked.reason}`);
  return resolveDestination(checked, allowed, resolver, signal);
}

/** Returns the answer of the API to a URL whose host has these addresses. */
async function verdict(text: string, resolver: Resolver, allowed = strict): Promise<string> {
  const checked = await checkNewUrl(text, allowed, resolver, 20);
  return checked.ok ? 'accepted' : checked.reason;
}

describe('webhook destination at send time', () => {
  it('the destination of an attempt is every address of the host, A and AAAA, when all of them are public', async () => {
    const found = await resolved('https://example.com/', scriptedResolver(PUBLIC));
    expect(found).to.deep.equal(PUBLIC);
  });

  for (const [address, what] of NON_PUBLIC) {
    it(`the destination of an attempt is blocked when DNS says ${address} (${what}), alone or among public ones`, async () => {
      for (const addresses of [[address], ['8.8.8.8', address, '2003::1']]) {
        expect(await resolved('https://example.com/', scriptedResolver(addresses))).to.equal('blocked_address');
      }
    });
  }

  it('the destination of an attempt is blocked when the resolver answers with something that is no address', async () => {
    const later = await resolved('https://example.com/', scriptedResolver(['example.org']));
    expect(later).to.equal('blocked_address');
  });

  it('the destination of an attempt fails with dns_error when the name does not exist, or the name server fails', async () => {
    for (const answer of [[], new Error('SERVFAIL')]) {
      expect(await resolved('https://example.com/', scriptedResolver(answer))).to.equal('dns_error');
    }
  });

  it('the destination of an attempt fails with timeout when DNS never answers', async () => {
    const found = await resolved('https://example.com/', scriptedResolver('silence'), strict, noWait);
    expect(found).to.equal('timeout');
  });

  it('the destination of an attempt needs no DNS for an address or localhost', async () => {
    const resolver = scriptedResolver(['8.8.8.8']);
    expect(await resolved('https://1.1.1.1/', resolver)).to.deep.equal(['1.1.1.1']);
    expect(await resolved('https://[2003::1]/', resolver)).to.deep.equal(['2003::1']);
    const local = await resolved('http://localhost/', resolver, loopback);
    expect(local).to.deep.equal(['127.0.0.1', '::1']);
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
        expect(found, url).to.deep.equal(isOpen ? addresses : 'blocked_address');
      }
    });
  }

  it('a destination inside the allowed networks reaches localhost with whichever of its two addresses is allowed', async () => {
    const onlyFour = networkSet(['127.0.0.1/32']);
    const four = await resolved('http://localhost/', scriptedResolver(), onlyFour);
    expect(four).to.deep.equal(['127.0.0.1']);
    const other = await resolved('http://localhost/', scriptedResolver(), networkSet(['10.0.0.0/8']));
    expect(other).to.equal('blocked_address');
  });
});

describe('webhook URL at creation', () => {
  it('the URL of a new endpoint is refused when its host resolves to a non-public address, and accepted otherwise', async () => {
    expect(await verdict('https://example.com/', scriptedResolver(['8.8.8.8', '10.0.0.1']))).to.equal('not_public');
    expect(await verdict('https://example.com/', scriptedResolver(PUBLIC))).to.equal('accepted');
  });

  it('the URL of a new endpoint is accepted when its host does not resolve, yet or at all, or not in time', async () => {
    for (const answer of [[], new Error('SERVFAIL'), 'silence'] as const) {
      expect(await verdict('https://example.com/', scriptedResolver(answer))).to.equal('accepted');
    }
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
