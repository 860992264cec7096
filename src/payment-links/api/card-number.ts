/** Prefix and length of card numbers: Visa, Mastercard, American Express, Discover. */
const SHAPES = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/,
  /^3[47]\d{13}$/,
  /^(?:6011|64[4-9]\d|65\d\d)(?:\d{12}|\d{15})$/,
  /^622(?:12[6-9]|1[3-9]\d|[2-8]\d\d|9[01]\d|92[0-5])(?:\d{10}|\d{13})$/,
];

const MAX_DIGITS = 19;

/**
 * Returns true if the text contains a number with prefix, length and Luhn digit of a payment card, in groups or not. A card number in a
 * text for patients would reach receipts and webhooks.
 */
export function containsCardNumber(text: string): boolean {
  // NFKC folds full-width and other styled digits into ASCII.
  const runs = text.normalize('NFKC').match(/\d+(?:[\s\p{Pd}]+\d+)*/gu) ?? [];
  return runs.some((run) => hasCardNumber(run.split(/[\s\p{Pd}]+/u)));
}

/** Checks every sequence of adjacent groups: a card number may follow a room number. */
function hasCardNumber(groups: string[]): boolean {
  return groups.some((_, start) => {
    let digits = '';
    for (const group of groups.slice(start, start + MAX_DIGITS)) {
      digits += group;
      if (digits.length > MAX_DIGITS) return false;
      if (SHAPES.some((shape) => shape.test(digits)) && passesLuhn(digits)) return true;
    }
    return false;
  });
}

/** Checks the Luhn digit by ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let position = 0; position < digits.length; position++) {
    const digit = Number(digits[digits.length - 1 - position]);
    const doubled = position % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
