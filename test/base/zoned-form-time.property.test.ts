import { expect } from 'chai';
import fc from 'fast-check';
import { addDays, formTimeIn, parseDay, parseMoment, startOfDay } from '../../src/platform/base/time/zoned-time.ts';

const ZONES = ['America/Chicago', 'America/Phoenix', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia', 'UTC'];

describe('times of forms in a time zone', () => {
  it('a minute that a form shows in a zone is read as the same minute, unless the clock shows it twice', () => {
    const minute = fc.integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2045, 0) / 60_000 });
    fc.assert(
      fc.property(minute, fc.constantFrom(...ZONES), (minutes, zone) => {
        const at = new Date(minutes * 60_000);
        const field = formTimeIn(at, zone);
        const read = parseMoment(field, zone);
        if (read === null) throw new Error(`${field} was not read`);
        expect(formTimeIn(read, zone)).to.equal(field);
        const isTwice = [-60, -30, 30, 60].some(
          (by) => formTimeIn(new Date(at.getTime() + by * 60_000), zone) === field,
        );
        if (!isTwice) expect(read.getTime()).to.equal(at.getTime());
      }),
    );
  });

  it('days of 23 and 25 hours end at midnight, and a skipped or repeated hour is read', () => {
    const read = (text: string) => parseMoment(text, 'America/Chicago')?.toISOString();
    const end = (text: string) => startOfDay(addDays(text, 1), 'America/Chicago').toISOString();
    expect(end('2030-03-10')).to.equal('2030-03-11T05:00:00.000Z');
    expect(end('2030-11-03')).to.equal('2030-11-04T06:00:00.000Z');
    expect(end('2030-12-31')).to.equal('2031-01-01T06:00:00.000Z');
    expect(read('2030-03-10T02:30')).to.equal('2030-03-10T08:30:00.000Z');
    expect(read('2030-11-03T01:30')).to.equal('2030-11-03T06:30:00.000Z');
  });

  it('texts that are no day or time of the calendar are not read', () => {
    for (const text of [
      '',
      '2030-02-30T10:00',
      '2030-13-01T10:00',
      '2030-06-15',
      '2030-06-15T24:00',
      '1900-01-01T00:00',
    ]) {
      expect(parseMoment(text, 'UTC'), text).to.equal(null);
    }
    for (const text of ['', '2030-02-30', '2030-6-15', '2030-06-15T10:00', 'x']) {
      expect(parseDay(text), text).to.equal(null);
    }
  });
});
