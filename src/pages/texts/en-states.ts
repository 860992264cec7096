/** Values for the texts of a state, formatted for the reader. */
export interface Facts {
  practice: string;
  /** Practice and location, as a patient would look them up. */
  whom: string;
  amount: string;
  /** Day of the payment, or end of the link. */
  date: string;
  refunded: string;
  refunding: string;
  /** Amount that was given back while another refund is on its way; null otherwise. */
  alreadyRefunded: string | null;
  reversed: string;
  /** End of the time in which the link takes no payment after several declines. */
  until: string;
}

/**
 * Texts of each state in English. `first` says in one sentence what happened. `second` says whether money was taken, then
 * what to do next. Titles appear in histories and previews, so they name neither patient nor reason.
 */
export const states = {
  payable: {
    title: 'Payment request',
    heading: (f: Facts) => `Pay ${f.practice}`,
    first: (f: Facts) => `${f.practice} asks you to pay ${f.amount}.`,
    second: () => 'No money has been taken yet. Choose how you want to pay.',
  },
  declined: {
    title: 'Payment not completed',
    heading: () => 'Your payment did not go through',
    first: () => 'The payment was not accepted.',
    second: () => 'No money has been taken. Try again, or choose another way to pay.',
  },
  requires_action: {
    title: 'Confirm your payment',
    heading: () => 'Confirm your payment',
    first: (f: Facts) => `Your bank asks you to confirm the payment of ${f.amount}.`,
    second: () => 'No money has been taken yet. Confirm the payment below to complete it.',
  },
  in_progress: {
    title: 'Payment in progress',
    heading: () => 'Your payment is in progress',
    first: (f: Facts) => `Your payment of ${f.amount} has started, but it is not finished.`,
    second: () => 'We do not know yet whether money was taken. Do not pay again. This page updates by itself.',
  },
  throttled: {
    title: 'Payment paused',
    heading: () => 'Too many attempts',
    first: (f: Facts) => `Several payments in a row were not completed, so you cannot pay here until ${f.until}.`,
    second: (f: Facts) => `No money has been taken. Open this page again after that time, or contact ${f.practice}.`,
  },
  bank_pending: {
    title: 'Bank payment on its way',
    heading: () => 'Your bank payment is on its way',
    first: (f: Facts) => `The debit of ${f.amount} was sent to your bank on ${f.date}.`,
    second: () =>
      'The money will be taken from your account within about four business days. Keep it available, and do not pay again.',
  },
  paid: {
    title: 'Payment received',
    heading: () => 'Thank you, your payment was received',
    first: (f: Facts) => `You paid ${f.amount} to ${f.practice}.`,
    second: () => 'The money has been taken. You do not need to do anything else. Keep this page as your receipt.',
  },
  already_paid: {
    title: 'Payment already made',
    heading: () => 'This has already been paid',
    first: (f: Facts) => `${f.amount} was paid to ${f.practice} on ${f.date}.`,
    second: () => 'The money was taken once and will not be taken again. Keep this page as your receipt.',
  },
  partly_refunding: {
    title: 'Part of the payment is being refunded',
    heading: () => 'Part of your payment is being refunded',
    first: (f: Facts) =>
      `You paid ${f.amount} to ${f.practice} on ${f.date}, and ` +
      (f.alreadyRefunded
        ? `${f.alreadyRefunded} of it was given back and a further ${f.refunding} is on its way back.`
        : `${f.refunding} of it is on its way back.`),
    second: () =>
      'The money was taken once. The refund can take up to ten days to arrive. You do not need to do anything.',
  },
  partly_refunded: {
    title: 'Part of the payment was refunded',
    heading: () => 'Part of your payment was refunded',
    first: (f: Facts) =>
      `You paid ${f.amount} to ${f.practice} on ${f.date}, and ${f.refunded} of it was given back to the card or ` +
      'account you paid with.',
    second: () =>
      'The money was taken once. The refund can take up to ten days to arrive. You do not need to do anything.',
  },
  bank_failed: {
    title: 'Bank payment returned',
    heading: () => 'Your bank returned the payment',
    first: (f: Facts) => `Your bank did not pay the debit of ${f.amount}, so this amount is still owed.`,
    second: (f: Facts) => `No money has been taken. Contact ${f.practice} to pay another way.`,
  },
  refunding: {
    title: 'Refund on its way',
    heading: () => 'Your payment is being refunded',
    first: (f: Facts) =>
      (f.alreadyRefunded ? `${f.alreadyRefunded} was given back already, and a further ` : '') +
      `${f.refunding} is being given back to the card or account you paid with.`,
    second: () =>
      'The money that was taken is on its way back. This can take up to ten days. You do not need to do anything.',
  },
  bank_reversed: {
    title: 'Bank payment taken back',
    heading: () => 'Your bank took the payment back',
    first: (f: Facts) => `Your bank has taken back ${f.reversed}, so that amount is owed again.`,
    second: (f: Facts) =>
      `The money that was taken went back to your account. Contact ${f.practice} to pay another way.`,
  },
  refunded: {
    title: 'Payment refunded',
    heading: () => 'Your payment was refunded',
    first: (f: Facts) => `${f.refunded} was given back to the card or account you paid with.`,
    second: () =>
      'The money that was taken is on its way back. This can take up to ten days. You do not need to do anything.',
  },
  expired: {
    title: 'Payment link expired',
    heading: () => 'This payment link has expired',
    first: (f: Facts) => `It could be used until ${f.date}.`,
    second: (f: Facts) => `No money has been taken. If you still want to pay, ask ${f.practice} for a new link.`,
  },
  cancelled: {
    title: 'Payment link cancelled',
    heading: () => 'This payment link was cancelled',
    first: (f: Facts) => `${f.practice} cancelled this request.`,
    second: (f: Facts) => `No money has been taken. Contact ${f.practice} if you think this is a mistake.`,
  },
  unavailable: {
    title: 'Payment not possible right now',
    heading: () => 'Payment is not possible right now',
    first: (f: Facts) => `${f.practice} cannot take payments online at the moment.`,
    second: (f: Facts) => `No money has been taken. Contact ${f.practice}, or try again later.`,
  },
} as const;

const NOT_TAKEN = 'This is a test, so no money was taken. You do not need to do anything.';
const NOT_GIVEN_BACK = 'This is a test, so no money was taken or given back. You do not need to do anything.';

function test(heading: string, first: (f: Facts) => string, second: string = NOT_GIVEN_BACK) {
  return { title: 'Test payment', heading: () => heading, first, second: () => second };
}

/** Texts of test links in English. No money moves there, so no text says that money was paid or taken. */
export const testStates = {
  paid: test(
    'Test payment complete',
    (f) => `A payment of ${f.amount} to ${f.practice} was simulated on ${f.date}.`,
    NOT_TAKEN,
  ),
  bank_pending: test(
    'Test bank debit on its way',
    (f) => `A bank debit of ${f.amount} to ${f.practice} was simulated on ${f.date}.`,
    'This is a test, so no money is or will be taken. You do not need to do anything.',
  ),
  bank_failed: test(
    'Test bank debit returned',
    (f) => `A bank debit of ${f.amount} that the bank returns was simulated on ${f.date}.`,
    NOT_TAKEN,
  ),
  partly_refunding: test('Partial test refund on its way', (f) =>
    `A refund of ${f.refunding} out of ${f.amount} was simulated and is on its way.`),
  partly_refunded: test('Partial test refund complete', (f) =>
    `A refund of ${f.refunded} out of ${f.amount} was simulated.`),
  refunding: test('Test refund on its way', (f) => `A refund of ${f.refunding} was simulated and is on its way.`),
  refunded: test('Test refund complete', (f) => `A refund of ${f.refunded} was simulated.`),
  bank_reversed: test('Test bank debit taken back', (f) =>
    `A bank debit of ${f.reversed} that the bank takes back was simulated.`),
} as const;
