import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { madeOnce, useReceiver, useService } from '../harness/fixtures.ts';
import { checkout } from '../harness/processes.ts';
import { createLink } from '../harness/service.ts';
import { createEndpoint, deliver, type Endpoint } from '../harness/webhooks.ts';

/** Rooms whose files the paths must name. The other rooms serve all requests alike. */
const ROOMS = /^(payment-links|webhooks)\//;

/** Files without a step of their own: each is a page of a few lines, which the file that calls it explains. */
const LEAVES = [
  'payment-links/api/card-number.ts',
  'payment-links/state/acts.ts',
  'payment-links/state/fields.ts',
  'webhooks/endpoints/service.ts',
  'webhooks/send/interim-replies.ts',
  'webhooks/send/networks.ts',
  'webhooks/send/node.ts',
];

const ARCHITECTURE = readFileSync(join(checkout, 'ARCHITECTURE.md'), 'utf8');

/** Returns the files that a section names, and those of its numbered steps. */
function filesNamed(title: string): { all: string[]; steps: string[] } {
  const section = ARCHITECTURE.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
  const paths = (text: string) => [...text.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path = '']) => path);
  const steps = [...section.matchAll(/^\d\. .*(?:\n {3}.*)*/gm)].flatMap(([step]) => paths(step));
  return { all: paths(section), steps };
}

/** Files of the numbered steps that another way passes, such as a notification or a failure, and tables without a function. */
const OTHER_WAYS = [
  'platform/jobs/heartbeat.ts',
  'platform/jobs/runner.ts',
  'webhooks/delivery/sweep.ts',
  'webhooks/delivery/record.ts',
];

describe('The paths of ARCHITECTURE.md', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const receiver = useReceiver();
  const session = new Session();
  let endpoint: Endpoint;

  before(async () => {
    endpoint = await createEndpoint(practice.test, receiver.url);
    // The first request of a process also loads what all later ones use.
    await deliver(service.deliverer(), endpoint.id);
    await cancel(await createLink(practice.test));
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  });

  after(() => session.disconnect());

  const cancel = ({ id }: { id: string }) => practice.test.post(`/api/v1/payment-links/${id}/cancel`);

  /** Returns the files of `src` of which a named function ran during the work. */
  async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ url, functions }) => {
      const named = functions.filter(({ functionName }) => functionName !== '');
      return url.startsWith('file:') && named.some(({ ranges: [range] }) => (range?.count ?? 0) > 0);
    });
    return ran.map(({ url }) => relative(join(checkout, 'src'), fileURLToPath(url)));
  }

  async function expectTrue(titles: readonly string[], work: () => Promise<unknown>): Promise<void> {
    const ran = await filesOf(work);
    const sections = titles.map(filesNamed);
    const named = sections.flatMap(({ all }) => all);
    const untold = ran.filter((path) => ROOMS.test(path) && !named.includes(path) && !LEAVES.includes(path));
    expect(untold, 'files that run, and that ARCHITECTURE.md does not name').to.deep.equal([]);
    const steps = sections[0]?.steps ?? [];
    expect(steps).to.not.deep.equal([]);
    const skipped = steps.filter((path) => !ran.includes(path) && !OTHER_WAYS.includes(path));
    expect(skipped, 'steps of which nothing runs').to.deep.equal([]);
  }

  it('a create passes the files that its path names, and no others', async () => {
    await expectTrue(['Path 1', 'Changes of a link'], () => createLink(practice.test));
  });

  it('a cancel passes the files that the changes of a link name, and no others', async () => {
    const link = await createLink(practice.test);
    await expectTrue(['Changes of a link', 'Path 1', 'Path 2'], () => cancel(link));
  });

  it('a delivery passes the files that its path names, and no others', async () => {
    const deliverer = service.deliverer();
    await expectTrue(['Path 2'], () => deliver(deliverer, endpoint.id));
    expect(receiver.received.length).to.be.above(0);
  });
});
