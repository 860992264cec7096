import { expect } from 'chai';
import { expireDueLinks } from '../../src/payment-links/upkeep/expire-links.ts';
import { deactivateLocation } from '../../src/practices/service.ts';
import type { Client } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink } from '../harness/service.ts';

const PATH = '/api/v1/payment-links';

describe('listPaymentLinks', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let eastside: string;

  before(async () => {
    eastside = await service.location(practice.practiceId, 'Eastside');
  });

  async function ids(client: Client, query = ''): Promise<string[]> {
    const reply = await client.get(`${PATH}?pageSize=100&${query}`);
    expect(outcome(reply), query).to.equal('200');
    expect(reply.body.totalCount, 'the count goes with the filter').to.equal(reply.body.data.length);
    return reply.body.data.map(({ id }: { id: string }) => id);
  }

  describe('200', () => {
    it('a practice without links gets an empty list', async () => {
      const { test } = await service.practice();
      expect((await test.get(PATH)).body).to.deep.equal({
        object: 'list',
        data: [],
        page: 1,
        pageSize: 50,
        totalCount: 0,
        hasMore: false,
      });
    });

    it('a list shows the same resources as a read', async () => {
      const { test } = await service.practice();
      const link = await createLink(test, { metadata: { a: 'b' } });
      const { data } = (await test.get(PATH)).body;
      expect(data).to.deep.equal([(await test.get(`${PATH}/${link.id}`)).body]);
    });

    it('links are listed newest first, those of one moment in the reverse order of their creation', async () => {
      const { test } = await service.practice();
      const made: string[] = [];
      for (const ms of [0, 0, 0, 0, 0, 0, 1, 0, 1000]) {
        service.clock.advance({ ms });
        made.unshift((await createLink(test)).id);
      }
      expect(await ids(test)).to.deep.equal(made);
    });

    it('test keys see test links, live keys see live links, and no key sees links of other practices', async () => {
      const { test, live } = await service.practice();
      const own = { test: (await createLink(test)).id, live: (await createLink(live)).id };
      expect(await ids(test)).to.deep.equal([own.test]);
      expect(await ids(live)).to.deep.equal([own.live]);
    });

    it('paging returns every link exactly once', async () => {
      const { test } = await service.practice();
      const made: string[] = [];
      for (let index = 0; index < 7; index++) made.unshift((await createLink(test)).id);
      const seen: string[] = [];
      for (const [page, count, hasMore] of [
        [1, 3, true],
        [2, 3, true],
        [3, 1, false],
        [4, 0, false],
      ] as const) {
        const { body } = await test.get(`${PATH}?page=${page}&pageSize=3`);
        expect([body.page, body.pageSize, body.totalCount, body.hasMore]).to.deep.equal([page, 3, 7, hasMore]);
        expect(body.data).to.have.length(count);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
      }
      expect(seen).to.deep.equal(made);
      expect((await test.get(`${PATH}?pageSize=7`)).body.hasMore, 'exactly a page').to.equal(false);
      expect((await test.get(`${PATH}?page=1000000000&pageSize=100`)).body.data).to.deep.equal([]);
    });

    it('a list page has 50 links by default, and 100 at most', async () => {
      const { test } = await service.practice();
      for (let batch = 0; batch < 4; batch++) {
        await Promise.all(Array.from({ length: batch === 3 ? 1 : 50 }, () => createLink(test)));
        if (batch === 1)
          expect((await test.get(PATH)).body).to.include({ totalCount: 100, hasMore: true, pageSize: 50 });
      }
      const { body } = await test.get(`${PATH}?pageSize=100`);
      expect([body.data.length, body.totalCount, body.hasMore]).to.deep.equal([100, 151, true]);
    });

    it('an overdue link is listed as expired at once, even before the sweep ran', async () => {
      const { test } = await service.practice();
      const soon = await createLink(test, { expiresAt: new Date(service.clock.now().getTime() + 1000).toISOString() });
      expect(await ids(test, 'status=active')).to.deep.equal([soon.id]);
      service.clock.advance({ ms: 999 });
      expect(await ids(test, 'status=active')).to.deep.equal([soon.id]);
      service.clock.advance({ ms: 1 });
      expect(await ids(test, 'status=active')).to.deep.equal([]);
      expect(await ids(test, 'status=expired')).to.deep.equal([soon.id]);
      expect((await test.get(PATH)).body.data[0].status).to.equal('expired');
      await expireDueLinks(() => service.scope());
      expect(await ids(test, 'status=expired')).to.deep.equal([soon.id]);
    });

    it('a link past its expiry with an open attempt is active, in its list page and in every total', async () => {
      const own = await service.practice();
      const payments = new Payments(service);
      const expiresAt = new Date(service.clock.now().getTime() + 60_000).toISOString();
      const link = await payments.link(own, { expiresAt });
      expect(await payments.pay(link, 'card_challenge')).to.equal('requires_action');
      service.clock.advance({ minutes: 2 });
      const since = encodeURIComponent(new Date(service.clock.now().getTime() - 3_600_000).toISOString());
      for (const more of ['', `&locationId=${own.locationId}`, `&createdAfter=${since}`]) {
        expect(await ids(own.live, `status=active${more}`), more).to.deep.equal([link.id]);
        expect(await ids(own.live, `status=expired${more}`), more).to.deep.equal([]);
      }
    });

    it('paidAfter with another status than paid finds and counts nothing', async () => {
      const { test } = await service.practice();
      const paidAfter = encodeURIComponent(service.clock.now().toISOString());
      const paid = await createLink(test);
      await test.post(`${PATH}/${paid.id}/simulate`, { outcome: 'paid' });
      await test.post(`${PATH}/${(await createLink(test)).id}/cancel`);
      await createLink(test);
      expect(await ids(test, `paidAfter=${paidAfter}`)).to.deep.equal([paid.id]);
      expect(await ids(test, `paidAfter=${paidAfter}&status=paid`)).to.deep.equal([paid.id]);
      for (const status of ['active', 'cancelled', 'expired']) {
        expect(await ids(test, `paidAfter=${paidAfter}&status=${status}`), status).to.deep.equal([]);
      }
    });

    it('a link whose row an operator deleted is in no total', async () => {
      const { test } = await service.practice();
      const [gone, left] = [await createLink(test), await createLink(test)];
      await service.query('delete from payment_links where id = $1', [gone.id]);
      expect(await ids(test)).to.deep.equal([left.id]);
      expect(await ids(test, 'status=active')).to.deep.equal([left.id]);
    });

    it('links of a closed location are still listed, with its name', async () => {
      const own = await service.practice();
      const link = await createLink(own.test);
      await deactivateLocation(service.scope(), own.locationId);
      expect(await ids(own.test, `locationId=${own.locationId}`)).to.deep.equal([link.id]);
      expect((await own.test.get(PATH)).body.data[0].location.name).to.equal('Downtown');
    });

    it('an unknown or foreign location, and one outside the pin, give an empty list', async () => {
      await createLink(practice.test, { locationId: eastside });
      const { practiceId, locationId } = practice;
      const pinned = await service.key({ practiceId, test: true, locationId });
      expect(await ids(pinned, `locationId=${eastside}`)).to.deep.equal([]);
      expect(await ids(practice.test, 'locationId=loc_x')).to.deep.equal([]);
      expect(await ids(practice.test, 'locationId=')).to.deep.equal([]);
      const foreign = await service.practice();
      await createLink(foreign.test);
      expect(await ids(practice.test, `locationId=${foreign.locationId}`)).to.deep.equal([]);
    });

    it('externalReference matches every character exactly', async () => {
      const { test } = await service.practice();
      const references = ['a', 'A', 'a ', 'ab', '%', '_', 'ä', 'a+b', 'a b', '🦷', "a'b", 'a&b=c', 'null'];
      const made = new Map<string, string>();
      for (const reference of references) {
        made.set(reference, (await createLink(test, { externalReference: reference })).id);
      }
      for (const [reference, id] of made) {
        expect(await ids(test, `externalReference=${encodeURIComponent(reference)}`), reference).to.deep.equal([id]);
      }
      expect(await ids(test, 'externalReference=a+b'), 'a plus is a blank').to.deep.equal([made.get('a b')]);
    });

    it('times may have any zone and fraction, from the first year to the last', async () => {
      const { test } = await service.practice();
      const link = await createLink(test);
      for (const [query, found] of [
        ['createdAfter=0001-01-01T00:00:00Z', true],
        ['createdAfter=1969-12-31T23:59:59.999999999Z', true],
        ['createdAfter=9999-12-31T23:59:59Z', false],
        ['createdBefore=9999-12-31T23:59:59Z', true],
        ['createdBefore=0001-01-01T00:00:00Z', false],
        [`createdAfter=${link.createdAt.replace('Z', '%2B00:00')}`, true],
        [`createdAfter=${link.createdAt.replace('Z', '%2B00:01')}`, true],
        [`createdAfter=${link.createdAt.replace('Z', '-00:01')}`, false],
        // As SDKs write them.
        [`createdAfter=${link.createdAt.replace('T', '+').replace('Z', '++0000')}`, true],
        [`createdBefore=${link.createdAt.replace('T', '%20').replace('Z', '%20UTC')}`, false],
      ] as const) {
        expect(await ids(test, query), query).to.deep.equal(found ? [link.id] : []);
      }
    });

    it('times with a fraction of a millisecond count as that, though links have whole milliseconds', async () => {
      const { test } = await service.practice();
      const { id } = await createLink(test);
      await test.post(`${PATH}/${id}/simulate`, { outcome: 'paid' });
      const { createdAt, paidAt } = (await test.get(`${PATH}/${id}`)).body;
      for (const [fraction, isLater] of [
        ['000', false],
        ['001', true],
        ['9', true],
        ['000001', true],
      ] as const) {
        const later = (time: string) => time.replace('Z', `${fraction}Z`);
        const [after, before] = isLater ? [[], [id]] : [[id], []];
        expect(await ids(test, `createdAfter=${later(createdAt)}`), fraction).to.deep.equal(after);
        expect(await ids(test, `createdBefore=${later(createdAt)}`), fraction).to.deep.equal(before);
        expect(await ids(test, `paidAfter=${later(paidAt)}`), fraction).to.deep.equal(after);
      }
      expect(await ids(test, 'createdBefore=9999-12-31T23:59:59.9999Z')).to.deep.equal([id]);
    });
  });
});
