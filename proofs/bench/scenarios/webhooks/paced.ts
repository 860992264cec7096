import { type SeededLink, seedActiveLinks } from '../../seed/changes.ts';
import { seedEndpoints, seedPractices } from '../../seed/seed.ts';
import type { Stage } from '../../stage.ts';
import { drainScene } from './drain.ts';

/** Databases, processes and practices of a steady stream of events, which cancels through an API make. */
export type PacedStage = Awaited<ReturnType<typeof pacedStage>>;

export type PacedResult = Awaited<ReturnType<typeof cancelPaced>>;

export const PER_SECOND = 200;
export const ENDPOINTS = 100;
/** Time that the last events may be under way. */
const GRACE_MS = 15_000;

/** A hundred practices with an endpoint each, and one more whose endpoint is slow; an API and a worker for all of them. */
export async function pacedStage(stage: Stage) {
  const { scene, practices, receiver, port } = await drainScene(stage, ENDPOINTS);
  const slowPractices = await seedPractices(scene.admin, { practices: 1, locationsEach: 1, keysEach: 0 });
  // It takes ten seconds to answer, and has no events of its own but those that are seeded.
  const slow = await seedEndpoints(scene.admin, slowPractices, [`http://127.0.0.1:${port}/after/10000/slow`]);
  const [worker, serve] = [await stage.start('worker', scene), await stage.start('serve', scene)];
  return { scene, receiver, practices, slow, worker, serve, load: stage.helper('load') };
}

/** Requests under way at once, at most; more would only wait inside the service. */
const CONNECTIONS = 32;

/** Makes the links that a stream cancels in this time. */
export function linksFor({ scene, practices }: PacedStage, forMs: number, perSecond = PER_SECOND) {
  return seedActiveLinks(scene.admin, practices, Math.floor((perSecond * forMs) / 1000));
}

/** Returns the requests that cancel the links. */
export function cancelRequests(links: readonly SeededLink[]) {
  return links.map(({ id, practice }) => ({
    method: 'POST' as const,
    path: `/api/v1/payment-links/${id}/cancel`,
    headers: { Authorization: `Bearer ${practice.keys[0]}` },
  }));
}

/** Cancels links at a steady rate through the API and waits for all receipts. */
export async function cancelPaced(
  { receiver, load, serve }: PacedStage,
  links: readonly SeededLink[],
  perSecond = PER_SECOND,
) {
  await receiver.call('reset', null);
  const requests = cancelRequests(links);
  const how = { port: serve.port, perSecond, connections: CONNECTIONS, expectStatus: 200 };
  const answered = await load.call('putPacedLoad', { ...how, requests });
  // The service had too much to do.
  const refused = answered.filter(({ isRefused }) => isRefused).length;
  await receiver.call('awaitCount', { count: links.length - refused, withinMs: GRACE_MS });
  const { times, duplicates } = await receiver.call('receipts', null);
  const receipts = links.map(({ id }) => times.get(id));
  // From the time at which the request was due, in the order of the requests.
  const latencies = answered.flatMap(({ startedMs }, at) => {
    const receivedMs = receipts[at];
    return receivedMs === undefined ? [] : [receivedMs - startedMs];
  });
  if (latencies.length === 0) throw new Error('not one event arrived');
  const lastMs = Math.max(...receipts.map((receivedMs) => receivedMs ?? 0));
  return {
    latencies,
    answers: answered.map(({ startedMs, answeredMs }) => answeredMs - startedMs),
    missing: links.length - refused - latencies.length,
    refused,
    duplicates,
    seconds: (lastMs - (answered[0]?.startedMs ?? 0)) / 1000,
  };
}
