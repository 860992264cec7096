import { expect } from 'chai';
import { deleteMoved } from '../../src/moves/delete-moved.ts';
import { movePractices } from '../../src/moves/move.ts';
import { archive, archivedIds, expectAgreement } from '../harness/archive.ts';
import { query } from '../harness/database.ts';
import { createLink, type TestPractice } from '../harness/service.ts';
import { TwoCells } from './two-cells.ts';

describe('a practice with archived links that moves', function () {
  this.timeout(180_000);
  let cells: TwoCells;

  beforeEach(async () => {
    cells = await TwoCells.start({ workers: false });
  });

  afterEach(() => cells.close());

  async function paidLink({ test }: TestPractice): Promise<string> {
    const { id } = await createLink(test);
    await test.post(`/api/v1/payment-links/${id}/simulate`, { outcome: 'paid' });
    return id;
  }

  const rowsOf = (url: string) =>
    query(
      url,
      'select to_jsonb(l) as link, to_jsonb(t) as payment from payment_links l join transactions t on t.payment_link_id = l.id order by l.id',
    );

  it('archived links of a practice arrive with all others, and the cell that it left keeps none', async () => {
    const { source, target, urls } = cells;
    for (const { clock } of [source, target]) clock.set('2030-06-12T09:00:00.000Z');
    const practice = await source.practice();
    await paidLink(practice);
    await paidLink(practice);
    for (const { clock } of [source, target]) clock.advance({ days: 200 });
    await paidLink(practice);
    expect(await archive(source)).to.equal(2);
    const before = await rowsOf(urls.sourceUrl);
    expect(before).to.have.length(3);
    const practiceIds = [practice.practiceId];
    await movePractices({ ...urls, practiceIds });
    expect(await rowsOf(urls.targetUrl)).to.deep.equal(before);
    await expectAgreement(target);
    expect(await archive(source), 'rows of a practice that has moved stay where they are').to.equal(0);
    await deleteMoved(urls.sourceUrl, practiceIds);
    expect(await cells.rows(source, practice.practiceId)).to.deep.equal({});
    expect(await archivedIds(source)).to.deep.equal([]);
    expect(await archive(target)).to.equal(2);
    expect(await rowsOf(urls.targetUrl)).to.deep.equal(before);
    await expectAgreement(target);
  });

  it('links that are archived or brought back between the two copies of a move arrive once, as they are', async () => {
    const { source, target, urls } = cells;
    for (const { clock } of [source, target]) clock.set('2030-06-12T09:00:00.000Z');
    const practice = await source.practice();
    const [restored, archived] = [await paidLink(practice), await paidLink(practice)];
    for (const { clock } of [source, target]) clock.advance({ days: 200 });
    expect(await archive(source)).to.equal(2);
    const later = await paidLink(practice);
    for (const { clock } of [source, target]) clock.advance({ days: 200 });
    const onStep = async (step: string) => {
      if (step !== 'first copy made') return;
      expect(await archive(source)).to.equal(1);
      await query(urls.sourceUrl, 'select restore_links($1)', [[restored]]);
      expect(await archivedIds(source)).to.have.members([archived, later]);
    };
    const before = await rowsOf(urls.sourceUrl);
    expect(before).to.have.length(3);
    await movePractices({ ...urls, practiceIds: [practice.practiceId], onStep });
    expect(await rowsOf(urls.targetUrl)).to.deep.equal(before);
    await expectAgreement(target);
  });

  it('no archived row of a frozen practice changes, and those of others do', async () => {
    const { source, urls } = cells;
    source.clock.set('2030-06-12T09:00:00.000Z');
    const [practice, other] = [await source.practice(), await source.practice()];
    for (const one of [practice, other]) await paidLink(one);
    source.clock.advance({ days: 200 });
    expect(await archive(source)).to.equal(2);
    const change = (table: string, { practiceId }: { practiceId: string }) =>
      query(urls.sourceUrl, `update ${table} set created_at = created_at where practice_id = $1`, [practiceId]).then(
        () => 'changed',
        (error) => error.code,
      );
    const seen: Record<string, string[]> = {};
    const onStep = async (step: string) => {
      if (step !== 'frozen') return;
      for (const table of ['archive.payment_links', 'payment_links', 'transactions'])
        seen[table] = [await change(table, practice), await change(table, other)];
      throw new Error('the move ends here');
    };
    const practiceIds = [practice.practiceId];
    const error = await movePractices({ ...urls, practiceIds, onStep }).catch((error: unknown) => error);
    expect(error).to.have.property('message', 'the move ends here');
    const [refused, allowed] = ['55P03', 'changed'];
    expect(seen).to.deep.equal({
      'archive.payment_links': [refused, allowed],
      payment_links: [refused, allowed],
      transactions: [refused, allowed],
    });
  });
});
