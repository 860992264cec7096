import { expect } from 'chai';
import { deleteMoved } from '../../src/moves/delete-moved.ts';
import { movePractices } from '../../src/moves/move.ts';
import { countPaymentTotals, foldPaymentTotals } from '../../src/payment-links/read/payment-totals.ts';
import { query } from '../harness/database.ts';
import { Payments } from '../harness/payments.ts';
import type { TestPractice, TestService } from '../harness/service.ts';
import { TwoCells } from './two-cells.ts';

describe('totals of payments of a practice that moves', function () {
  this.timeout(180_000);
  let cells: TwoCells;
  let practice: TestPractice;

  before(async () => {
    cells = await TwoCells.start({ workers: false });
    practice = await cells.source.practice();
  });

  after(() => cells.close());

  const pay = async (cell: TestService) => {
    const payments = new Payments(cell);
    await payments.pay(await payments.link({ ...practice, live: cell.client(practice.live.key) }), 'card_success');
  };

  /** Does what a worker does with totals. */
  const work = async (cell: TestService) => {
    while (await foldPaymentTotals(cell.scope()));
    while (await countPaymentTotals(cell.scope()));
  };

  /** Returns the kept number of payments, the number of waiting changes, and whether a worker has yet to count. */
  const kept = async ({ config }: TestService) => {
    const [row] = await query<{ payments: number; changes: number; uncounted: number }>(
      config.databaseUrl,
      `select (select coalesce(sum(payments), 0)::integer from payment_totals where practice_id = $1 and hour = '-infinity')
           as payments,
         (select count(*)::integer from payment_total_changes where practice_id = $1) as changes,
         (select count(*)::integer from uncounted_payment_totals where practice_id = $1) as uncounted`,
      [practice.practiceId],
    );
    return row;
  };

  it('a worker of each cell counts them anew, also after the practice has moved back, and paylinks check finds nothing', async () => {
    const { source, target, urls } = cells;
    const practiceIds = [practice.practiceId];
    await pay(source);
    await work(source);
    await pay(source);
    expect(await kept(source)).to.include({ payments: 1, uncounted: 0 });
    await movePractices({ ...urls, practiceIds });
    expect(await kept(target)).to.deep.equal({ payments: 0, changes: 0, uncounted: 1 });
    await pay(target);
    await work(target);
    expect(await kept(target)).to.deep.equal({ payments: 3, changes: 0, uncounted: 0 });
    expect([await cells.check(source), await cells.check(target)]).to.deep.equal([[], []]);
    await deleteMoved(urls.sourceUrl, practiceIds);
    expect(await kept(source)).to.deep.equal({ payments: 0, changes: 0, uncounted: 0 });
    await movePractices({ sourceUrl: urls.targetUrl, targetUrl: urls.sourceUrl, practiceIds });
    await pay(source);
    await work(source);
    expect(await kept(source)).to.deep.equal({ payments: 4, changes: 0, uncounted: 0 });
    expect([await cells.check(source), await cells.check(target)]).to.deep.equal([[], []]);
  });
});
