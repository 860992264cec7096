import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { bodyHash } from '../../src/access/sealed-replies.ts';
import { makeLink } from '../../src/payment-links/api/input.ts';
import type { PaymentLink } from '../../src/payment-links/model/payment-link.entity.ts';
import { createGatheringStore } from '../../src/payment-links/store/gathered.ts';
import type { IdempotentRequest, LinkCreate } from '../../src/payment-links/store/port.ts';
import { postgres } from '../../src/payment-links/store/postgres.ts';
import { createBatcher } from '../../src/platform/database/query/batch.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';

const createWrite = () => createGatheringStore(postgres, createBatcher).create;

describe('links that share one statement', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let terms: string;
  let apiKeyIds: string[];

  before(async () => {
    const { practiceId } = practice;
    const lookUp = { practiceId, terms: null, rows: null, request: null };
    const [answer] = await postgres.create(service.scope(), [lookUp], null);
    terms = (answer?.outcome === 'stale' && answer.terms) || '';
    const keys = await service.query<{ id: string }>('select id from api_keys where practice_id = $1', [practiceId]);
    apiKeyIds = keys.map(({ id }) => id);
  });

  type KeyedCreate = LinkCreate & { rows: { link: PaymentLink }; request: IdempotentRequest };

  function linkToWrite(
    overrides: Partial<LinkCreate> = {},
    requestOverrides: Partial<IdempotentRequest> = {},
  ): KeyedCreate {
    const { practiceId, locationId } = practice;
    const owner = { id: practiceId, test: true, pinnedLocationId: null, source: 'api' } as const;
    const { link } = makeLink(service.scope(), owner, terms, {
      ...{ amountCents: 100, description: 'Cleaning', metadata: {}, locationId },
      ...{ patientFirstName: 'Ada', patientLastName: 'Byron' },
    });
    const request = {
      ...{ apiKeyId: apiKeyIds[0] ?? '', idempotencyKey: randomUUID(), bodyHash: bodyHash({}) },
      ...{ reply: JSON.stringify({ id: link.id }), rememberedSince: new Date(0), dailyCap: 5_000, ...requestOverrides },
    };
    return { practiceId, terms, rows: { link, audit: [] }, ...overrides, request } as KeyedCreate;
  }

  async function stored(creates: readonly KeyedCreate[]): Promise<boolean[]> {
    const found = await service.query<{ id: string }>('select id from payment_links');
    const ids = new Set(found.map(({ id }) => id));
    return creates.map(({ rows }) => ids.has(rows.link.id));
  }

  /** Returns the number of transactions that wrote the present links. */
  async function transactions(): Promise<number> {
    const [row] = await service.query<{ count: number }>(
      'select count(distinct xmin::text)::integer as count from payment_links',
    );
    return row?.count ?? 0;
  }

  it('a link that cannot be written does not fail the others of its statement', async () => {
    const write = createWrite();
    const broken = linkToWrite();
    const links = [
      linkToWrite(),
      { ...broken, rows: { link: { ...broken.rows.link, currency: 'nonsense' }, audit: [] } },
      linkToWrite(),
    ];
    const written = await Promise.allSettled(links.map((link) => write(service.scope(), link)));
    expect(written.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(await stored(links)).to.deep.equal([true, false, true]);
  });

  it('each link of a statement gets its own outcome, in the order of the calls', async () => {
    const write = createWrite();
    const first = linkToWrite();
    const { idempotencyKey } = first.request;
    const links = [
      first,
      linkToWrite({}, { apiKeyId: apiKeyIds[1] ?? '' }),
      linkToWrite({}, { idempotencyKey }),
      linkToWrite({}, { idempotencyKey, bodyHash: bodyHash({ other: true }) }),
      linkToWrite({ terms: '{}' }),
    ];
    const written = await Promise.all(links.map((link) => write(service.scope(), link)));
    expect(written).to.deep.equal([
      { outcome: 'written', reply: null, terms: null },
      { outcome: 'written', reply: null, terms: null },
      { outcome: 'replayed', reply: first.request.reply, terms: null },
      { outcome: 'reused', reply: null, terms: null },
      { outcome: 'stale', reply: null, terms },
    ]);
    expect(await stored(links)).to.deep.equal([true, true, false, false, false]);
  });

  it('links of concurrent processes never deadlock, whatever their order', async () => {
    const writers = [createWrite(), createWrite()];
    const before = await transactions();
    for (let round = 0; round < 20; round++) {
      const written = await Promise.all(
        writers.flatMap((write, index) => {
          const links = apiKeyIds.flatMap((apiKeyId) => [1, 2, 3].map(() => linkToWrite({}, { apiKeyId })));
          return (index === 0 ? links : links.toReversed()).map((link) => write(service.scope(), link));
        }),
      );
      expect(new Set(written.map(({ outcome }) => outcome))).to.deep.equal(new Set(['written']));
    }
    // One by one, as after a deadlock, they would be six times as many.
    expect((await transactions()) - before).to.equal(2 * 20);
  });
});
