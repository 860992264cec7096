import { states, testStates } from './en-states.ts';

/** All texts of the pages in English. The type of the other languages has the same keys. */
export const en = {
  language: { code: 'en', locale: 'en-US', name: 'English', switchTo: 'This page in English' },
  states,
  testStates,
  /** Pages that belong to no link: first what happened, then what to do next. */
  problems: {
    onboarded: {
      title: 'You have left onboarding',
      first: 'You have left the onboarding pages of the payment provider, and you may close this page.',
      second:
        'If everything is filled in, payments are enabled within minutes. If not, or if your link had expired, ask the ' +
        'person who sent it for a new one.',
    },
    not_found: {
      title: 'Page not found',
      first: 'There is no payment page at this address.',
      second: 'No money has been taken. Check that you copied the whole link, or ask the practice for a new one.',
    },
    too_many: {
      title: 'Too many requests',
      first: 'Too many requests came from your network in a short time.',
      second: 'This request has taken no money. Wait a minute, then try again.',
    },
    invalid_form: {
      title: 'The form could not be read',
      first: 'The data that was sent is not a form of this page.',
      second: 'This request has taken no money. Open your payment link and start again.',
    },
    forbidden: {
      title: 'Form not accepted',
      first: 'The form was not sent from this page.',
      second: 'This request has taken no money. Open your payment link and start again.',
    },
    method_not_allowed: {
      title: 'Not possible',
      first: 'This page cannot be used in this way.',
      second: 'This request has taken no money. Open your payment link again.',
    },
    failure: {
      title: 'Something went wrong',
      first: 'The error is on our side, not with you or your bank.',
      second: 'Before you try again, open your payment link. It says whether money was taken.',
    },
    unavailable: {
      title: 'Temporarily unavailable',
      first: 'The payment page is temporarily unavailable.',
      second: 'Wait a minute, then open your payment link again. It says whether money was taken.',
    },
  },
  /** Reasons of a decline. `declines.ts` maps codes to them. */
  failures: {
    declined: 'The bank declined the card.',
    insufficient_funds: 'There was not enough money in the account.',
    over_limit: 'The payment is above the limit of the card.',
    expired_card: 'The card has expired.',
    incorrect_cvc: 'The security code of the card was not correct.',
    incorrect_number: 'The card number was not correct.',
    incorrect_expiry: 'The expiry date of the card was not correct.',
    incorrect_address: 'The ZIP code or address did not match the card.',
    not_supported: 'The card cannot be used for this payment.',
    not_confirmed: 'The payment was not confirmed with your bank.',
    processing_error: 'The bank could not process the payment.',
    bank_away: 'The bank could not be reached.',
    duplicate: 'The bank declined the payment as a duplicate of an earlier one.',
    account_closed: 'The bank account is closed.',
    account_not_found: 'The bank account could not be found.',
    account_blocked: 'The bank account does not allow this debit.',
    debit_declined: 'The bank did not accept the debit.',
  },
  alerts: {
    heading: 'There is a problem',
    choose_type: 'Choose how you want to pay.',
    choose_card: 'Choose a test card.',
    choose_us_bank_account: 'Choose a test bank account.',
    amount_changed: (amount: string) =>
      `The amount has changed to ${amount} since you opened the page. No money has been taken. Check the new amount, then pay.`,
    outdated: 'The page was open for too long. No money has been taken. Check the page, then pay.',
    no_details: 'The payment details did not arrive. No money has been taken. Enter them again.',
    try_later: 'The payment could not be processed just now. No money has been taken. Try again in a few minutes.',
    cancelled: 'The payment was not made. No money has been taken. Try again.',
    already_paid: {
      heading: 'This was already paid',
      text: 'It was paid in another window, or by someone else. Your last attempt has taken no money.',
    },
    already_debited: {
      heading: 'A bank payment was already submitted',
      text: 'It was submitted in another window, or by someone else. Your last attempt has taken no money.',
    },
    under_way: {
      heading: 'A payment is already under way',
      text:
        'It was started earlier, or in another window. Your last attempt has taken no money. Finish the payment that ' +
        'was started, or wait until it ends.',
    },
    closed: {
      heading: 'The payment was not made',
      text: 'Your last attempt has taken no money.',
    },
  },
  summary: {
    heading: 'What you are asked to pay',
    amount: 'Amount',
    for: 'For',
    until: (date: string) => `This page can be used until ${date}.`,
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
    noNumbers: 'This is a test environment. Choose how the test payment ends. Never enter real card or bank numbers.',
    details: { card: 'Card details', us_bank_account: 'Bank account details' },
    protected: 'You enter your details in fields of Stripe, the payment provider. They never reach this site.',
    paymentsBy: (name: string) => `Payments by ${name}`,
    cards: 'Cards you can pay with',
  },
  testMethods: {
    card_success: 'Visa 4242: is accepted',
    card_declined: 'Visa 0002: is declined',
    card_insufficient_funds: 'Visa 9995: not enough money',
    card_challenge: 'Visa 3220: asks for confirmation',
    card_refund_later: 'Visa 7726: a refund arrives later',
    card_refund_fails: 'Visa 5126: a refund fails',
    bank_settles: 'Account 6789: the debit succeeds',
    bank_returns: 'Account 1116: the bank returns the debit',
  },
  authorisation: {
    heading: 'Authorization of the bank debit',
    given: (moment: string) => `You gave this authorization on ${moment}.`,
    byPhone: (whom: string, phone: string) => `${whom}, telephone ${phone},`,
    text: (f: { practice: string; whom: string; reach: string; amount: string; date: string }) =>
      `By choosing “Pay ${f.amount}”, I authorize ${f.practice} to debit ${f.amount} from my bank account, once, on or ` +
      `after ${f.date}. I can revoke this authorization by contacting ${f.reach} before the debit is sent to my bank. ` +
      `If the debit is wrong, I can contact ${f.whom}, or my bank.`,
  },
  action: {
    continue: 'Continue to your bank',
    checkAgain: 'Check again',
    another: 'Pay another way',
    approve: 'Approve the test payment',
    refuse: 'Refuse the test payment',
    sandbox: 'This is a test. You approve or refuse the payment in place of the bank.',
  },
  script: {
    loading:
      'The secure form is loading … No money has been taken. If it does not appear, a content blocker or your network may ' +
      'block it.',
    blockedTitle: 'The payment form could not be loaded',
    blocked:
      'No money has been taken. Your browser or your network blocks the form of Stripe, the payment provider. Switch off ' +
      'content blockers for this page, or try another browser or network. Then load the page again.',
    noJsTitle: 'JavaScript is switched off',
    noJs:
      'No money has been taken. The payment form needs JavaScript. Switch it on and load the page again, or contact the ' +
      'practice to pay another way.',
  },
  documents: {
    receipt: { heading: 'Receipt', print: 'Print this receipt' },
    debit: { heading: 'Bank debit on its way', print: 'Print the details of this debit' },
    returned_debit: { heading: 'Returned bank debit', print: 'Print the details of this debit' },
    reversed_debit: { heading: 'Bank debit taken back', print: 'Print the details of this debit' },
    test: { heading: 'Details of the test payment', print: 'Print the details of this test' },
  },
  receipt: {
    paid: 'Amount paid',
    debit: 'Amount of the debit',
    test: 'Amount of the test',
    refunded: 'Refunded',
    refunding: 'Refund on its way',
    reversed: 'Taken back by the bank',
    for: 'For',
    to: 'To',
    address: 'Address',
    date: 'Date',
    submitted: 'Submitted',
    paidWith: 'Paid with',
    method: 'Payment method',
    card: 'Card',
    bank: 'US bank account',
    ending: (name: string, last4: string) => `${name} ending in ${last4}`,
    statement: 'On your statement',
    receiptNumber: 'Receipt number',
    paymentNumber: 'Payment number',
    testNote: 'Test payment: no money was moved.',
  },
  receiptMail: {
    title: 'Receipt by mail',
    label: 'Your mail address',
    help: 'The mail has practice, amount, date and payment method. The address is deleted when the mail is sent.',
    button: 'Send me the receipt',
    sent: 'The receipt is on its way to your mailbox.',
    heading: 'The receipt was not sent',
    invalid: 'Enter a mail address such as ada@example.com.',
    tooMany: 'This receipt was requested several times. Look into your mailbox, or try again tomorrow.',
    subject: (practice: string) => `Receipt from ${practice}`,
    reference: 'Reference',
    questions: (whom: string) => `Questions? Contact ${whom}.`,
    why: 'You get this mail because someone entered your address on the payment page. If it was not you, ignore it.',
  },
  test: {
    banner: 'Test mode',
    bannerText: 'No real money moves on this page.',
    heading: 'Simulate an outcome',
    hint: 'For developers: these buttons do the same as the simulate operation of the API.',
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
    text: (whom: string) => `Contact ${whom}. Never send card or bank numbers by e-mail or text message.`,
    textUnknown:
      'Contact the practice that sent you the link. Never send card or bank numbers by e-mail or text message.',
    call: (phone: string) => `Call ${phone}`,
    reference: (reference: string) => `Reference: ${reference}`,
  },
  footer: 'Secure payment page',
} as const;

export type { Facts } from './en-states.ts';

/** Type of all texts, with any words. A language that lacks a text does not compile. */
export type Texts = Worded<typeof en>;

type Worded<T> = T extends string
  ? string
  : T extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Key in keyof T]: Worded<T[Key]> };

/** Key of a state's texts. Some states have several, such as `paid` and `already_paid`. */
export type Wording = keyof Texts['states'];

export type Problem = keyof Texts['problems'];
