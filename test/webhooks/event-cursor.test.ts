import { expect } from 'chai';
import fc from 'fast-check';
import { type EventCursor, readCursor, writeCursor } from '../../src/webhooks/events/event-cursor.ts';

/** Longest `after` that the contract accepts, and that usual proxies pass on. */
const MAX_LENGTH = 8_000;

const MAX_XID = 2n ** 64n - 1n;

const snapshot = fc
  .tuple(
    fc.bigInt({ min: 1n, max: MAX_XID }),
    fc.bigInt({ min: 0n, max: 10_000n }),
    fc.array(fc.nat(), { maxLength: 20 }),
  )
  .map(([xmin, span, places]) => {
    const xmax = xmin + span > MAX_XID ? MAX_XID : xmin + span;
    const running = xmax === xmin ? [] : places.map((place) => xmin + (BigInt(place) % (xmax - xmin)));
    return `${xmin}:${xmax}:${running.toSorted((a, b) => (a < b ? -1 : 1)).join(',')}`;
  });

const cursor: fc.Arbitrary<EventCursor> = fc.record({
  since: snapshot,
  until: fc.option(snapshot),
  madeBy: fc.bigInt({ min: 0n, max: MAX_XID }).map(String),
  id: fc.constantFrom('', 'evt_01m7wkn9053pd4jqb5pgb5j7jy'),
});

describe('the cursor of test events', () => {
  it('every cursor is read as it was written, and needs no escape in a URL', () => {
    const property = fc.property(cursor, (written) => {
      const text = writeCursor(written);
      expect(text).to.match(/^[\w.-]+$/);
      expect(readCursor(text)).to.deep.equal(written);
    });
    fc.assert(property);
  });

  it('a cursor of a server with a thousand running transactions is as short as the contract says', () => {
    const xmin = 18_000_000_000_000_000_000n;
    const running = Array.from({ length: 1_000 }, (_, index) => xmin + BigInt(index * 30));
    const busy = `${xmin}:${xmin + 40_000n}:${running.join(',')}`;
    const id = 'evt_01m7wkn9053pd4jqb5pgb5j7jy';
    const written = { since: busy, until: busy, madeBy: `${MAX_XID}`, id };
    const text = writeCursor(written);
    expect(text.length).to.be.below(MAX_LENGTH);
    expect(readCursor(text)).to.deep.equal(written);
  });

  it('a text is refused without an exception, or is what would be written for its cursor', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-z.-]{0,60}$/));
    const property = fc.property(texts, (text) => {
      const read = readCursor(text);
      if (read !== null) expect(writeCursor(read)).to.equal(text);
    });
    fc.assert(property);
  });
});
