import { expect } from 'chai';
import type { ApiError } from '../../src/base/errors.ts';
import { inTransaction } from '../../src/database/query/transaction.ts';
import { movePractices } from '../../src/moves/move.ts';
import type { MoveRefused } from '../../src/moves/preconditions.ts';
import { createPractice } from '../../src/practices/service.ts';
import { query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';
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

  const change = <Row extends object = { id: string }>(statement: string) =>
    query<Row>(cells.urls.sourceUrl, statement, [practice.practiceId]);
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

  it('a practice that is created while others move gets a slot that stays', async () => {
    const [{ slot } = { slot: 0 }] = await change<{ slot: number }>('select slot from practices where id = $1');
    const input = { name: 'Elm', adminEmail: 'a@elm.example', paymentsEnabled: true };
    const others = [slot, ((slot + 500) % 1023) + 1];
    const made: unknown[] = [];
    await movePractices({
      ...cells.urls,
      practiceIds: [practice.practiceId],
      onStep: async (step) => {
        if (step !== 'marked' && step !== 'handed over') return;
        for (let count = 0; count < 10; count += 1) {
          made.push((await createPractice(cells.source.scope(), { ...input, slots: others })).slot);
        }
        const refused = createPractice(cells.source.scope(), { ...input, slots: [slot] });
        made.push(await refused.catch(({ code }: ApiError) => code));
      },
    });
    const once = [...Array.from({ length: 10 }, () => others[1]), 'service_unavailable'];
    expect(made).to.deep.equal([...once, ...once]);
  });

  it('a practice that another transaction creates in the slot before the freeze keeps the slot from moving', async () => {
    const [{ slot } = { slot: 0 }] = await change<{ slot: number }>('select slot from practices where id = $1');
    const input = { name: 'Elm', adminEmail: 'a@elm.example', paymentsEnabled: true, slots: [slot] };
    const waits = `select from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    let creating: Promise<unknown> | undefined;
    let id = '';
    const create = () =>
      new Promise<void>((created, failed) => {
        // The transaction is idle for as long as the move needs for its next step.
        creating = inTransaction(cells.source.scope(), async (scope) => {
          ({ id } = await createPractice(scope, input));
          created();
          await until(
            async () => (await query(cells.urls.sourceUrl, waits)).length > 0,
            () => 'the move does not wait',
          );
        }).catch(failed);
      });
    const refused = await movePractices({
      ...cells.urls,
      practiceIds: [practice.practiceId],
      onStep: (step) => (step === 'first copy made' ? create() : undefined),
    }).catch((error: Error) => error);
    await creating;
    expect(refused)
      .to.have.property('message')
      .that.equals(`${id} has the slot of a practice that moves, and the map gives a whole slot to one cell.`);
    expect(await change('select move_state from practices where id = $1')).to.deep.equal([{ move_state: null }]);
  });

  it('of opposite moves at the same time, one is refused with the next step, and the other one ends', async () => {
    const { sourceUrl, targetUrl } = cells.urls;
    const other = await cells.target.practice();
    const back = { sourceUrl: targetUrl, targetUrl: sourceUrl, practiceIds: [other.practiceId] };
    let refused: unknown;
    await movePractices({
      ...cells.urls,
      practiceIds: [practice.practiceId],
      onStep: async (step) => {
        if (step !== 'first copy made') return;
        refused = await movePractices(back).then(
          () => null,
          ({ message, hint }: MoveRefused) => ({ message, hint }),
        );
      },
    });
    expect(refused)
      .to.be.an('object')
      .with.property('message')
      .that.matches(/^Another move .* is running\.$/);
    expect(refused).to.have.property('hint', 'Wait until it has ended, and run the command again.');
    await movePractices(back);
  });

  it('of opposite moves that begin together, one ends: they do not refuse each other', async () => {
    const { sourceUrl, targetUrl } = cells.urls;
    const other = await cells.target.practice();
    const ended = await Promise.allSettled([
      move(),
      movePractices({ sourceUrl: targetUrl, targetUrl: sourceUrl, practiceIds: [other.practiceId] }),
    ]);
    expect(ended.map(({ status }) => status)).to.include('fulfilled');
  });
});
