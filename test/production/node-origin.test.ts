import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { originOf } from '../../scripts/release/node-origin.ts';
import { useFolder } from '../harness/fixtures.ts';
import { listen } from '../harness/free-port.ts';

const RELEASE = { version: 'v24.99.0', platform: 'linux-x64' };
const NAME = `node-${RELEASE.version}-${RELEASE.platform}`;

describe('the comparison of Node with what the Node project publishes', () => {
  const folder = useFolder('node-origin');
  let server: Server;
  let mirror: string;
  /** Answers of the stand-in for nodejs.org by path. A path without an answer is a 404. */
  const answers = new Map<string, string | Buffer>();

  before(async () => {
    server = createServer((request, response) => {
      const answer = answers.get(request.url ?? '');
      response.writeHead(answer === undefined ? 404 : 200).end(answer ?? '');
    });
    mirror = `http://127.0.0.1:${await listen(server)}/dist`;
  });

  after(() => void server.close());

  beforeEach(() => {
    mkdirSync(join(folder, NAME, 'bin'), { recursive: true });
    writeFileSync(join(folder, NAME, 'bin/node'), 'the published program');
    execFileSync('tar', ['-czf', 'node.tar.gz', NAME], { cwd: folder });
    const archive = readFileSync(join(folder, 'node.tar.gz'));
    writeFileSync(join(folder, 'other'), 'another program');
    const sum = createHash('sha256').update(archive).digest('hex');
    const sums = `${'0'.repeat(64)}  ${NAME}.tar.xz\n${sum}  ${NAME}.tar.gz\n`;
    answers.clear();
    answers.set(`/dist/${RELEASE.version}/SHASUMS256.txt`, sums);
    answers.set(`/dist/${RELEASE.version}/${NAME}.tar.gz`, archive);
  });

  const compare = (program: string, at = mirror) =>
    originOf(join(folder, program), RELEASE, at).catch(({ message }: Error) => message);

  it('the program of the published archive is recognised', async () => {
    expect(await compare(`${NAME}/bin/node`)).to.include('is the program that the Node project publishes');
  });

  it('another program is found out', async () => {
    expect(await compare('other')).to.include('is not the program in');
  });

  it('an archive that does not have its published checksum is found out', async () => {
    answers.set(`/dist/${RELEASE.version}/SHASUMS256.txt`, `${'0'.repeat(64)}  ${NAME}.tar.gz\n`);
    expect(await compare(`${NAME}/bin/node`)).to.include('does not have the checksum');
  });

  it('a mirror that does not answer, or lacks the release, leaves the origin unknown and says why', async () => {
    expect(await compare(`${NAME}/bin/node`, 'http://127.0.0.1:1/dist'))
      .to.include('was not compared')
      .and.include('did not answer');
    answers.clear();
    expect(await compare(`${NAME}/bin/node`))
      .to.include('was not compared')
      .and.include('404');
  });
});
