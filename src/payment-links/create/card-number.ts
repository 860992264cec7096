/** Prefix and length of the networks people write down by mistake: Visa, Mastercard, American Express, Discover. */
const SHAPES = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/,
  /^3[47]\d{13}$/,
  /^(?:6011|64[4-9]\d|65\d\d|622[1-9])(?:\d{12}|\d{15})$/,
];

/** Longest number any of the networks issues. */
const MAX_DIGITS = 19;

/**
 * Whether the text contains a number shaped like a payment card's: prefix, length and Luhn digit, blanks and dashes
 * between its groups ignored. Descriptions are typed by people, and a card number there would end up on receipts and in
 * webhooks.
 */
export function containsCardNumber(text: string): boolean {
  // NFKC folds full-width and other styled digits into ASCII.
  const runs = text.normalize('NFKC').match(/\d+(?:[\s\p{Pd}]+\d+)*/gu) ?? [];
  return runs.some((run) => hasCardNumber(run.split(/[\s\p{Pd}]+/u)));
}

/** Looks at every sequence of neighbouring groups: "room 12 4111 1111 1111 1111" hides one after a room number. */
function hasCardNumber(groups: string[]): boolean {
  return groups.some((_, start) => {
    let digits = '';
    for (const group of groups.slice(start)) {
      digits += group;
      if (digits.length > MAX_DIGITS) return false;
      if (SHAPES.some((shape) => shape.test(digits)) && passesLuhn(digits)) return true;
    }
    return false;
  });
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let position = 0; position < digits.length; position++) {
    const digit = Number(digits[digits.length - 1 - position]);
    const doubled = position % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
