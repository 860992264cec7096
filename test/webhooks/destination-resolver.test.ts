import dns from 'node:dns/promises';
import { mock } from 'node:test';
import { expect } from 'chai';
import { createResolver } from '../../src/webhooks/send/resolver.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { type Reply, startNameServer } from './fixtures/name-server.ts';

const noTimeout = new AbortController().signal;

/** Makes the resolvers of the present test ask this name server, and not those of the system. */
function askServer(address: string): void {
  class Resolver extends dns.Resolver {
    constructor(options: ConstructorParameters<typeof dns.Resolver>[0]) {
      super(options);
      this.setServers([address]);
    }
  }
  mock.method(dns, 'Resolver', Resolver);
  afterThisTest(() => mock.restoreAll());
}

describe('webhook resolver', () => {
  async function resolverFor(answers: { A: Reply; AAAA: Reply }, useSystemNames = false) {
    const names = await startNameServer((type) => answers[type]);
    afterThisTest(names.close);
    askServer(names.server);
    return createResolver({ useSystemNames });
  }

  it('the resolver finds the addresses of both families', async () => {
    const resolver = await resolverFor({ A: ['8.8.8.8', '127.0.0.1'], AAAA: ['2003::1', '::1'] });
    const found = await resolver.resolve('example.com', noTimeout);
    expect(found).to.have.members(['8.8.8.8', '127.0.0.1', '2003::1', '::1']);
  });

  it('the resolver finds no address for a name that does not exist, or has no addresses', async () => {
    const missing = await resolverFor({ A: 'NXDOMAIN', AAAA: 'NXDOMAIN' });
    expect(await missing.resolve('example.com', noTimeout)).to.deep.equal([]);
    const empty = await resolverFor({ A: [], AAAA: [] });
    expect(await empty.resolve('example.com', noTimeout)).to.deep.equal([]);
  });

  it('the resolver returns one family when the name server fails on the other', async () => {
    const resolver = await resolverFor({ A: ['8.8.8.8'], AAAA: 'SERVFAIL' });
    expect(await resolver.resolve('example.com', noTimeout)).to.deep.equal(['8.8.8.8']);
  });

  it('the resolver rejects when the name server fails', async () => {
    const resolver = await resolverFor({ A: 'SERVFAIL', AAAA: 'NXDOMAIN' });
    const failure = await resolver.resolve('example.com', noTimeout).catch((error: unknown) => error);
    expect(failure).to.be.an.instanceOf(Error).with.property('code', 'ESERVFAIL');
  });

  it('the resolver waits no longer than its signal for a name server that never answers', async () => {
    const resolver = await resolverFor({ A: 'silence', AAAA: 'silence' });
    const failure = await resolver.resolve('example.com', AbortSignal.timeout(20)).catch((error: unknown) => error);
    expect(failure).to.have.property('name', 'TimeoutError');
  });

  it('the resolver asks once for simultaneous requests, and again after a failure', async () => {
    let reply: Reply = 'SERVFAIL';
    const server = await startNameServer(() => reply);
    afterThisTest(server.close);
    askServer(server.server);
    const resolver = createResolver({ useSystemNames: false });
    const ask = () => resolver.resolve('example.com', noTimeout);
    await Promise.allSettled([ask(), ask(), ask()]);
    const failed = server.questions.length;
    reply = ['8.8.8.8'];
    await Promise.all([ask(), ask(), ask()]);
    expect(server.questions.slice(failed)).to.have.members(['A example.com', 'AAAA example.com']);
  });

  it('the resolver asks the system for names that DNS does not know only where that is allowed', async () => {
    const production = await resolverFor({ A: 'NXDOMAIN', AAAA: 'NXDOMAIN' });
    expect(await production.resolve('localhost', noTimeout)).to.deep.equal([]);
    const development = await resolverFor({ A: 'NXDOMAIN', AAAA: 'NXDOMAIN' }, true);
    const found = await development.resolve('localhost', noTimeout);
    expect(found.length).to.be.greaterThan(0);
    expect(['127.0.0.1', '::1']).to.include.members(found);
  });
});
