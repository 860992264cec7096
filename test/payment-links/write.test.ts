import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rowJson } from '../../src/database/query/columns.ts';
import { sql } from '../../src/database/query/sql.ts';
import { bodyHash } from '../../src/keys/idempotency.ts';
import { createLinkBatcher, type LinkToWrite } from '../../src/payment-links/create/create.ts';
import { newLink } from '../../src/payment-links/create/draft.ts';
import { query } from '../harness/database.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';

describe('links that share one statement', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let snapshot: string;
  let apiKeyIds: string[];

  before(async () => {
    const { practiceId } = practice;
    const [row] = await sql<{ snapshot: string }>(service.scope().em, 'select practice_snapshot($1) as snapshot', [
      practiceId,
    ]);
    snapshot = row?.snapshot ?? '';
    const { databaseUrl } = service.config;
    const keys = await query<{ id: string }>(databaseUrl, 'select id from api_keys where practice_id = $1', [
      practiceId,
    ]);
    apiKeyIds = keys.map(({ id }) => id);
  });

  function linkToWrite(overrides: Partial<LinkToWrite> = {}): LinkToWrite & { row: string } {
    const { practiceId, locationId } = practice;
    const link = newLink(service.scope(), { practiceId, test: true, locationId, source: 'api' }, 0, {
      ...{
        amountCents: 100,
        description: 'Cleaning',
        externalReference: null,
        metadata: {},
        expiresAt: null,
        locationId,
      },
      patient: { firstName: 'Ada', lastName: 'Byron', phone: null, email: null, externalId: null },
    });
    return {
      ...{ apiKeyId: apiKeyIds[0] ?? '', idempotencyKey: randomUUID(), bodyHash: bodyHash({}), practiceId, snapshot },
      ...{ row: rowJson(link), reply: JSON.stringify({ id: link.id }), ...overrides },
    } as LinkToWrite & { row: string };
  }

  async function stored(links: readonly LinkToWrite[]): Promise<boolean[]> {
    const { databaseUrl } = service.config;
    const found = await query<{ id: string }>(databaseUrl, 'select id from payment_links');
    const ids = new Set(found.map(({ id }) => id));
    return links.map(({ row }) => ids.has((JSON.parse(row ?? '{}') as { id: string }).id));
  }

  /** Returns the number of transactions that wrote the present links. */
  async function transactions(): Promise<number> {
    const { databaseUrl } = service.config;
    const [row] = await query<{ count: number }>(
      databaseUrl,
      'select count(distinct xmin::text)::integer as count from payment_links',
    );
    return row?.count ?? 0;
  }

  it('a link that cannot be written does not fail the others of its statement', async () => {
    const write = createLinkBatcher();
    const broken = linkToWrite();
    const links = [
      linkToWrite(),
      { ...broken, row: JSON.stringify({ ...JSON.parse(broken.row), status: 'nonsense' }) },
      linkToWrite(),
    ];
    const written = await Promise.allSettled(links.map((link) => write(service.scope(), link)));
    expect(written.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(await stored(links)).to.deep.equal([true, false, true]);
  });

  it('each link of a statement gets its own outcome, in the order of the calls', async () => {
    const write = createLinkBatcher();
    const first = linkToWrite();
    const { idempotencyKey } = first;
    const links = [
      first,
      linkToWrite({ apiKeyId: apiKeyIds[1] ?? '' }),
      linkToWrite({ idempotencyKey }),
      linkToWrite({ idempotencyKey, bodyHash: bodyHash({ other: true }) }),
      linkToWrite({ snapshot: '{}' }),
    ];
    const written = await Promise.all(links.map((link) => write(service.scope(), link)));
    expect(written).to.deep.equal([
      { outcome: 'created', stored_reply: null, snapshot },
      { outcome: 'created', stored_reply: null, snapshot },
      { outcome: 'replayed', stored_reply: first.reply, snapshot: null },
      { outcome: 'reused', stored_reply: null, snapshot: null },
      { outcome: 'stale_snapshot', stored_reply: null, snapshot },
    ]);
    expect(await stored(links)).to.deep.equal([true, true, false, false, false]);
  });

  it('links of concurrent processes never deadlock, whatever their order', async () => {
    const writers = [createLinkBatcher(), createLinkBatcher()];
    const before = await transactions();
    for (let round = 0; round < 20; round++) {
      const written = await Promise.all(
        writers.flatMap((write, index) => {
          const links = apiKeyIds.flatMap((apiKeyId) => [1, 2, 3].map(() => linkToWrite({ apiKeyId })));
          return (index === 0 ? links : links.toReversed()).map((link) => write(service.scope(), link));
        }),
      );
      expect(new Set(written.map(({ outcome }) => outcome))).to.deep.equal(new Set(['created']));
    }
    // CreateOutcome one by one, as after a deadlock, they would be six times as many.
    expect((await transactions()) - before).to.equal(2 * 20);
  });
});
