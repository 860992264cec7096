import type { ServiceProcess } from '../../processes/service-process.ts';
import { seedActiveLinks } from '../../seed/changes.ts';
import { type SeededEndpoint, type SeededPractice, seedEndpoints } from '../../seed/seed.ts';
import type { Helpers, Scene, Stage } from '../../stage.ts';
import { drainScene } from './drain.ts';

/** Databases, processes and practices of a steady stream of events. */
export interface PacedStage {
  scene: Scene;
  receiver: Helpers['receiver'];
  publisher: Helpers['publisher'];
  practices: SeededPractice[];
  endpoints: SeededEndpoint[];
  /** Takes ten seconds to answer; has no events of its own but those that are seeded. */
  slow: SeededEndpoint[];
  worker: ServiceProcess;
}

/** Result of a stream. */
export interface PacedResult {
  /**
   * Milliseconds to the receipt, in the order of the events. They count from just before the commit. If a request makes
   * the event, they count from the time at which the request was due.
   */
  latencies: number[];
  /** Milliseconds to the answer of the requests that made the events; empty without requests. */
  answers: number[];
  missing: number;
  /** Events that were not made, because the database or the service had too much to do. */
  unpublished: number;
  duplicates: number;
}

export const PER_SECOND = 200;
export const ENDPOINTS = 100;
/** Time that the last events may be under way. */
const GRACE_MS = 15_000;

let sequences = 0;

/** A hundred practices with an endpoint each, and one more whose endpoint is slow; a worker for all of them. */
export async function pacedStage(stage: Stage): Promise<PacedStage> {
  const receiver = stage.helper('receiver');
  const port = await receiver.call('start', null);
  const { scene, practices, endpoints } = await drainScene(stage, port, ENDPOINTS);
  const { rows } = await scene.admin.query<{ id: string }>(
    `insert into practices (id, name, admin_email, payments_enabled, bank_debits_enabled, api_access_enabled, created_at)
     values ('prac_slow', 'Slow', 'a@b.example', true, true, true, now()) returning id`,
  );
  const slowPractices = rows.map(({ id }) => ({ id, locationIds: [], keys: [], testKeys: [] }));
  const slow = await seedEndpoints(scene.admin, slowPractices, [`http://127.0.0.1:${port}/after/10000/slow`]);
  const worker = await stage.start('worker', scene);
  return { scene, receiver, publisher: stage.helper('publisher'), practices, endpoints, slow, worker };
}

/** Publishes at a steady rate and waits for all receipts. */
export async function publishPaced(paced: PacedStage, databaseUrl: string, forMs: number): Promise<PacedResult> {
  const { receiver, publisher, practices } = paced;
  await receiver.call('reset', null);
  const firstSequence = sequences;
  const committed = await publisher.call('publishSteadily', {
    databaseUrl,
    practices: practices.map(({ id, locationIds }) => ({ id, locationId: locationIds[0] ?? '' })),
    perSecond: PER_SECOND,
    forMs,
    firstSequence,
  });
  sequences += Math.ceil((PER_SECOND * forMs) / 1000);
  await receiver.call('awaitCount', { count: committed.size, withinMs: GRACE_MS });
  const { times, duplicates } = await receiver.call('receipts', null);
  const latencies: number[] = [];
  let missing = 0;
  for (const [sequence, committedMs] of [...committed].sort(([a], [b]) => a - b)) {
    const receivedMs = times.get(sequence);
    if (receivedMs === undefined) missing++;
    else latencies.push(receivedMs - committedMs);
  }
  const unpublished = Math.floor((PER_SECOND * forMs) / 1000) - committed.size;
  if (latencies.length === 0) throw new Error('not one event arrived');
  return { latencies, answers: [], missing, unpublished, duplicates };
}

/** A stream whose events come from requests: an API beside the worker. */
export interface CancelStage extends PacedStage {
  load: Helpers['load'];
  serve: ServiceProcess;
}

/** The paced stage with an API, whose cancels make the events. */
export async function cancelStage(stage: Stage): Promise<CancelStage> {
  const paced = await pacedStage(stage);
  const serve = await stage.start('serve', paced.scene);
  return { ...paced, load: stage.helper('load'), serve };
}

/** Requests under way at once, at most; more would only wait inside the service. */
const CONNECTIONS = 32;

/** Cancels links at a steady rate through the API and waits for all receipts. */
export async function cancelPaced(
  { scene, receiver, practices, load, serve }: CancelStage,
  forMs: number,
  perSecond = PER_SECOND,
): Promise<PacedResult & { seconds: number }> {
  await receiver.call('reset', null);
  const links = await seedActiveLinks(scene.admin, practices, Math.floor((perSecond * forMs) / 1000));
  const requests = links.map(({ id, practice }) => ({
    method: 'POST' as const,
    path: `/api/v1/payment-links/${id}/cancel`,
    headers: { Authorization: `Bearer ${practice.keys[0]}` },
  }));
  const how = { port: serve.port, perSecond, connections: CONNECTIONS, expectStatus: 200 };
  const answered = await load.call('putPacedLoad', { ...how, requests });
  const refused = answered.filter(({ isRefused }) => isRefused).length;
  await receiver.call('awaitCount', { count: links.length - refused, withinMs: GRACE_MS });
  const { times, duplicates } = await receiver.call('receipts', null);
  const receipts = links.map(({ id }) => times.get(id));
  const latencies = answered.flatMap(({ startedMs }, at) => {
    const receivedMs = receipts[at];
    return receivedMs === undefined ? [] : [receivedMs - startedMs];
  });
  const lastMs = Math.max(...receipts.map((receivedMs) => receivedMs ?? 0));
  return {
    latencies,
    answers: answered.map(({ startedMs, answeredMs }) => answeredMs - startedMs),
    missing: links.length - refused - latencies.length,
    unpublished: refused,
    duplicates,
    seconds: (lastMs - (answered[0]?.startedMs ?? 0)) / 1000,
  };
}
