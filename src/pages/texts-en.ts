import { plain } from './texts-en-plain.ts';

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
  reversed: string;
}

/**
 * Every word of the pages, in English; the other languages have the same keys by type. The sentences of a state are two:
 * what is the matter, then whether money was taken and what to do next. Titles tell nothing of patient or reason: they
 * show in histories and previews.
 */
export const en = {
  language: { code: 'en', locale: 'en-US', name: 'English', switchTo: 'This page in English' },
  states: {
    payable: {
      title: 'Payment request',
      heading: (f: Facts) => `Pay ${f.practice}`,
      first: (f: Facts) => `${f.practice} asks you to pay ${f.amount} by ${f.date}.`,
      second: () => 'No money has been taken yet; choose how to pay below.',
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
      second: () => 'It is not certain yet whether money was taken; do not pay again, and look again in a minute.',
    },
    resting: {
      title: 'Payment paused',
      heading: () => 'Too many attempts',
      first: () => 'Several payments in a row were not completed, so this page rests for 15 minutes.',
      second: () => 'No money has been taken; wait 15 minutes, then open this page again.',
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
    bank_failed: {
      title: 'Bank payment returned',
      heading: () => 'Your bank returned the payment',
      first: (f: Facts) => `The debit of ${f.amount} could not be collected, so the amount is still owed.`,
      second: (f: Facts) => `No money has been taken; contact ${f.practice} to pay another way.`,
    },
    refunding: {
      title: 'Refund on its way',
      heading: () => 'Your payment is being refunded',
      first: (f: Facts) => `${f.refunding} is being given back to the card or account you paid with.`,
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
  },
  ...plain,
  notices: {
    heading: 'There is a problem',
    choose_type: 'Choose how you want to pay.',
    choose_card: 'Choose a test card.',
    choose_us_bank_account: 'Choose a test bank account.',
    amount_changed: (amount: string) =>
      `The amount has changed to ${amount} since you opened the page. No money has been taken; check it and pay again.`,
    outdated: 'The page had been open for too long. No money has been taken; check it and pay again.',
    no_details: 'The payment details did not arrive. No money has been taken; enter them again.',
    try_later: 'The payment could not be processed just now. No money has been taken; try again in a few minutes.',
    called_off: 'The payment was not made. No money has been taken; try again.',
    not_payable: 'This payment can no longer be changed. Nothing more has been charged than is shown here.',
  },
  failures: {
    card_declined: 'The card was declined by its bank.',
    insufficient_funds: 'There was not enough money in the account.',
    expired_card: 'The card has expired.',
    incorrect_cvc: 'The security code of the card was not right.',
    incorrect_number: 'The card number was not right.',
    authentication_required: 'The payment was not confirmed with your bank.',
    payment_intent_authentication_failure: 'The payment was not confirmed with your bank.',
    processing_error: 'The bank could not process the payment.',
    account_closed: 'The bank account is closed.',
  },
  summary: {
    heading: 'What you are asked to pay',
    amount: 'Amount',
    for: 'For',
  },
  form: {
    heading: 'How do you want to pay?',
    card: 'Card',
    card_hint: 'Credit or debit card',
    us_bank_account: 'US bank account',
    us_bank_account_hint: 'Direct debit, takes about four business days',
    testMethods: { card: 'Test card', us_bank_account: 'Test bank account' },
    pay: (amount: string) => `Pay ${amount}`,
    working: 'Please wait …',
    noNumbers: 'This is a sandbox: choose how the test payment turns out. Never enter real card or bank numbers.',
    details: { card: 'Card details', us_bank_account: 'Bank account details' },
    protected: 'Details are entered in frames of the payment provider, Stripe; they never reach this site.',
  },
  testMethods: {
    card_success: 'Visa 4242, is accepted',
    card_declined: 'Visa 0002, is declined',
    card_insufficient_funds: 'Visa 9995, lacks funds',
    card_challenge: 'Visa 3220, asks for confirmation',
    card_refund_later: 'Visa 7726, is refunded with delay',
    card_refund_fails: 'Visa 5126, a refund of it fails',
    bank_settles: 'Account 6789, is debited',
    bank_returns: 'Account 1116, returns the debit',
  },
  authorisation: {
    heading: 'Authorization of the bank debit',
    byPhone: (whom: string, phone: string) => `${whom}, telephone ${phone},`,
    text: (f: { practice: string; whom: string; reach: string; amount: string; date: string }) =>
      `By choosing “Pay ${f.amount}”, I authorize ${f.practice} to debit ${f.amount} from my bank account, once, on or ` +
      `after ${f.date}. I can revoke this authorization by contacting ${f.reach} before the debit has been sent to my ` +
      `bank. If a debit is wrong, I contact ${f.whom}, or my bank.`,
  },
  action: {
    continue: 'Continue to your bank',
    checkAgain: 'Check again',
    another: 'Pay another way',
    approve: 'Approve the test payment',
    refuse: 'Refuse the test payment',
    sandbox: 'In place of a bank, the sandbox asks you to approve or refuse.',
  },
  script: {
    loading:
      'The secure form is loading … No money has been taken. If it does not appear, a blocker or the network keeps it away.',
    blockedTitle: 'The payment form could not be loaded',
    blocked:
      'No money has been taken. The script of the payment provider Stripe was blocked or is out of reach: switch off blockers ' +
      'for this page, or try another browser or network, then load the page again.',
    noJsTitle: 'JavaScript is switched off',
    noJs:
      'No money has been taken. Card and bank details are entered in frames of the payment provider, which need ' +
      'JavaScript: switch it on and load the page again, or contact the practice to pay another way.',
  },
  receipt: {
    heading: 'Receipt',
    headingPending: 'Details of the payment',
    paid: 'Amount paid',
    debit: 'Amount of the debit',
    refunded: 'Refunded',
    refunding: 'Refund on its way',
    reversed: 'Taken back by the bank',
    for: 'For',
    to: 'To',
    date: 'Date',
    submitted: 'Submitted',
    method: 'Paid with',
    card: 'Card',
    bank: 'US bank account',
    ending: (name: string, last4: string) => `${name} ending in ${last4}`,
    reference: 'Reference',
    print: 'Print this receipt',
    testNote: 'Test payment: no money was moved.',
  },
  test: {
    banner: 'Test mode',
    bannerText: 'No real money moves on this page.',
    heading: 'Simulate an outcome',
    hint: 'For developers: does the same as the simulate operation of the API.',
    outcomes: {
      paid: 'Paid by card',
      processing: 'Bank debit on its way',
      processing_then_paid: 'Bank debit, then paid',
      failed: 'Bank debit returned',
      expired: 'Link expires',
    },
  },
  help: {
    heading: 'Need help?',
    text: (f: { whom: string }) => `Contact ${f.whom}. Never send card or bank numbers by e-mail or text message.`,
    textUnknown:
      'Contact the practice that sent you the link. Never send card or bank numbers by e-mail or text message.',
    call: (phone: string) => `Call ${phone}`,
    reference: (reference: string) => `Reference: ${reference}`,
  },
  footer: 'Secure payment page',
} as const;

/** The shape of these texts with any words in it: a language that misses one does not compile. */
export type Texts = Worded<typeof en>;

type Worded<T> = T extends string
  ? string
  : T extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Key in keyof T]: Worded<T[Key]> };

/** Which of the states' texts a page uses: its state, told apart where the words differ. */
export type Wording = keyof Texts['states'];

/** Pages that know of no link. */
export type Problem = keyof Texts['problems'];
