/** What sentences are made of; every value is ready to be read. */
export interface Facts {
  practice: string;
  /** The practice with its location, as one would look it up. */
  whom: string;
  amount: string;
  /** When the page's state came about or ends: payment, expiry. */
  date: string;
  refunded: string;
  refunding: string;
  /** What was given back already while more is on its way; null otherwise. */
  alreadyRefunded: string | null;
  reversed: string;
  /** Until when the link takes no payment, after several declines. */
  until: string;
}

/**
 * The texts of each state, in English. The sentences are two: what is the matter, then whether money was taken and what
 * to do next. Titles tell nothing of patient or reason: they show in histories and previews.
 */
export const states = {
  payable: {
    title: 'Payment request',
    heading: (f: Facts) => `Pay ${f.practice}`,
    first: (f: Facts) => `${f.practice} asks you to pay ${f.amount}.`,
    second: () => 'No money has been taken yet; choose how you want to pay.',
  },
  declined: {
    title: 'Payment not completed',
    heading: () => 'Your payment did not go through',
    first: () => 'The payment was not accepted.',
    second: () => 'No money has been taken; try again, or choose another way to pay.',
  },
  requires_action: {
    title: 'Confirm your payment',
    heading: () => 'Confirm your payment',
    first: (f: Facts) => `Your bank asks you to confirm the payment of ${f.amount}.`,
    second: () => 'No money has been taken yet; confirm the payment below to complete it.',
  },
  in_progress: {
    title: 'Payment in progress',
    heading: () => 'Your payment is in progress',
    first: (f: Facts) => `The payment of ${f.amount} has been started and is not finished.`,
    second: () => 'It is not certain yet whether money was taken; do not pay again: this page looks again by itself.',
  },
  throttled: {
    title: 'Payment paused',
    heading: () => 'Too many attempts',
    first: (f: Facts) =>
      `Several payments in a row were not completed, so this page takes no payment until ${f.until}.`,
    second: (f: Facts) => `No money has been taken; open this page again after that time, or contact ${f.practice}.`,
  },
  bank_pending: {
    title: 'Bank payment on its way',
    heading: () => 'Your bank payment is on its way',
    first: (f: Facts) => `The debit of ${f.amount} was sent to your bank on ${f.date}.`,
    second: () =>
      'The money will be taken from your account within about four business days; keep it available, and do not pay again.',
  },
  paid: {
    title: 'Payment received',
    heading: () => 'Thank you, your payment was received',
    first: (f: Facts) => `You paid ${f.amount} to ${f.practice}.`,
    second: () => 'The money has been taken, and there is nothing more to do; keep this page as your receipt.',
  },
  already_paid: {
    title: 'Payment already made',
    heading: () => 'This has already been paid',
    first: (f: Facts) => `${f.amount} was paid to ${f.practice} on ${f.date}.`,
    second: () => 'The money was taken once and will not be taken again; keep this page as your receipt.',
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
      'The money was taken once; what is given back can take up to ten days to arrive, and there is nothing you need to do.',
  },
  partly_refunded: {
    title: 'Part of the payment was refunded',
    heading: () => 'Part of your payment was refunded',
    first: (f: Facts) =>
      `You paid ${f.amount} to ${f.practice} on ${f.date}, and ${f.refunded} of it was given back to the card or ` +
      'account you paid with.',
    second: () =>
      'The money was taken once; what was given back can take up to ten days to arrive, and there is nothing you need to do.',
  },
  bank_failed: {
    title: 'Bank payment returned',
    heading: () => 'Your bank returned the payment',
    first: (f: Facts) => `The debit of ${f.amount} could not be collected, so the amount is still owed.`,
    second: (f: Facts) => `No money has been taken; contact ${f.practice} to pay another way.`,
  },
  refunding: {
    title: 'Refund on its way',
    heading: () => 'Your payment is being refunded',
    first: (f: Facts) =>
      (f.alreadyRefunded ? `${f.alreadyRefunded} was given back already, and a further ` : '') +
      `${f.refunding} is being given back to the card or account you paid with.`,
    second: () =>
      'The money that was taken is on its way back, which can take up to ten days; there is nothing you need to do.',
  },
  bank_reversed: {
    title: 'Bank payment taken back',
    heading: () => 'Your bank took the payment back',
    first: (f: Facts) => `Your bank has taken back ${f.reversed}, so that amount is owed again.`,
    second: (f: Facts) =>
      `The money that was taken went back to your account; contact ${f.practice} to pay another way.`,
  },
  refunded: {
    title: 'Payment refunded',
    heading: () => 'Your payment was refunded',
    first: (f: Facts) => `${f.refunded} was given back to the card or account you paid with.`,
    second: () =>
      'The money that was taken is on its way back, which can take up to ten days; there is nothing you need to do.',
  },
  expired: {
    title: 'Payment link expired',
    heading: () => 'This payment link has expired',
    first: (f: Facts) => `It could be used until ${f.date}.`,
    second: (f: Facts) => `No money has been taken; ask ${f.practice} for a new link if you still want to pay.`,
  },
  cancelled: {
    title: 'Payment link cancelled',
    heading: () => 'This payment link was cancelled',
    first: (f: Facts) => `${f.practice} has withdrawn this request.`,
    second: (f: Facts) => `No money has been taken; contact ${f.practice} if you think this is a mistake.`,
  },
  unavailable: {
    title: 'Payment not possible at present',
    heading: () => 'Payment is not possible at present',
    first: (f: Facts) => `${f.practice} cannot take payments online at the moment.`,
    second: (f: Facts) => `No money has been taken; contact ${f.practice}, or try again later.`,
  },
} as const;

/**
 * The same for payments of test links. No money moves on those, so neither sentence says that some was paid or taken.
 */
export const testStates = {
  paid: {
    title: 'Test payment',
    heading: () => 'This test link counts as paid',
    first: (f: Facts) => `A payment of ${f.amount} to ${f.practice} was simulated on ${f.date}.`,
    second: () => 'This is a test, so no money was taken; there is nothing to do.',
  },
  bank_pending: {
    title: 'Test payment',
    heading: () => 'This test debit counts as on its way',
    first: (f: Facts) => `A bank debit of ${f.amount} to ${f.practice} was simulated on ${f.date}.`,
    second: () => 'This is a test, so no money is or will be taken; there is nothing to do.',
  },
  bank_failed: {
    title: 'Test payment',
    heading: () => 'Your bank returned the payment',
    first: (f: Facts) => `A bank debit of ${f.amount} that the bank returns was simulated on ${f.date}.`,
    second: () => 'This is a test, so no money was taken; there is nothing to do.',
  },
  partly_refunding: {
    title: 'Test payment',
    heading: () => 'Part of this test payment counts as being refunded',
    first: (f: Facts) => `A refund of ${f.refunding} out of ${f.amount} was simulated and is on its way.`,
    second: () => 'This is a test, so no money was taken or given back; there is nothing to do.',
  },
  partly_refunded: {
    title: 'Test payment',
    heading: () => 'Part of this test payment counts as refunded',
    first: (f: Facts) => `A refund of ${f.refunded} out of ${f.amount} was simulated.`,
    second: () => 'This is a test, so no money was taken or given back; there is nothing to do.',
  },
  refunding: {
    title: 'Test payment',
    heading: () => 'This test payment counts as being refunded',
    first: (f: Facts) => `A refund of ${f.refunding} was simulated and is on its way.`,
    second: () => 'This is a test, so no money was taken or given back; there is nothing to do.',
  },
  refunded: {
    title: 'Test payment',
    heading: () => 'This test payment counts as refunded',
    first: (f: Facts) => `A refund of ${f.refunded} was simulated.`,
    second: () => 'This is a test, so no money was taken or given back; there is nothing to do.',
  },
  bank_reversed: {
    title: 'Test payment',
    heading: () => 'This test debit counts as taken back',
    first: (f: Facts) => `A bank that takes ${f.reversed} back was simulated.`,
    second: () => 'This is a test, so no money was taken or given back; there is nothing to do.',
  },
} as const;
