import { expect } from 'chai';
import { createPageService } from '../../src/payment-links/checkout/service.ts';
import { type ChangeLink, createChange, type Links } from '../../src/payment-links/store/change.ts';
import { createGatheringStore } from '../../src/payment-links/store/gathered.ts';
import { postgres } from '../../src/payment-links/store/postgres.ts';
import { createBatcher } from '../../src/platform/database/query/batch.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments, submission } from '../harness/payments.ts';
import type { TestPractice } from '../harness/service.ts';

function gatheredLinks(): Links {
  const store = createGatheringStore(postgres, createBatcher);
  return { store, change: createChange(store) };
}

describe('payments whose answers arrive together', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const neighbour = madeForEach(() => service.practice());
  const payments = new Payments(service);
  beforeEach(async () => {
    for (const { live } of [practice, neighbour])
      await live.post('/api/v1/webhook-endpoints', { url: 'https://127.0.0.1/hook' });
  });

  const patient = (externalId: string) => ({ firstName: 'Ana', lastName: 'Diaz', externalId });
  const linkOf = ({ live, ...rest }: TestPractice, externalId: string): Promise<PayableLink> =>
    payments.link({ live, ...rest }, { patient: patient(externalId) });

  /** Pays links. Each charge is answered when all have been made and `afterCharges` has ended. */
  async function payTogether(
    links: readonly PayableLink[],
    afterCharges: () => Promise<void> = async () => {},
    processes: readonly [Links, ...Links[]] = [gatheredLinks()],
  ) {
    const charged = Promise.withResolvers<void>();
    let made = 0;
    const together: Processor = {
      ...payments.sandbox,
      async confirm(charge, reference) {
        const snapshot = await payments.sandbox.confirm(charge, reference);
        made++;
        if (made === links.length) afterCharges().then(charged.resolve, charged.reject);
        await charged.promise;
        return snapshot;
      },
    };
    return Promise.all(
      links.map((link, index) => {
        const pages = createPageService(service.scope(), together, processes[index % processes.length] ?? processes[0]);
        return pages.submit(link.token, submission(link, 'card_success'));
      }),
    );
  }

  /** Returns status, transaction of the last write, patient record and open attempt of a link. */
  async function stored(link: PayableLink) {
    const [row] = await service.query<{ status: string; written: string; patient: string; open: string | null }>(
      `select status, xmin::text as written, patient_id as patient, open_attempt_id as open
       from payment_links where id = $1`,
      [link.id],
    );
    if (row === undefined) throw new Error('the link is not stored');
    return row;
  }

  it('payments share one transaction, and each pays its link, closes its attempt and queues its event', async () => {
    const links = [await linkOf(practice, 'a'), await linkOf(neighbour, 'b'), await linkOf(practice, 'c')];
    expect(await payTogether(links)).to.deep.equal(['accepted', 'accepted', 'accepted']);
    const rows = await Promise.all(links.map(stored));
    expect(new Set(rows.map(({ written }) => written)).size).to.equal(1);
    for (const [index, link] of links.entries()) {
      expect([rows[index]?.status, rows[index]?.open]).to.deep.equal(['paid', null]);
      expect([await payments.events(link), await payments.charges(link)]).to.deep.equal([['paid'], 1]);
      expect(
        await service.query('select status, reconcile_at from payment_attempts where payment_link_id = $1', [link.id]),
      ).to.deep.equal([{ status: 'accepted', reconcile_at: null }]);
    }
  });

  it('payments make one patient record for a new patient, and another one in another practice', async () => {
    const links = [await linkOf(practice, 'same'), await linkOf(neighbour, 'same'), await linkOf(practice, 'same')];
    await payTogether(links);
    const [one, other, two] = (await Promise.all(links.map(stored))).map(({ patient }) => patient);
    expect(one).to.be.a('string').and.to.equal(two);
    expect(other).to.be.a('string').and.to.not.equal(one);
  });

  it('payments of other practices wait for no locked link, however many payments wait already', async () => {
    const locked = await Promise.all(['a', 'b', 'c', 'd'].map((name) => linkOf(practice, name)));
    const free = await Promise.all(['e', 'f'].map((name) => linkOf(neighbour, name)));
    const links = gatheredLinks();
    const charged = Promise.withResolvers<() => Promise<void>>();
    const lock = 'select from payment_links where id = any ($1) for update';
    const waiting = payTogether(
      locked,
      async () => charged.resolve(await service.lock(lock, [locked.map(({ id }) => id)])),
      [links],
    );
    const commit = await charged.promise;
    await service.untilWaiting();
    expect(await payTogether(free, undefined, [links])).to.deep.equal(['accepted', 'accepted']);
    for (const link of locked) expect((await stored(link)).status).to.equal('active');
    await commit();
    expect(await waiting).to.deep.equal(['accepted', 'accepted', 'accepted', 'accepted']);
    for (const link of [...locked, ...free]) expect(await payments.events(link)).to.deep.equal(['paid']);
  });

  it('submissions of one link that share a statement pay it once', async () => {
    const TABS = 20;
    const link = await linkOf(practice, 'tabs');
    const { store, change } = gatheredLinks();
    const { promise: haveRead, resolve } = Promise.withResolvers<void>();
    let reads = 0;
    const together: ChangeLink = async (...asked) => {
      reads++;
      if (reads === TABS) resolve();
      await haveRead;
      return change(...asked);
    };
    const pages = createPageService(service.scope(), payments.sandbox, { store, change: together });
    const submit = () => pages.submit(link.token, submission(link, 'card_success'));
    const results = await Promise.all(Array.from({ length: TABS }, submit));
    expect(results.filter((result) => result === 'accepted')).to.have.length(1);
    expect(results.filter((result) => result === 'not_payable')).to.have.length(TABS - 1);
    expect([await payments.events(link), await payments.charges(link)]).to.deep.equal([['paid'], 1]);
  });

  it('payments of two processes never deadlock, whatever their order', async () => {
    const processes = [gatheredLinks(), gatheredLinks()] as const;
    for (let round = 0; round < 5; round++) {
      const links = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          linkOf(index % 4 < 2 ? practice : neighbour, `patient-${round}-${index % 3}`),
        ),
      );
      const results = await payTogether(links, undefined, processes);
      expect(new Set(results)).to.deep.equal(new Set(['accepted']));
      for (const link of links) expect(await payments.events(link)).to.deep.equal(['paid']);
    }
  });
});
