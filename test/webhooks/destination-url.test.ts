import { expect } from 'chai';
import fc from 'fast-check';
import { checkUrl, type UrlReason } from '../../src/webhooks/send/destination.ts';
import { isCidr, isPublicAddress, networkSet } from '../../src/webhooks/send/networks.ts';
import { NON_PUBLIC, PUBLIC, SPELLINGS } from './fixtures/destinations.ts';

const strict = networkSet([]);
const loopback = networkSet(['127.0.0.0/8', '::1/128']);

function reasonOf(text: string, allowed = strict): UrlReason | 'accepted' {
  const checked = checkUrl(text, allowed);
  return checked.ok ? 'accepted' : checked.reason;
}

function literal(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

describe('public addresses', () => {
  for (const [address, what] of NON_PUBLIC) {
    it(`public addresses do not include ${address} (${what})`, () => {
      expect(isPublicAddress(address)).to.equal(false);
      expect(reasonOf(`https://${literal(address)}/hook`)).to.equal('not_public');
      expect(reasonOf(`https://${literal(address)}:8443/`)).to.equal('not_public');
    });
  }

  for (const address of PUBLIC) {
    it(`public addresses include ${address}`, () => {
      expect(isPublicAddress(address)).to.equal(true);
      expect(reasonOf(`https://${literal(address)}/hook`)).to.equal('accepted');
    });
  }

  it('public addresses do not include what is no address, or one with a scope', () => {
    for (const text of [
      '',
      'example.com',
      '1.2.3',
      '8.8.8.8 ',
      '[2003::1]',
      '2003::1%eth0',
      'fe80::1%1',
      '8.8.8.8/32',
    ]) {
      expect(isPublicAddress(text), text).to.equal(false);
    }
  });

  it('public addresses include no IPv6 address outside 2000::/3', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const isGlobalUnicast = (groups[0] ?? 0) >>> 13 === 1;
        return isGlobalUnicast || !isPublicAddress(groups.map((value) => value.toString(16)).join(':'));
      }),
    );
  });
});

describe('webhook URL', () => {
  for (const [host, what] of SPELLINGS) {
    it(`a webhook URL is refused with ${host} (${what})`, () => {
      expect(reasonOf(`https://${host}/hook`)).to.equal('not_public');
    });
  }

  const refused: [string, UrlReason, string][] = [
    ['http://example.com/', 'not_https', 'plain http'],
    ['http://8.8.8.8/', 'not_https', 'plain http to an address'],
    ['ftp://example.com/', 'not_https', 'another scheme'],
    ['javascript:alert(1)', 'not_https', 'a script'],
    ['file:///etc/passwd', 'not_https', 'a file'],
    ['', 'invalid_url', 'nothing'],
    ['example.com/hook', 'invalid_url', 'no scheme'],
    ['//example.com/hook', 'invalid_url', 'no scheme, two slashes'],
    ['https:example.com', 'invalid_url', 'no slashes'],
    ['https:/example.com', 'invalid_url', 'one slash'],
    ['https:///example.com', 'invalid_url', 'three slashes'],
    ['https://', 'invalid_url', 'no host'],
    ['https://:443/', 'invalid_url', 'a port alone'],
    ['https://example.com:99999/', 'invalid_url', 'a port beyond 65535'],
    ['https://example.com:0/', 'invalid_url', 'port 0'],
    ['https://8.8.8.8:00/', 'invalid_url', 'port 0 in two digits'],
    ['https://exa_mple!.com/', 'invalid_url', 'a character that no name has'],
    ['https://a..example.com/', 'invalid_url', 'an empty label'],
    [`https://${'a'.repeat(64)}.com/`, 'invalid_url', 'a label of 64 characters'],
    ['https://[::1/', 'invalid_url', 'a bracket left open'],
    ['https://[fe80::1%25eth0]/', 'invalid_url', 'a scope'],
    ['https://1.2.3.4.5/', 'invalid_url', 'five numbers'],
    ['https://user:pass@example.com/', 'credentials', 'user and password'],
    ['https://user@example.com/', 'credentials', 'a user'],
    ['https://@example.com/', 'credentials', 'an empty user'],
    ['https://8.8.8.8@example.com/', 'credentials', 'an address as the user'],
    ['https://example.com/#part', 'fragment', 'a fragment'],
    ['https://example.com/#', 'fragment', 'an empty fragment'],
    ['https://example.com#@127.0.0.1/', 'fragment', 'a fragment that looks like a host'],
    ['https://example.com\\@127.0.0.1/', 'forbidden_character', 'a backslash'],
    ['https:\\\\example.com/', 'forbidden_character', 'backslashes for slashes'],
    ['https://example.com/\n', 'forbidden_character', 'a line break at the end'],
    ['ht\ttps://example.com/', 'forbidden_character', 'a tab inside'],
    [' https://example.com/', 'forbidden_character', 'a blank in front'],
    ['https://example.com/a b', 'forbidden_character', 'a blank inside'],
    ['https://example.com/\u0000', 'forbidden_character', 'a NUL'],
    ['https://example.com/\u007f', 'forbidden_character', 'a DEL'],
    ['https://example.com/\u0085', 'forbidden_character', 'a control character of the second block'],
    ['https://example.com./', 'trailing_dot', 'a trailing dot'],
    ['https://example.com.:443/', 'trailing_dot', 'a trailing dot before the port'],
    ['https://8.8.8.8./', 'trailing_dot', 'a trailing dot after an address'],
    ['https://localhost./', 'trailing_dot', 'a trailing dot after localhost'],
    ['https://example.com%2e/', 'trailing_dot', 'a trailing dot in disguise'],
    ['https://example/', 'bare_host', 'a bare host name'],
    ['https://com/', 'bare_host', 'a top-level domain'],
    ['https://localhost/', 'internal_name', 'localhost'],
    ['https://LOCALHOST:8443/', 'internal_name', 'localhost in capitals'],
    ['https://ｌｏｃａｌｈｏｓｔ/', 'internal_name', 'localhost in full-width letters'],
    ['https://a.localhost/', 'internal_name', 'a name below localhost'],
    ['https://localhost.localdomain/', 'internal_name', 'localhost.localdomain'],
    ['https://printer.local/', 'internal_name', 'a name of mDNS'],
    ['https://metadata.google.internal/', 'internal_name', 'metadata by name'],
    ['https://db.internal/', 'internal_name', 'internal'],
    ['https://router.home.arpa/', 'internal_name', 'a home network'],
    ['https://api.default.svc.cluster.local/', 'internal_name', 'a cluster'],
  ];
  for (const [text, reason, what] of refused) {
    it(`a webhook URL is refused with ${what}`, () => {
      expect(reasonOf(text)).to.equal(reason);
    });
  }

  const accepted: [string, string][] = [
    ['https://example.com', 'a name'],
    ['HTTPS://EXAMPLE.COM/Hook', 'capitals'],
    ['https://hooks.example.com:8443/a/b?c=d&e=%20', 'a port, a path and a query'],
    ['https://münchen.example/hook', 'an international name'],
    ['https://xn--mnchen-3ya.example/hook', 'the same in Punycode'],
    ['https://my_host.example.com/', 'an underscore'],
    ['https://example.com/@user', 'an at sign in the path'],
    ['https://example.com/?mail=a@b.c', 'an at sign in the query'],
    ['https://notlocalhost.com/', 'a name that only contains a refused one'],
    ['https://internal.example.com/', 'a refused name as a lower label'],
    ['https://local.host/', 'a refused name as the first label'],
    ['https://arpa.example/', 'a part of a refused name'],
  ];
  for (const [text, what] of accepted) {
    it(`a webhook URL is accepted with ${what}`, () => {
      expect(reasonOf(text)).to.equal('accepted');
    });
  }

  it('a webhook URL may have 2,048 characters, counted in code points, and not one more', () => {
    const start = 'https://example.com/';
    expect(reasonOf(start + 'a'.repeat(2_048 - start.length))).to.equal('accepted');
    expect(reasonOf(start + '😀'.repeat(2_048 - start.length))).to.equal('accepted');
    expect(reasonOf(start + 'a'.repeat(2_049 - start.length))).to.equal('too_long');
  });

  it('a webhook URL is judged without an exception, whatever the text', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.string().map((text) => `https://${text}`),
    );
    fc.assert(fc.property(anything, (text) => typeof checkUrl(text, strict).ok === 'boolean'));
  });

  it('a webhook URL names the broken rule for people, too', () => {
    const checked = checkUrl('http://example.com/', strict);
    expect(checked).to.deep.equal({ ok: false, reason: 'not_https', message: 'must begin with https://' });
  });
});

describe('allowed networks', () => {
  it('allowed networks exempt their addresses from https and from being public', () => {
    expect(reasonOf('http://127.0.0.1:3000/', loopback)).to.equal('accepted');
    expect(reasonOf('http://2130706433/', loopback)).to.equal('accepted');
    expect(reasonOf('https://[::1]/', loopback)).to.equal('accepted');
  });

  it('allowed networks let bare and internal host names and plain http wait for their addresses', () => {
    for (const url of ['http://localhost:3000/', 'https://receiver/', 'http://example.com/', 'http://a.internal/']) {
      const checked = checkUrl(url, loopback);
      expect(checked.ok && checked.onlyIfAllowed, url).to.be.a('string');
    }
  });

  it('allowed networks exempt nothing else', () => {
    expect(reasonOf('http://10.0.0.1/', loopback)).to.equal('not_public');
    expect(reasonOf('http://8.8.8.8/', loopback)).to.equal('not_https');
    expect(reasonOf('ftp://127.0.0.1/', loopback)).to.equal('not_https');
    expect(reasonOf('http://user@127.0.0.1/', loopback)).to.equal('credentials');
    expect(reasonOf('http://127.0.0.1/#', loopback)).to.equal('fragment');
    expect(reasonOf('http://localhost./', loopback)).to.equal('trailing_dot');
  });

  it('allowed networks of IPv4 contain no IPv6 address but a mapped one', () => {
    const networks = networkSet(['127.0.0.0/8']);
    expect(networks.has('::ffff:127.0.0.1')).to.equal(true);
    expect(networks.has('::127.0.0.1')).to.equal(false);
    expect(networks.has('64:ff9b::7f00:1')).to.equal(false);
  });

  it('allowed networks are CIDRs or single addresses', () => {
    for (const cidr of ['127.0.0.0/8', '0.0.0.0/0', '10.0.0.1', '10.0.0.1/32', '::1/128', '::/0', 'fd00::/8']) {
      expect(isCidr(cidr), cidr).to.equal(true);
    }
    for (const text of [
      '',
      '127.0.0.0/33',
      '::1/129',
      '127.0.0.0/',
      '/8',
      '127.0.0.0/8/8',
      '127/8',
      'localhost',
      'fe80::1%1/64',
    ]) {
      expect(isCidr(text), text).to.equal(false);
      expect(() => networkSet([text]), text).to.throw(RangeError);
    }
  });
});
