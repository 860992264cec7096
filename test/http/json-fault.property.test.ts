import { expect } from 'chai';
import fc from 'fast-check';
import { findJsonFault } from '../../src/http/request/json-fault.ts';

/** The JSON string of a text, each UTF-16 unit escaped. */
const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;

describe('Faults of JSON text', () => {
  it('what JSON.stringify writes has no fault, with any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t', '\n'), (value, space) => {
        expect(findJsonFault(JSON.stringify(value, null, space))).to.equal(null);
      }),
    );
  });

  it('a repeated member is found at any depth and in any spelling', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), fc.nat(4), (name, value, depth) => {
        const object = `{"_x" : ${JSON.stringify(value)},${escaped(name)}:${JSON.stringify(value)} ,${JSON.stringify(name)}\n:1}`;
        const text = `${'[0,{"a":'.repeat(depth)}${object}${'}]'.repeat(depth)}`;
        fc.pre(name !== '_x');
        const path = [...Array(depth).fill(['1', 'a']).flat(), name];
        expect(findJsonFault(text)).to.deep.equal({ kind: 'repeated', path });
      }),
    );
  });

  it('a number has a fault if it has digits that its double loses, and none for zeros', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 20, max: 60 }),
        (double, zeros) => {
          fc.pre(double !== 0);
          const [mantissa = '', exponent] = double.toExponential().split('e');
          const longer = `${mantissa}${mantissa.includes('.') ? '' : '.'}${'0'.repeat(zeros)}`;
          expect(findJsonFault(`[1, ${longer}e${exponent}]`)).to.equal(null);
          expect(findJsonFault(`[1, ${longer}1E${exponent}]`)).to.deep.equal({ kind: 'digits', path: ['1'] });
        },
      ),
    );
  });
});
