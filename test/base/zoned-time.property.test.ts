import { expect } from 'chai';
import fc from 'fast-check';
import { addDays, clockIn, dayIn, daysBetween, parseDay, startOfDay } from '../../src/platform/base/time/zoned-time.ts';

/** Zones of the United States, those at both ends of the day, and some that change their clocks at midnight. */
const ZONES = [
  ...['America/New_York', 'America/Chicago', 'America/Phoenix', 'America/Adak', 'Pacific/Honolulu', 'UTC'],
  ...['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  ...['America/Santiago', 'Asia/Beirut', 'Africa/Cairo', 'America/Havana', 'Pacific/Apia'],
];

const zones = fc.constantFrom(...ZONES);
const days = fc.integer({ min: 0, max: 73_000 }).map((count) => addDays('2000-01-01', count));

describe('days in a time zone', function () {
  this.timeout(180_000);

  it('a day begins at its first moment: the millisecond before belongs to an earlier day', () => {
    fc.assert(
      fc.property(days, zones, (day, zone) => {
        const start = startOfDay(day, zone);
        const before = new Date(start.getTime() - 1);
        return dayIn(start, zone) >= day && dayIn(before, zone) < day;
      }),
    );
  });

  it('every moment belongs to exactly one of the days that follow each other', () => {
    fc.assert(
      fc.property(days, zones, fc.integer({ min: 0, max: 86_399_999 }), (day, zone, ms) => {
        const moment = new Date(startOfDay(day, zone).getTime() + ms);
        const own = dayIn(moment, zone);
        return startOfDay(own, zone) <= moment && moment < startOfDay(addDays(own, 1), zone);
      }),
    );
  });

  it('a day of 23 hours, a day that begins at 01:00 and a day that was left out have their true starts', () => {
    expect(startOfDay('2030-03-10', 'America/Chicago').toISOString()).to.equal('2030-03-10T06:00:00.000Z');
    expect(startOfDay('2030-03-11', 'America/Chicago').toISOString()).to.equal('2030-03-11T05:00:00.000Z');
    expect(clockIn(startOfDay('2024-09-08', 'America/Santiago'), 'America/Santiago')).to.equal('2024-09-08 01:00:00');
    expect(startOfDay('2011-12-30', 'Pacific/Apia')).to.deep.equal(startOfDay('2011-12-31', 'Pacific/Apia'));
  });

  it('only texts that name a day of these two centuries are days', () => {
    expect(parseDay('2028-02-29')).to.equal('2028-02-29');
    for (const text of ['2030-02-29', '2030-13-01', '1999-12-31', '2200-01-01', '2030-6-1', ' 2030-06-15', '']) {
      expect(parseDay(text), text).to.equal(null);
    }
    expect([daysBetween('2030-01-01', '2030-12-31'), daysBetween('2030-01-02', '2030-01-01')]).to.deep.equal([365, 0]);
  });
});
