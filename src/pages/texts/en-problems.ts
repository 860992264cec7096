/** Texts of pages that belong to no link, in English: first what happened, then what to do next. */
export const problemTexts = {
  onboarded: {
    title: 'You have left onboarding',
    first: 'You have left the onboarding pages of the payment provider, and you may close this page.',
    second:
      'If everything is filled in, payments are enabled within minutes. If not, or if your link had expired, ask the ' +
      'person who sent it for a new one.',
  },
  problems: {
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
} as const;
