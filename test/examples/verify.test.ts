import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { isGenuine } from '../../examples/verify/typescript/verify.ts';
import { signatureHeader } from '../../src/webhooks/model/signature.ts';
import { leaveOut } from '../harness/leave-out.ts';

interface Vector {
  readonly name: string;
  readonly genuine: boolean;
  readonly secret: string;
  readonly now: number;
  readonly header: string;
  readonly body: string;
}

interface Language {
  readonly name: string;
  /** Commands that must be on the machine. The first argument prints the version. */
  readonly tool: readonly [command: string, versionArgument: string];
  /** Makes the program, if there is anything to make. */
  readonly build?: (outDirectory: string) => readonly string[];
  readonly run: (outDirectory: string) => readonly string[];
  /**
   * Command that judges all vectors in one process, for languages that start slowly. It reads a line per vector: secret,
   * header and body in base64, and the time. It writes a line each, `true` or `false`.
   */
  readonly judge?: (outDirectory: string) => readonly string[];
}

/** Vectors that also go through the program of each example, one process each: two of either kind. */
const THROUGH_PROGRAM = 2;

const PYTHON = `
import base64, sys
sys.path.insert(0, sys.argv[1])
import verify
for line in sys.stdin:
    secret, header, now, body = line.split(' ')
    text = lambda part: base64.b64decode(part).decode('utf-8', 'surrogateescape')
    print(str(verify.is_genuine(text(secret), text(header), base64.b64decode(body), float(now))).lower())`;

const JAVA = `
import java.io.*; import java.nio.charset.StandardCharsets; import java.time.Instant; import java.util.Base64;
public final class Judge {
    private static byte[] bytes(String part) { return Base64.getDecoder().decode(part); }
    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split(" ", -1);
            String secret = new String(bytes(parts[0]), StandardCharsets.UTF_8);
            String header = new String(bytes(parts[1]), StandardCharsets.UTF_8);
            Instant now = Instant.ofEpochSecond(Long.parseLong(parts[2]));
            System.out.println(WebhookVerifier.isGenuine(secret, header, bytes(parts[3]), now));
        }
    }
}`;

const examples = fileURLToPath(new URL('../../examples/verify/', import.meta.url));
const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(join(examples, 'vectors.json'), 'utf8'));

const languages: Language[] = [
  {
    name: 'TypeScript',
    tool: [process.execPath, '--version'],
    run: () => [process.execPath, join(examples, 'typescript/verify.ts')],
    // The module itself is judged above, within this process.
    judge: () => [],
  },
  {
    name: 'Python',
    tool: ['python3', '--version'],
    run: () => ['python3', join(examples, 'python/verify.py')],
    judge: () => ['python3', '-c', PYTHON, join(examples, 'python')],
  },
  {
    name: 'Go',
    tool: ['go', 'version'],
    build: (out) => ['go', 'build', '-C', join(examples, 'go'), '-o', join(out, 'verify'), './cmd/verify'],
    run: (out) => [join(out, 'verify')],
  },
  {
    name: 'PHP',
    tool: ['php', '--version'],
    run: () => ['php', join(examples, 'php/verify.php')],
  },
  {
    name: 'Ruby',
    tool: ['ruby', '--version'],
    run: () => ['ruby', join(examples, 'ruby/verify.rb')],
  },
  {
    name: 'Java',
    tool: ['javac', '-version'],
    build: (out) => {
      writeFileSync(join(out, 'Judge.java'), JAVA);
      return ['javac', '-d', out, join(examples, 'java/WebhookVerifier.java'), join(out, 'Judge.java')];
    },
    // The quick compiler alone: these processes live for a tenth of a second.
    run: (out) => ['java', '-XX:TieredStopAtLevel=1', '-cp', out, 'WebhookVerifier'],
    judge: (out) => ['java', '-XX:TieredStopAtLevel=1', '-cp', out, 'Judge'],
  },
];

// No toolchain may be fetched from the network because of a version in go.mod.
const environment = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod -buildvcs=false', LC_ALL: 'C.UTF-8' };

async function exitStatus(command: readonly string[], vector: Vector): Promise<number | null> {
  const [program = '', ...prefix] = command;
  const args = [...prefix, vector.secret, vector.header, String(vector.now)];
  const child = spawn(program, args, { env: environment, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(vector.body);
  await once(child, 'close');
  return child.exitCode;
}

/** Returns the verdicts of one process on all vectors, in their order. */
function verdictsOf([program = '', ...args]: readonly string[]): string[] {
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const input = vectors.map(({ secret, header, now, body }) =>
    [encoded(secret), encoded(header), now, encoded(body)].join(' '),
  );
  const { stdout, stderr, status } = spawnSync(program, args, {
    env: environment,
    input: `${input.join('\n')}\n`,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n');
}

describe('published signature vectors', () => {
  it('published signature vectors get the documented verdict from the imported TypeScript module', () => {
    for (const { name, genuine, secret, now, header, body } of vectors) {
      expect(isGenuine(secret, header, Buffer.from(body), now), name).to.equal(genuine);
    }
  });

  it('published signature vectors include what the service sends, with one secret and with two', () => {
    for (const name of ['valid', 'valid, text beyond ASCII in the body']) {
      const vector = vectors.find((candidate) => candidate.name === name);
      if (!vector) throw new Error(`no vector "${name}"`);
      const { secret, header, now, body } = vector;
      expect(signatureHeader({ secrets: [secret], timestampSeconds: now, payload: body })).to.equal(header);
      const rotated = signatureHeader({ secrets: ['whsec_new', secret], timestampSeconds: now, payload: body });
      expect(isGenuine(secret, rotated, Buffer.from(body), now)).to.equal(true);
      expect(isGenuine('whsec_new', rotated, Buffer.from(body), now)).to.equal(true);
    }
  });
});

describe('the snippet of the contract', () => {
  it('the snippet of the contract agrees with the vectors', async () => {
    const { tags } = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));
    const texts: string[] = tags.map(({ description }: { description: string }) => description);
    const [, snippet = ''] = /```js\n(.*?)```/s.exec(texts.join('\n')) ?? [];
    const { isAuthentic } = await import(`data:text/javascript,${encodeURIComponent(snippet)}`);
    const judged = vectors.map(({ name, header, secret, now, body }) => [
      name,
      isAuthentic(Buffer.from(body), header, secret, now),
    ]);
    expect(judged).to.deep.equal(vectors.map(({ name, genuine }) => [name, genuine]));
    expect(isAuthentic(Buffer.from('{}'), undefined, 'whsec_x'), 'no header').to.equal(false);
  });
});

describe('verification example', () => {
  let out: string;

  before(() => {
    out = mkdtempSync(join(tmpdir(), 'verify-'));
  });

  after(() => rmSync(out, { recursive: true, force: true }));

  for (const { name, tool, build, run, judge } of languages) {
    const isHere = spawnSync(tool[0], [tool[1]], { stdio: 'ignore' }).status === 0;
    it(`the module in ${name} agrees with the vectors`, async function () {
      if (!isHere) leaveOut(this, `no ${tool[0]} on this machine`);
      const [compiler, ...args] = build?.(out) ?? [];
      if (compiler !== undefined) {
        const built = spawnSync(compiler, args, { env: environment, encoding: 'utf8' });
        expect(built.status, built.stderr).to.equal(0);
      }
      const disagreements: string[] = [];
      const [program, ...judged] = judge?.(out) ?? [];
      if (program !== undefined) {
        const verdicts = verdictsOf([program, ...judged]);
        vectors.forEach(({ name, genuine }, index) => {
          if (verdicts[index] !== String(genuine)) disagreements.push(`${name}: ${verdicts[index]}`);
        });
      }
      const ofKind = (kind: boolean) => vectors.filter(({ genuine }) => genuine === kind).slice(0, THROUGH_PROGRAM);
      const chosen = judge === undefined ? vectors : [...ofKind(true), ...ofKind(false)];
      for (const vector of chosen) {
        const status = await exitStatus(run(out), vector);
        if (status !== (vector.genuine ? 0 : 1)) disagreements.push(`${vector.name}: exit status ${status}`);
      }
      expect(disagreements).to.deep.equal([]);
    });
  }
});
