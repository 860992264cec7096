import { expect } from 'chai';
import type pg from 'pg';
import { cancel as cancelBy, update } from '../../src/payment-links/decide/link-decision.ts';
import type { Draft } from '../../src/payment-links/state/state.ts';
import { type ChangeLink, createChange, type Decide } from '../../src/payment-links/store/change.ts';
import { createGatheringStore } from '../../src/payment-links/store/gathered.ts';
import { linkRef } from '../../src/payment-links/store/port.ts';
import { postgres } from '../../src/payment-links/store/postgres.ts';
import { onReport } from '../../src/platform/base/diagnostics.ts';
import { ApiError } from '../../src/platform/base/errors.ts';
import { createBatcher } from '../../src/platform/database/query/batch.ts';
import type { Client } from '../harness/client.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { createEndpoint, ENDPOINTS } from '../harness/webhooks.ts';

const HOOK = 'http://127.0.0.1:9/hook';

describe('changes of links that share one statement', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  let change: ChangeLink;
  beforeEach(async () => {
    change = createChange(createGatheringStore(postgres, createBatcher));
  });

  const rows = <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    service.query<Row>(text, values);

  const changed = async (id: string, decide: Decide, by = change) =>
    (await by(service.scope(), linkRef(id), decide)).after;
  const cancel: Decide = (draft) => cancelBy(draft, 'api', service.clock.now());
  const describeAs =
    (description: string): Decide =>
    (draft) =>
      update(draft, { description }, service.clock.now());

  const links = (count: number): Promise<{ id: string }[]> =>
    Promise.all(Array.from({ length: count }, () => createLink(practice.test)));

  const storedLink = async (id: string) => {
    const [row] = await rows<{ status: string; description: string }>(
      'select status, description from payment_links where id = $1',
      [id],
    );
    return row;
  };
  const deliveries = (linkId: string) =>
    rows<{ type: string; status: string; endpoint_id: string }>(
      'select type, status, endpoint_id from webhook_deliveries where payment_link_id = $1 order by id',
      [linkId],
    );
  const transactions = async () => {
    const [row] = await rows<{ count: string }>(
      `select count(*) from (select distinct xmin::text from payment_links where practice_id = $1) as x`,
      [practice.practiceId],
    );
    return Number(row?.count);
  };

  it('links changed together share one transaction, and each gets its own outcome', async () => {
    const [one, two, three] = (await links(3)) as [{ id: string }, { id: string }, { id: string }];
    await changed(three.id, cancel);
    const unknown = `plink_${'0'.repeat(26)}`;
    const settled = await Promise.allSettled([
      changed(one.id, cancel),
      changed(unknown, cancel),
      changed(two.id, describeAs('Crown')),
      changed(three.id, describeAs('Bridge')),
    ]);
    expect(
      settled.map((each) => (each.status === 'fulfilled' ? each.value.link.status : (each.reason as ApiError).code)),
    ).to.deep.equal(['cancelled', 'not_found', 'active', 'link_not_active']);
    expect(await storedLink(one.id)).to.deep.equal({ status: 'cancelled', description: 'Cleaning' });
    expect(await storedLink(two.id)).to.deep.equal({ status: 'active', description: 'Crown' });
    expect(await storedLink(three.id)).to.deep.equal({ status: 'cancelled', description: 'Cleaning' });
    // One of the first change, and one of the batch.
    expect(await transactions()).to.equal(2);
  });

  it('several changes of one link that arrive together apply one after the other', async () => {
    await createEndpoint(practice.test, HOOK);
    const [{ id }] = (await links(1)) as [{ id: string }];
    const settled = await Promise.allSettled([
      changed(id, describeAs('Crown')),
      changed(id, cancel),
      changed(id, describeAs('Bridge')),
      changed(id, cancel),
    ]);
    expect(settled.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await storedLink(id)).to.deep.equal({ status: 'cancelled', description: 'Crown' });
    expect((await deliveries(id)).map(({ type }) => type)).to.deep.equal(['payment_link.cancelled']);
  });

  it('a change is decided again if another transaction changed its link after it was read', async () => {
    const [{ id }] = (await links(1)) as [{ id: string }];
    const commit = await service.lock(
      'update payment_links set description = $2, version = version + 1 where id = $1',
      [id, 'Crown'],
    );
    const seen: string[] = [];
    const cancelling = changed(id, (draft) => {
      seen.push(draft.state.link.description);
      cancel(draft);
    });
    await service.untilWaiting();
    await commit();
    const { link } = await cancelling;
    expect([...new Set(seen)]).to.deep.equal(['Cleaning', 'Crown']);
    expect([link.status, link.description]).to.deep.equal(['cancelled', 'Crown']);
    expect(await storedLink(id)).to.deep.equal({ status: 'cancelled', description: 'Crown' });
  });

  it('a refusal that rests on a decision that was not written is decided again', async () => {
    const [{ id }] = (await links(1)) as [{ id: string }];
    const commit = await service.lock(
      'update payment_links set description = $2, version = version + 1 where id = $1',
      [id, 'Crown'],
    );
    const settled = Promise.allSettled([
      changed(id, (draft) => {
        // After a wait, both are decided apart, in any order, so that the other change may come first.
        if (draft.state.link.description !== 'Cleaning') throw new ApiError('link_not_active');
        cancel(draft);
      }),
      changed(id, describeAs('Bridge')),
    ]);
    await service.untilWaiting();
    await commit();
    expect((await settled).map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
    expect(await storedLink(id)).to.deep.equal({ status: 'active', description: 'Bridge' });
  });

  const whileWaiting: [
    change: string,
    by: (client: Client, endpointId: string) => Promise<unknown>,
    expected: string[],
  ][] = [
    ['is disabled', (client, id) => client.patch(`${ENDPOINTS}/${id}`, { enabled: false }), ['skipped']],
    ['is deleted', (client, id) => client.delete(`${ENDPOINTS}/${id}`), []],
    [
      'stops listening to the type',
      (client, id) => client.patch(`${ENDPOINTS}/${id}`, { enabledEvents: ['payment_link.paid'] }),
      [],
    ],
    ['gets company', (client) => createEndpoint(client, HOOK), ['pending', 'pending']],
  ];
  for (const [what, by, expected] of whileWaiting) {
    it(`an event respects that its endpoint ${what} after the link was read`, async () => {
      const [{ id }] = (await links(1)) as [{ id: string }];
      const endpoint = await createEndpoint(practice.test, HOOK);
      const commit = await service.lock('select from payment_links where id = $1 for update', [id]);
      const cancelling = changed(id, cancel);
      await service.untilWaiting();
      await by(practice.test, endpoint.id);
      await commit();
      await cancelling;
      expect((await deliveries(id)).map(({ status }) => status)).to.deep.equal(expected);
    });
  }

  it('an endpoint that is being disabled gets its event as skipped, whichever commits first', async () => {
    const [{ id }] = (await links(1)) as [{ id: string }];
    const endpoint = await createEndpoint(practice.test, HOOK);
    const commit = await service.lock(
      `with locked as (select id from webhook_endpoints where id = $1 for update)
       update webhook_endpoints w set status = 'disabled' from locked where w.id = locked.id`,
      [endpoint.id],
    );
    const cancelling = changed(id, cancel);
    await service.untilWaiting();
    await commit();
    await cancelling;
    expect((await deliveries(id)).map(({ status }) => status)).to.deep.equal(['skipped']);
  });

  it('a locked link waits alone: the others of its batch are changed at once', async () => {
    const neighbour = await service.practice();
    const [{ id: locked }] = (await links(1)) as [{ id: string }];
    const free = await createLink(neighbour.test);
    const commit = await service.lock('select from payment_links where id = $1 for update', [locked]);
    const waiting = changed(locked, cancel);
    expect((await changed(free.id, cancel)).link.status).to.equal('cancelled');
    expect(await storedLink(locked)).to.deep.equal({ status: 'active', description: 'Cleaning' });
    await commit();
    expect((await waiting).link.status).to.equal('cancelled');
  });

  it('a report of a decision that writes nothing is sent once, although its batch is tried again for a lock', async () => {
    const [one, two] = (await links(2)) as [{ id: string }, { id: string }];
    const commit = await service.lock('update payment_links set description = description where id = $1', [two.id]);
    let reports = 0;
    const stop = onReport('payment_attempt_closed', () => reports++);
    const reporting = ({ reports }: Draft) => reports.push({ kind: 'attempt_closed', outcome: 'failed' });
    const locked = changed(two.id, cancel);
    await changed(one.id, reporting);
    await commit();
    await locked;
    stop();
    expect(reports).to.equal(1);
  });

  it('two processes that change the same links never deadlock, whatever their order', async () => {
    for (let endpoint = 0; endpoint < 3; endpoint++) await createEndpoint(practice.test, HOOK);
    const changers = [
      createChange(createGatheringStore(postgres, createBatcher)),
      createChange(createGatheringStore(postgres, createBatcher)),
    ];
    for (let round = 0; round < 10; round++) {
      const some = await links(8);
      const states = await Promise.all(
        changers.flatMap((changer, index) =>
          (index === 0 ? some : some.toReversed()).map(({ id }) => changed(id, cancel, changer)),
        ),
      );
      expect(new Set(states.map(({ link }) => link.status))).to.deep.equal(new Set(['cancelled']));
      for (const { id } of some) expect(await deliveries(id)).to.have.length(3);
    }
  });

  it('a decision on a link that was read before is made again on the present one, also if it changes nothing', async () => {
    const [{ id }] = (await links(1)) as [{ id: string }];
    const { nextRead: priorRead } = await change(service.scope(), linkRef(id), describeAs('Crown'));
    await changed(id, describeAs('Bridge'));
    const seen: string[] = [];
    const look = (draft: Draft) => {
      seen.push(draft.state.link.description);
      draft.setLink({});
    };
    await change(service.scope(), linkRef(id), look, { priorRead });
    expect(seen).to.deep.equal(['Crown', 'Bridge']);
  });

  it('a change writes every field of the link that its decision changes, and no other', async () => {
    const [{ id }] = (await links(1)) as [{ id: string }];
    const fields = {
      ...{ amountCents: 7, description: 'Crown', externalReference: 'r-1', metadata: { b: '1', a: '2' } },
      ...{
        patientFirstName: 'Eve',
        patientLastName: 'Doe',
        patientPhone: '+12025550143',
        patientEmail: 'eve@example.com',
      },
      ...{ patientExternalId: 'e-1', expiresAt: new Date('2100-01-02T03:04:05.678Z') },
    };
    const before = await changed(id, () => {});
    await changed(id, (draft) => draft.setLink(fields));
    const { link } = await changed(id, () => {});
    expect(link).to.deep.equal({ ...before.link, ...fields, version: before.link.version + 1 });
    expect(Object.keys(link.metadata ?? {})).to.deep.equal(['b', 'a']);
  });
});
