export const account = {
  lead: 'The account at the payment processor, which charges patients and pays you.',
  states: {
    ready: {
      title: 'Ready',
      text: 'Patients can pay by card and bank debit.',
    },
    cards_only: {
      title: 'Cards only',
      text: 'Patients can pay by card. Bank debits are not enabled for the account yet: check it at the processor.',
    },
    unfinished: {
      title: 'Not finished',
      text: 'The account exists, but cannot take payments yet. The processor still needs information from you.',
    },
    none: {
      title: 'No account yet',
      text: 'Until there is one, you can create test links only. Have the tax number and bank account of the practice at hand.',
    },
    sandbox: {
      title: 'Simulated',
      text: 'This service runs with a simulated processor. No money moves, and nothing needs to be set up.',
    },
  },
  table: {
    processor: 'Processor',
    account: 'Account',
    cards: 'Payments',
    debits: 'Bank debits',
    none: 'none',
  },
  processors: { sandbox: 'Simulation', stripe: 'Stripe' },
  descriptor: {
    title: 'Name on statements',
    text: 'Patients see the name of your account at the processor on their statements. You change that name at the processor. For cards you can add a word here: then the first ten characters of the name stand before it. Bank debits have the name alone.',
    present: 'On card statements:',
    account: 'YOUR NAME',
    suffix: 'Addition for cards',
    suffixHelp:
      'At most 10 characters, such as DENTAL. Do not name a treatment: others may read the statement. Leave it empty for none.',
    button: 'Save the addition',
  },
  wallets: {
    title: 'Apple Pay and Google Pay',
    text: 'The form for cards offers them on devices that have them. Register the domain of the payment pages for your account at Stripe first: without it, they do not appear.',
    label: 'Offer Apple Pay and Google Pay',
  },
  begin: 'Open an account',
  goOn: 'Continue the setup',
  check: 'Check again',
  next: {
    title: 'Continue at the processor',
    text: 'The processor asks for the data of your practice on its own pages. The address works once, for a few minutes.',
    link: 'Continue',
  },
  complete: 'Nothing is left to do at the processor.',
  unavailable: 'The payment processor does not answer at the moment. Try again in a few minutes.',
};
