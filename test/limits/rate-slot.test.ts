import { expect } from 'chai';
import { createRateSlots } from '../../src/limits/rate-slot.ts';
import { useService } from '../harness/fixtures.ts';

const LIMIT = 3;

describe('rate slots of requests that come together', () => {
  const service = useService();

  it('a window that another transaction has locked delays only its own requests', async () => {
    const rateSlots = createRateSlots(() => service.scope());
    const take = (name: string, limit = LIMIT) => rateSlots({ subject: `slot:${name}`, limit });
    const takeFree = () => take('free', 2 * LIMIT);
    await Promise.all([take('locked'), takeFree(), takeFree(), takeFree(), takeFree()]);
    const release = await service.lock(`select from rate_windows where subject = 'slot:locked/${LIMIT}' for update`);
    const delayed = take('locked');
    expect(await Promise.all([takeFree(), take('other')])).to.deep.equal([{ granted: true }, { granted: true }]);
    await release();
    expect(await delayed).to.deep.equal({ granted: true });
    const counted = await service.query<{ subject: string; admitted: number }>(
      `select subject, admitted::integer from rate_windows where subject like 'slot:%' order by subject`,
    );
    expect(counted).to.deep.equal([
      { subject: `slot:free/${2 * LIMIT}`, admitted: 5 },
      { subject: `slot:locked/${LIMIT}`, admitted: 2 },
      { subject: `slot:other/${LIMIT}`, admitted: 1 },
    ]);
    const slots = await service.query(`select slot from rate_slots where subject like 'slot:free/%' order by slot`);
    expect(slots.map(({ slot }) => slot)).to.deep.equal([0, 1, 2, 3, 4]);
  });
});
