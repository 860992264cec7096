import { expect } from 'chai';
import { createLogger } from '../../src/base/log/log.ts';
import { createOrm } from '../../src/processes/shared.ts';
import { listVisibleDeliveries } from '../../src/webhooks/events/deliveries.ts';
import { DatabaseProxy } from '../faults/database-proxy.ts';
import { useService } from '../harness/fixtures.ts';
import { createEndpoint, ping } from '../harness/webhooks.ts';

describe('a list of deliveries that is read while old ones are deleted', () => {
  const service = useService();
  let proxy: DatabaseProxy;

  before(async () => {
    proxy = await new DatabaseProxy(service.config.databaseUrl).start();
  });

  after(() => proxy.close());

  it('a list of deliveries has more list pages as long as older deliveries are left', async () => {
    const { practiceId, test } = await service.practice();
    const endpoint = await createEndpoint(test, 'http://127.0.0.1:9/');
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.unshift((await ping(test, endpoint.id)).id);
    const orm = createOrm(proxy.url, createLogger('silent'), 1);
    try {
      const caller = { apiKeyId: 'key_x', practiceId, test: true, scopes: [], locationId: null };
      const scope = { ...service.scope(), em: orm.em.fork(), caller };
      // The first statement finds the ids, the second reads their rows.
      const isReadingRows = proxy.stopBefore(/"webhook_deliveries"[\s\S]*"id" in \(/);
      const listing = listVisibleDeliveries(scope, {}, { page: 1, pageSize: 2 });
      await isReadingRows;
      await service.query('delete from webhook_deliveries where id = any ($1)', [ids.slice(1, 4)]);
      proxy.release();
      const { data, hasMore, totalCount } = await listing;
      expect(data.map(({ id }) => id)).to.deep.equal(ids.slice(0, 1));
      expect([hasMore, totalCount]).to.deep.equal([true, 5]);
    } finally {
      await orm.close();
    }
  });
});
