import { expect } from 'chai';
import { createAdmissions } from '../../src/access/admission.ts';
import { useService } from '../harness/fixtures.ts';

const LIMIT = 3;

describe('rate slots of requests that come together', () => {
  const service = useService();

  // PostgreSQL chooses the order of the windows. A window that is left out could shift those behind it, so each is locked in turn.
  for (const locked of ['a', 'b', 'c']) {
    it(`a window that another transaction has locked delays only its own requests (${locked})`, async () => {
      const { takeSlot } = createAdmissions(() => service.scope(), LIMIT);
      const [busy, quiet] = ['a', 'b', 'c'].filter((name) => name !== locked) as [string, string];
      const take = (name: string) => takeSlot({ subject: `slot:${name}`, limit: name === busy ? 2 * LIMIT : LIMIT });
      const subjectOf = (name: string) => `slot:${name}/${name === busy ? 2 * LIMIT : LIMIT}`;
      await service.query('truncate rate_windows, rate_slots');
      await Promise.all([take(locked), ...Array.from({ length: 4 }, () => take(busy))]);
      const release = await service.lock('select from rate_windows where subject = $1 for update', [subjectOf(locked)]);
      const delayed = take(locked);
      expect(await Promise.all([take(busy), take(quiet)])).to.deep.equal([{ granted: true }, { granted: true }]);
      await release();
      expect(await delayed).to.deep.equal({ granted: true });
      const counted = await service.query<{ subject: string; admitted: number }>(
        'select subject, admitted::integer from rate_windows order by subject',
      );
      const admitted = { [locked]: 2, [busy]: 5, [quiet]: 1 };
      expect(counted).to.deep.equal(
        ['a', 'b', 'c'].map((name) => ({ subject: subjectOf(name), admitted: admitted[name] })),
      );
      const slots = await service.query('select slot from rate_slots where subject = $1 order by slot', [
        subjectOf(busy),
      ]);
      expect(slots.map(({ slot }) => slot)).to.deep.equal([0, 1, 2, 3, 4]);
    });
  }
});
