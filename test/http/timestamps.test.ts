import { expect } from 'chai';
import fc from 'fast-check';
import { parseTimestamp } from '../../src/platform/base/time/timestamp.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';

const LINKS = '/api/v1/payment-links';

/** Spellings of one instant: 2030-06-16T10:00:00Z. */
const SPELLINGS = [
  ...[
    '2030-06-16T10:00:00Z',
    '2030-06-16t10:00:00z',
    '2030-06-16T10:00:00.000Z',
    '2030-06-16T10:00:00.000000000+00:00',
  ],
  ...['2030-06-16 10:00:00Z', '2030-06-16T10:00:00 Z', '2030-06-16 10:00:00 UTC', '2030-06-16T10:00:00+0000'],
  ...[
    '2030-06-16T12:00:00+02:00',
    '2030-06-16 12:00:00 +0200',
    '2030-06-16T12:00:00 02:00',
    '2030-06-15T23:00:00-1100',
  ],
];

/** Texts that are no timestamps. */
const REFUSED = [
  ...['2030-06-16T10:00:00', '2030-06-16', '20300616T100000Z', '2030-02-29T00:00:00Z', '2030-04-31T00:00:00Z'],
  ...['2030-00-10T00:00:00Z', '2030-06-16T24:00:00Z', '2030-06-16T10:00:60Z', '2030-06-16T10:00:00+24:00'],
  ...['2030-06-16T10:00:00CET', '2030-06-16T10:00:00+1', '2030-06-16  10:00:00Z', '2030-06-16T10:00:00.1234567890Z'],
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00', 'yesterday', ''],
];

const two = (value: number) => `${Math.abs(value)}`.padStart(2, '0');

describe('timestamps in requests', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  it('a filter and a body read each spelling of a time as the same instant', async () => {
    const { id } = await createLink(practice.live);
    const at = '2030-06-16T10:00:00.000Z';
    const later = await createLink(practice.live);
    await service.query('update payment_links set created_at = $1 where id = $2', [at, later.id]);
    const listed = async (name: string, text: string) => {
      const { status, body } = await practice.live.get(`${LINKS}?${name}=${encodeURIComponent(text)}`);
      return [status, body.data?.map((link: { id: string }) => link.id)];
    };
    for (const text of SPELLINGS) {
      const { status, body } = await practice.live.patch(`${LINKS}/${id}`, { expiresAt: text });
      expect([status, body.expiresAt], text).to.deep.equal([200, at]);
      expect(await listed('createdAfter', text), text).to.deep.equal([200, [later.id]]);
      expect(await listed('createdBefore', text), text).to.deep.equal([200, [id]]);
    }
  });

  it('a filter and a body refuse each text without an existing time and its zone', async () => {
    const { id } = await createLink(practice.live);
    for (const text of REFUSED) {
      for (const reply of [
        await practice.live.patch(`${LINKS}/${id}`, { expiresAt: text }),
        await practice.live.get(`${LINKS}?createdAfter=${encodeURIComponent(text)}`),
      ]) {
        expect([reply.status, reply.body.error?.code], text).to.deep.equal([400, 'validation_error']);
      }
    }
  });

  it('a time means the same instant in all forms that SDKs write', () => {
    const instant = fc.date({
      min: new Date('1970-01-02T00:00:00Z'),
      max: new Date('9998-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    const zoneMinutes = fc.integer({ min: -14 * 60, max: 14 * 60 });
    const separator = fc.constantFrom('T', 't', ' ');
    const blank = fc.constantFrom('', ' ');
    const plus = fc.constantFrom('+', ' ');
    const colon = fc.constantFrom('', ':');
    fc.assert(
      fc.property(instant, zoneMinutes, separator, blank, plus, colon, (at, zone, t, before, sign, between) => {
        const local = new Date(at.getTime() + zone * 60_000).toISOString().slice(0, -1).replace('T', t);
        const offset = `${zone < 0 ? '-' : sign}${two(Math.trunc(zone / 60))}${between}${two(zone % 60)}`;
        expect(parseTimestamp(`${local}${before}${offset}`)?.getTime()).to.equal(at.getTime());
      }),
    );
  });
});
