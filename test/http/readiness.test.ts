import { expect } from 'chai';
import { DatabaseScene } from '../faults/database-scene.ts';
import type { Client } from '../harness/client.ts';
import { until } from '../harness/processes.ts';

describe('GET /readyz', function () {
  this.timeout(60_000);
  let scene: DatabaseScene;

  before(async () => {
    scene = await DatabaseScene.set();
  });

  afterEach(() => scene.reset());

  after(() => scene.clear());

  const ready = async (client: Client): Promise<number> => {
    const response = await fetch(`${client.baseUrl}/readyz`);
    await response.body?.cancel();
    return response.status;
  };

  async function untilAnswering(client: Client, status: number, withinMs: number): Promise<void> {
    let seen: number | undefined;
    await until(
      async () => {
        seen = await ready(client);
        return seen === status;
      },
      () => `it answers ${seen}`,
      withinMs,
    );
  }

  it('GET /readyz asks the database about once a second, however often it is asked', async () => {
    const client = await scene.api();
    let queries = 0;
    scene.proxy.onStatement = (text) => {
      if (text.includes('select 1')) queries += 1;
    };
    const startedMs = performance.now();
    let asked = 0;
    while (performance.now() - startedMs < 2_000) {
      expect(await Promise.all(Array.from({ length: 20 }, () => ready(client)))).to.not.include(503);
      asked += 20;
    }
    expect(asked).to.be.greaterThan(100);
    expect(queries).to.be.within(1, 4);
  });

  it('GET /readyz reports a silent database and its return within two seconds, over one connection', async () => {
    const client = await scene.api();
    expect(await ready(client)).to.equal(200);
    scene.proxy.blackHole(true);
    await untilAnswering(client, 503, 3_000);
    const before = scene.proxy.accepted;
    const startedMs = performance.now();
    while (performance.now() - startedMs < 2_000) {
      expect(await Promise.all(Array.from({ length: 20 }, () => ready(client)))).to.not.include(200);
    }
    // Its own, one after the other, and those of the watch, which looks for the database's return.
    expect(scene.proxy.accepted - before, 'connections').to.be.at.most(8);
    scene.proxy.blackHole(false);
    await untilAnswering(client, 200, 3_000);
  });
});
