import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { Rotation } from '../../scripts/upgrade/rotation.ts';
import { commitOf, nextMinor } from '../../scripts/upgrade/version.ts';
import { checkout, until } from '../harness/processes.ts';

describe('the rig of make upgrade', () => {
  const servers: Server[] = [];
  const rotation = new Rotation();

  after(async () => {
    await rotation.stop();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('the command names a revision that the clone lacks, and ends with 0', function () {
    if (commitOf('HEAD') === null) return this.skip();
    const { status, stdout } = spawnSync(process.execPath, [join(checkout, 'scripts/upgrade.ts')], {
      env: { ...process.env, FROM: 'no-such-revision' },
      encoding: 'utf8',
    });
    expect(stdout).to.match(/^skipped: this clone lacks no-such-revision/);
    expect(status).to.equal(0);
  });

  it('a revision is a commit or unknown, and the version that takes over has a later number', () => {
    expect(commitOf('no-such-revision')).to.equal(null);
    expect(nextMinor('1.0.0')).to.equal('1.1.0');
    expect(nextMinor('2.9.3')).to.equal('2.10.0');
  });

  it('an API gets requests while its readiness is good, and again after it recovered, unless the operator took it out', async () => {
    const states = [200, 200];
    const ports: number[] = [];
    for (const at of states.keys()) {
      const server = createServer((_, response) => void response.writeHead(states[at] ?? 500).end());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      ports.push((server.address() as AddressInfo).port);
    }
    const [first = 0, second = 0] = ports;
    for (const port of ports) await rotation.add(port);
    rotation.start();
    states[0] = 503;
    await until(
      () => !rotation.ports.includes(first),
      () => 'it still gets requests',
    );
    states[0] = 200;
    await until(
      () => rotation.ports.includes(first),
      () => 'it gets no requests',
    );
    expect(rotation.unready).to.have.length.above(0);
    const before = rotation.unready.length;
    rotation.expectEnd(first);
    expect(rotation.ports).to.include(first);
    states[0] = 503;
    await until(
      () => !rotation.ports.includes(first),
      () => 'an API that ends still gets requests',
    );
    expect(rotation.unready).to.have.length(before);
    states[0] = 200;
    await rotation.add(first);
    rotation.remove(second);
    expect(rotation.ports).to.deep.equal([first]);
  });
});
