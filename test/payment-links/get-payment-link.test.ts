import { expect } from 'chai';
import { createLinkForOffice } from '../../src/payment-links/api/create.ts';
import { parseLinkInput } from '../../src/payment-links/api/input.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';

const PATH = '/api/v1/payment-links';

describe('getPaymentLink', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  describe('200', () => {
    it('a read returns the same resource as the create', async () => {
      for (const client of [practice.test, practice.live]) {
        const link = await createLink(client, { metadata: { z: '1', a: '2' }, externalReference: 'x' });
        const reply = await client.get(`${PATH}/${link.id}`);
        expect(reply.text).to.equal(JSON.stringify(link));
      }
    });

    it('an overdue link is expired from the millisecond of its expiry on, even before the sweep ran', async () => {
      const expiresAt = new Date(service.clock.now().getTime() + 1000).toISOString();
      const link = await createLink(practice.test, { expiresAt });
      service.clock.advance({ ms: 999 });
      expect((await practice.test.get(`${PATH}/${link.id}`)).body.status).to.equal('active');
      service.clock.advance({ ms: 1 });
      expect((await practice.test.get(`${PATH}/${link.id}`)).body).to.deep.equal({ ...link, status: 'expired' });
      const rows = await service.query('select status from payment_links where id = $1', [link.id]);
      expect(rows, 'reading writes nothing').to.deep.equal([{ status: 'active' }]);
    });

    it('a simulated payment appears in status and paidAt, never in transaction', async () => {
      for (const simulated of ['paid', 'processing', 'processing_then_paid', 'failed']) {
        const link = await createLink(practice.test);
        await practice.test.post(`${PATH}/${link.id}/simulate`, { outcome: simulated });
        const { body } = await practice.test.get(`${PATH}/${link.id}`);
        expect(body).to.deep.equal({ ...link, status: 'paid', paidAt: service.clock.now().toISOString() });
      }
    });

    it('a read shows links of the office and the website with their source', async () => {
      for (const source of ['staff', 'website'] as const) {
        const input = parseLinkInput({ amount: 5, description: 'Visit', patient: { firstName: 'A', lastName: 'B' } });
        const made = await createLinkForOffice(
          service.scope(),
          { id: practice.practiceId, test: false },
          source,
          input,
        );
        const { body } = await practice.live.get(`${PATH}/${made.id}`);
        expect(body).to.deep.equal(made);
        expect(body.source).to.equal(source);
      }
    });

    it('a key pinned to the link’s location can read it with read access alone', async () => {
      const { practiceId, locationId, test } = practice;
      const link = await createLink(test);
      const client = await service.key({ practiceId, test: true, locationId, scopes: ['payment_links:read'] });
      expect((await client.get(`${PATH}/${link.id}`)).status).to.equal(200);
    });
  });
});
