import { expect } from 'chai';
import { containsCardNumber } from '../../src/payment-links/api/card-number.ts';

describe('card numbers in texts', () => {
  it('a text of many short numbers is read once, and a card number behind them is found', () => {
    const text = '1 '.repeat(60_000);
    expect(containsCardNumber(text)).to.equal(false);
    expect(containsCardNumber(`${text}4111 1111 1111 1111`)).to.equal(true);
  }).timeout(10_000);
});
