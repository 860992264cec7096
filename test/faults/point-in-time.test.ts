import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { postgresMajor } from '../../scripts/postgres-major.ts';
import type { Examination } from '../../scripts/trial/checker.ts';
import { examine } from '../../scripts/trial/checker.ts';
import { untilDrained } from '../../scripts/trial/drained.ts';
import type { Query } from '../../scripts/trial/evidence.ts';
import { startLoad } from '../../scripts/trial/load.ts';
import { FAST_DELIVERY, freePorts, serviceEnvironment } from '../../scripts/trial/process.ts';
import { ProcessGroup } from '../../scripts/trial/process-group.ts';
import { createRandom } from '../../scripts/trial/random.ts';
import { type Receivers, startReceivers } from '../../scripts/trial/receivers.ts';
import { type ChaosPractice, createEndpoints, createPractices, queryOn } from '../../scripts/trial/setup.ts';
import { checkStoredData } from '../../scripts/trial/stored-data.ts';
import { createLogger } from '../../src/base/log/log.ts';
import { migrate } from '../../src/database/migrate.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/server.ts';
import { newScratchFolder } from '../harness/scratch.ts';
import { ArchivedServer } from './archived-server.ts';

/** Practices of the run: fast, late and flaky receivers, each with two endpoints. */
const PRACTICES = 3;
const ENDPOINTS = 2;

const RANDOM = createRandom(1);

/** A link that is confirmed this much after the chosen moment was committed after it, too. */
const WELL_AFTER_MS = 500;

describe('a database restored to a moment', function () {
  this.timeout(150_000);
  const folders: string[] = [];
  const servers: EmbeddedPostgres[] = [];
  let practices: ChaosPractice[];
  let secrets: Map<string, string>;
  let receivers: Receivers;
  let query: Query;
  let storedAtStart: string[];
  let examination: Examination;
  /** Links that callers knew at the moment, with the status of their last answer. */
  let confirmedBefore: Map<string, string>;
  /** Links that callers knew only after it. */
  let confirmedAfter: string[];
  let confirmedAfterRestore: Map<string, string>;
  /** Events that receivers accepted before the primary was lost. */
  let acceptedBefore: Set<string>;
  let overdue: string[];

  const newFolder = (prefix: string) => {
    const folder = newScratchFolder(prefix);
    folders.push(folder);
    return folder;
  };

  before(async () => {
    receivers = await startReceivers(RANDOM);
    const primary = await startEmbeddedPostgres({
      directory: newFolder('primary'),
      durable: false,
      major: postgresMajor,
    });
    servers.push(primary);
    const archived = await ArchivedServer.prepare(primary, newFolder('archive'), newFolder('base-backup'));
    const moment = await liveUntilLoss(primary, archived);
    const restored = await archived.restore(newFolder('restored'), moment);
    servers.push(restored);
    query = queryOn(restored.url);
    storedAtStart = checkStoredData(restored.url);
    await goOn(restored);
  });

  after(async () => {
    await receivers?.close();
    for (const server of servers) await server.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** The first life: load with a base backup under it, a moment, more load, and the loss. Returns the moment. */
  async function liveUntilLoss(primary: EmbeddedPostgres, archived: ArchivedServer): Promise<string> {
    await migrate(primary.url, createLogger('silent'));
    const ports = await freePorts(1, RANDOM);
    const processes = groupOn(primary.url, ports);
    try {
      practices = (await createPractices(primary.url)).slice(0, PRACTICES);
      await processes.untilUp(60_000);
      secrets = await createEndpoints(ports[0] ?? 0, practices, receivers, ENDPOINTS);
      const load = startLoad({ ports, practices, links: 100_000, spreadMs: 10_000_000, random: RANDOM });
      await untilSize(load.confirmed, 15);
      await archived.takeBaseBackup();
      await untilSize(load.confirmed, load.confirmed.size + 15);
      confirmedBefore = new Map(load.confirmed);
      const moment = await archived.now();
      await pause(WELL_AFTER_MS);
      const known = new Set(load.confirmed.keys());
      await untilSize(load.confirmed, load.confirmed.size + 15);
      confirmedAfter = [...load.confirmed.keys()].filter((id) => !known.has(id));
      expect(load.wrongAnswers).to.deep.equal([]);
      await archived.archiveAll();
      load.stop();
      return moment;
    } finally {
      await processes.abandon();
      acceptedBefore = acceptedEvents();
      await primary.stop();
    }
  }

  /** The second life, on the restored server. */
  async function goOn({ url }: EmbeddedPostgres): Promise<void> {
    const ports = await freePorts(1, RANDOM);
    const processes = groupOn(url, ports);
    try {
      await processes.untilUp(60_000);
      const load = startLoad({ ports, practices, links: 20, spreadMs: 2_000, random: RANDOM });
      await load.done;
      ({ overdue } = await untilDrained(query, () => undefined));
      await processes.stop(20_000);
      expect([...load.wrongAnswers, ...processes.unexpectedEnds]).to.deep.equal([]);
      confirmedAfterRestore = load.confirmed;
    } finally {
      await processes.abandon();
    }
    const known = await eventsOf(query);
    examination = await examine(query, {
      // Receivers also have events of the lost time. The restored database does not know them.
      arrivals: receivers.arrivals.filter(({ eventId }) => known.has(eventId)),
      confirmed: new Map([...confirmedBefore, ...confirmedAfterRestore]),
      timeoutMs: Number(FAST_DELIVERY.WEBHOOK_TIMEOUT_MS),
      secrets,
    });
  }

  function groupOn(url: string, ports: number[]): ProcessGroup {
    return new ProcessGroup({ env: serviceEnvironment(url), directory: newFolder('logs'), ports, workers: 1 });
  }

  const acceptedEvents = () =>
    new Set(
      receivers.arrivals.filter(({ answered }) => answered !== null && answered < 300).map(({ eventId }) => eventId),
    );

  it('paylinks check finds nothing in a restored database, before any process has started on it', () => {
    expect(storedAtStart).to.deep.equal([]);
  });

  it('a restored database has every link that was confirmed before the moment, and none that came well after it', async () => {
    const rows = await query<{ id: string }>('select id from payment_links where id = any ($1)', [
      [...confirmedBefore.keys(), ...confirmedAfter],
    ]);
    expect(rows.map(({ id }) => id)).to.have.members([...confirmedBefore.keys()]);
    expect(confirmedAfter).to.have.length.above(10);
  });

  it('the service goes on with a restored database: links are created and paid, and every rule of the chaos runs holds', () => {
    expect(confirmedAfterRestore.size).to.equal(20);
    expect(examination.results.filter(({ broken }) => broken.length > 0)).to.deep.equal([]);
    expect(overdue).to.deep.equal([]);
  });

  it('receivers miss no event of a restored database, and events that they have twice are the same, byte for byte', async () => {
    const known = await eventsOf(query);
    const accepted = acceptedEvents();
    const missing = [...known].filter((id) => !accepted.has(id));
    expect(missing).to.deep.equal([]);
    const before = [...acceptedBefore].filter((id) => known.has(id));
    expect(before, 'the first life delivered some of them').to.have.length.above(10);
    const bodies = new Map<string, Set<string>>();
    for (const { eventId, body } of receivers.arrivals) {
      if (body !== null) bodies.set(eventId, (bodies.get(eventId) ?? new Set()).add(body));
    }
    expect([...bodies.values()].filter((all) => all.size > 1)).to.deep.equal([]);
  });
});

/** Ids of all events in the database; each was committed with its delivery. */
async function eventsOf(query: Query): Promise<Set<string>> {
  return new Set((await query<{ id: string }>('select id from webhook_deliveries')).map(({ id }) => id));
}

/** Resolves when the collection has that many entries. */
async function untilSize(collection: { readonly size: number }, size: number): Promise<void> {
  const deadlineMs = performance.now() + 60_000;
  while (collection.size < size) {
    if (performance.now() > deadlineMs) throw new Error(`${collection.size} of ${size} after a minute`);
    await pause(20);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
