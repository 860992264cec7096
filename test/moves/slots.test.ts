import { expect } from 'chai';
import { movePractices } from '../../src/moves/move.ts';
import type { MoveRefused } from '../../src/moves/preconditions.ts';
import { query } from '../harness/database.ts';
import { createLink, type TestPractice } from '../harness/service.ts';
import { TwoCells } from './two-cells.ts';

describe('a practice that the edge would not find in another cell', function () {
  this.timeout(180_000);
  let cells: TwoCells;
  let practice: TestPractice;

  before(async () => {
    cells = await TwoCells.start({ workers: false });
  });

  beforeEach(async () => {
    practice = await cells.source.practice();
  });

  after(() => cells.close());

  const change = (statement: string) => query(cells.urls.sourceUrl, statement, [practice.practiceId]);
  const move = () => movePractices({ ...cells.urls, practiceIds: [practice.practiceId] });
  const refusal = () =>
    move().then(
      () => null,
      ({ message, hint }: MoveRefused) => ({ message, hint }),
    );

  it('a practice with the first slot does not move', async () => {
    await change('update practices set slot = 0 where id = $1');
    expect(await refusal()).to.deep.equal({
      message: `${practice.practiceId} is older than slots, and the edge sends it to the first cell.`,
      hint: 'It cannot be moved. Move younger practices.',
    });
  });

  it('a practice does not move without the other practices of its slot', async () => {
    const other = await cells.source.practice();
    await change(
      `update practices set slot = (select slot from practices where id = $1) where id = '${other.practiceId}'`,
    );
    expect(await refusal()).to.deep.equal({
      message: `${other.practiceId} has the slot of a practice that moves, and the map gives a whole slot to one cell.`,
      hint: 'Name all practices of the slot.',
    });
    await movePractices({ ...cells.urls, practiceIds: [practice.practiceId, other.practiceId] });
  });

  it('a practice with API keys without a slot moves when they are revoked', async () => {
    const found = await change('update api_keys set carries_slot = false where practice_id = $1 and test returning id');
    const ids = found.map(({ id }) => id).join(', ');
    expect(await refusal()).to.deep.equal({
      message: `${practice.practiceId} has API keys without a slot, which the edge sends to the first cell.`,
      hint: `Issue new keys, and revoke ${ids}.`,
    });
    await change('update api_keys set revoked_at = now() where practice_id = $1 and test');
    expect(await refusal()).to.equal(null);
  });

  it('a practice with open pages without a slot moves when they are closed', async () => {
    const { id } = await createLink(practice.live);
    await change('update payment_links set token = md5(id) where practice_id = $1');
    expect(await refusal()).to.deep.equal({
      message: `${practice.practiceId} has open pages without a slot, which the edge sends to the first cell.`,
      hint: `Wait until they are paid or expire, or cancel them: ${id}.`,
    });
    expect((await practice.live.post(`/api/v1/payment-links/${id}/cancel`)).status).to.equal(200);
    expect(await refusal()).to.equal(null);
  });
});
