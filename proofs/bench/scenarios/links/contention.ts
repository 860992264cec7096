import { update } from '../../../../src/payment-links/decide/link-decision.ts';
import { createChange } from '../../../../src/payment-links/store/change.ts';
import { createGatheringStore, type SingleLinkStore } from '../../../../src/payment-links/store/gathered.ts';
import { postgres } from '../../../../src/payment-links/store/postgres.ts';
import { createBatcher } from '../../../../src/platform/database/query/batch.ts';
import { asOperator } from '../../../trial/setup.ts';
import type { Measured } from '../../figure.ts';
import { type Bench, measureBoth, repeat } from '../../scenario.ts';
import type { SeededLink } from '../../seed/changes.ts';
import { changeScene } from './change.ts';

const CHANGES = 50;
const FLOOR = `the same of ${CHANGES} links`;

/** Changes a link many times at the same moment, by the code of the API. Returns the number of stale tries. */
function countStale(url: string, { id }: SeededLink): Promise<number> {
  const store = createGatheringStore(postgres, createBatcher);
  let stale = 0;
  const counted: SingleLinkStore = {
    ...store,
    async write(scope, write) {
      const written = await store.write(scope, write);
      if (written.outcome === 'stale') stale++;
      return written;
    },
  };
  const change = createChange(counted);
  return asOperator(url, async (newScope) => {
    await Promise.all(
      Array.from({ length: CHANGES }, (_, index) =>
        change(newScope(), { id, viewer: null }, (draft) =>
          update(draft, { description: `Filling ${index}` }, new Date()),
        ),
      ),
    );
    return stale;
  });
}

/** Many changes of one link at the same moment. */
export async function contention(bench: Bench): Promise<Measured[]> {
  const { stage } = bench;
  const { scene, newLinks } = await changeScene(bench);
  const [{ port }, load] = [await stage.start('serve', scene), stage.helper('load')];
  const newLink = async () => {
    const [link] = await newLinks(false, 1);
    if (link === undefined) throw new Error('a link was asked for');
    return link;
  };
  /** Changes each of the links once, all at once. */
  const changeAll = async (links: readonly SeededLink[]) => {
    const requests = links.map(({ id, practice: { keys } }, index) => ({
      ...{ method: 'PATCH' as const, path: `/api/v1/payment-links/${id}`, body: `{"description":"Filling ${index}"}` },
      headers: { Authorization: `Bearer ${keys[0]}`, 'Content-Type': 'application/json' },
    }));
    const how = { port, requests, perSecond: 1_000_000, connections: CHANGES, expectStatus: 200 };
    const answers = await load.call('putPacedLoad', how);
    const lastMs = Math.max(...answers.map(({ answeredMs }) => answeredMs));
    const refused = answers.filter(({ isRefused }) => isRefused).length;
    return { ms: lastMs - (answers[0]?.startedMs ?? 0), refused };
  };
  const { service, floor } = await measureBoth(
    bench,
    `${CHANGES} changes`,
    async () => {
      const link = await newLink();
      return changeAll(Array.from({ length: CHANGES }, () => link));
    },
    async () => changeAll(await newLinks(false, CHANGES)),
  );
  const stale = await repeat(bench, 'stale tries', async () => countStale(scene.url, await newLink()));
  const name = `${CHANGES} changes of one link at once`;
  return [
    {
      ...{ name: `${name}: until all are answered`, unit: 'ms', repetitions: service.map(({ ms }) => ms) },
      floor: { what: FLOOR, repetitions: floor.map(({ ms }) => ms) },
    },
    { name: `${name}: 5xx`, unit: 'requests', repetitions: service.map(({ refused }) => refused) },
    { name: `${name}: stale tries per change`, unit: 'tries', repetitions: stale.map((tries) => tries / CHANGES) },
  ];
}
